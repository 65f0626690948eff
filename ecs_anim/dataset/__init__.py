"""Data sets as files: pictures for several seeds, frames and cameras, with labels for the actors."""
