"""The template of the shared page: HTML, CSS and JavaScript modules."""
