"""Reading of buildings from files: levels, walls, doors, stairs, escalators, ramps, lifts and named areas."""
