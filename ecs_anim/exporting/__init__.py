"""Export of crowds to glTF and USD files for other programs."""
