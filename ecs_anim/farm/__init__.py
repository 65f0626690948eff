"""Farms: many processes do the tasks of a job, on one or more machines.

A job is divided into independent tasks. After all tasks, the farm joins the results of the tasks. The public names are
in `__all__`. A public name is imported at first use. Names that are not in `__all__` can change.
"""

from ecs_anim.support.front_door import front_door

__all__, __getattr__, __dir__ = front_door(__name__, __file__)
