"""People whose motions are written by plain models, for scenes that ship and for tests."""
