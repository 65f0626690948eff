"""Built-in rigs other than the mannequin."""
