"""Label formats of data sets. Each module contains a writer that gets all labels in the order of the pictures."""
