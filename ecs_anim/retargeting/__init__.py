"""Retargeting: the conversion of clips for one body to clips for another body."""
