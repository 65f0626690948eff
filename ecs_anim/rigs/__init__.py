"""Built-in bodies besides the mannequin."""
