"""What crowds can have: a module a part, which says all of it in one place."""
