"""Loading of glTF 2.0 and VRM files as rigs."""
