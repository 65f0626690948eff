"""Attacks: files made to break what reads them."""
