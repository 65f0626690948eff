"""The renderer, and the drawing passes of a picture: surfaces, shadows and label passes."""
