"""Analysis of pedestrian movement: densities, speeds, flows, egress times and levels of service."""
