"""Description of pictures without OpenGL: cameras, views, frustums, lights, label passes and actor rows."""
