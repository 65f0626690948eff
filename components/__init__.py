"""State: dataclasses of columns, one row per actor, no behaviour.

Public are the names of `__all__`, imported at first use; all else may change.
"""

from ecs_anim.support.front_door import front_door

__all__, __getattr__, __dir__ = front_door(__name__, __file__)
