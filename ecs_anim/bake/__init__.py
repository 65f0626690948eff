"""Bakes and bake files. A bake is a table with all clips of a rig, sampled at evenly spaced times.

The table of a bake fits into GPU memory. The names in `__all__` are public and are imported at first use. Names that
are not in `__all__` can change.
"""

from ecs_anim.support.front_door import front_door

__all__, __getattr__, __dir__ = front_door(__name__, __file__)
