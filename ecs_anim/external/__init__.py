"""External agents: robots and vehicles among the people of a world, which a program moves."""
