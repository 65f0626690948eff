"""Data sets: pictures of many seeds, frames and cameras, with what is known of those who are in them, as files."""
