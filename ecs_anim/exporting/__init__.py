"""Export of crowds to files of other programs. A recording of the world is written as glTF or USD."""
