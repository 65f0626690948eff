"""Bakes: all clips of a rig in one table of rows, small enough for a GPU, in files that describe their contents.

The names in `__all__` are public and imported at first use. All other names can change.
"""

from ecs_anim.support.front_door import front_door

__all__, __getattr__, __dir__ = front_door(__name__, __file__)
