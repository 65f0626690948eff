"""Data sets as files: pictures for many seeds, frames and cameras, with labels for the actors."""
