"""Bakes: all clips of a rig, sampled into one table of rows that a GPU can hold, and files that store bakes.

The names in `__all__` are public and imported at first use. All other names can change.
"""

from ecs_anim.support.front_door import front_door

__all__, __getattr__, __dir__ = front_door(__name__, __file__)
