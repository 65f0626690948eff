"""Gymnasium environments: a robot drives to a goal among people. docs/gymnasium.md describes them.

The import of this module registers the id `ecs_anim/Crowd-v0`. The names in `__all__` are public. Python imports a
public name at its first use.
"""

from ecs_anim.gymnasium.registration import register_ids
from ecs_anim.support.front_door import front_door

__all__, __getattr__, __dir__ = front_door(__name__, __file__)

register_ids()
