"""Components: dataclasses without behaviour. The columns of a component have one row for each actor.

The names in `__all__` are public. Python imports each name at its first use. All other names can change in any version.
"""

from ecs_anim.support.front_door import front_door

__all__, __getattr__, __dir__ = front_door(__name__, __file__)
