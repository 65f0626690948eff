"""Conversion of FBX files to binary glTF in a child process with limits."""
