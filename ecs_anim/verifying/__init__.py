"""Verification of data sets: labels are derived again from the passes and from the records of the cameras.

The package does not call the code that writes labels.
"""
