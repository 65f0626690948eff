"""Renderer and passes of a picture: surfaces, shadows and ids."""
