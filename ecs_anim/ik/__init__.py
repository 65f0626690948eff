"""Inverse kinematics: chains, limits of joints, and the readable forms of the solvers that crowds run as kernels.

Public are the names of `__all__`, imported at first use; all else may change.
"""

from ecs_anim.support.front_door import front_door

__all__, __getattr__, __dir__ = front_door(__name__, __file__)
