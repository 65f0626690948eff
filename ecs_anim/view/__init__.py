"""Views, cameras, frustums, lights and passes, and the actor rows for the GPU."""
