"""Export of crowds to glTF files and USD files, which other programs can read."""
