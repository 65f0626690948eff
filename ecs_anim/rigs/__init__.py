"""Built-in bodies other than the mannequin."""
