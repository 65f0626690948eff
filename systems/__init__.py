"""Behaviour: one file a system, and `schedule`, the one place where their order is written.

Public are the names of `__all__`, imported at first use; all else may change.
"""

from ecs_anim.support.front_door import front_door

__all__, __getattr__, __dir__ = front_door(__name__, __file__)
