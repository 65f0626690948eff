"""Behaviour: one file for each system. Only `schedule` defines the order of the systems.

The names of `__all__` are public and are imported at first use. All other names can change.
"""

from ecs_anim.support.front_door import front_door

__all__, __getattr__, __dir__ = front_door(__name__, __file__)
