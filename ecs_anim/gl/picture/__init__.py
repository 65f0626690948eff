"""A picture and its passes: surfaces, shadows, ids, the renderer."""
