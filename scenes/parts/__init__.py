"""The parts (features) that crowds can have. Each module declares one part."""
