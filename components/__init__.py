"""State: dataclasses of columns, one row per actor, no behaviour."""
