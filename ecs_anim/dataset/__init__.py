"""Data sets as files: pictures of many seeds, frames and cameras, with labels of the actors."""
