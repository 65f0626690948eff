"""Farms: a job is cut into independent tasks, which run in many processes.

Processes on one or more machines do the tasks. Then the results of all tasks are joined.

The public names are in `__all__`. A public name is imported at first use. All other names can change.
"""

from ecs_anim.support.front_door import front_door

__all__, __getattr__, __dir__ = front_door(__name__, __file__)
