"""The built-in character: its body, its gait, and the writer of its glTF file."""
