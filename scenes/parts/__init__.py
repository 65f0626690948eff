"""The parts that crowds can have. Each module declares one part."""
