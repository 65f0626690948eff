"""Meshopt decoder in numpy for EXT_meshopt_compression and KHR_meshopt_compression."""
