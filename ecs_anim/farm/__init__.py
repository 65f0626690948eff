"""Farms: a job is cut into independent tasks.

Processes on one or more machines do the tasks, and the results are joined.

The public names are in `__all__` and are imported at first use. All other names can change.
"""

from ecs_anim.support.front_door import front_door

__all__, __getattr__, __dir__ = front_door(__name__, __file__)
