"""Farms: a job is cut into tasks that processes, here or on other machines, do alone; the results are put together.

Public are the names of `__all__`, imported at first use; all else may change.
"""

from ecs_anim.support.front_door import front_door

__all__, __getattr__, __dir__ = front_door(__name__, __file__)
