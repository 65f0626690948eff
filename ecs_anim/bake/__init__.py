"""Bakes and bake files. A bake is a table with all clips of a rig, sampled at evenly spaced times.

The table of a bake fits into GPU memory. The names in `__all__` are public. Python imports a public name at its first
use. All other names can change without notice.
"""

from ecs_anim.support.front_door import front_door

__all__, __getattr__, __dir__ = front_door(__name__, __file__)
