"""The renderer and its drawing passes: ground, sky, surfaces, shadows, silhouettes and label passes."""
