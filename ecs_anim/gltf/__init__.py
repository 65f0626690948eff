"""From glTF files to assets."""
