"""Meshopt's streams, as EXT_meshopt_compression and KHR_meshopt_compression describe them, decoded by numpy alone."""
