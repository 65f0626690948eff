"""Inverse kinematics: chains, joint limits, and readable reference versions of the solver kernels.

The names in `__all__` are public, and are imported at first use. All other names can change.
"""

from ecs_anim.support.front_door import front_door

__all__, __getattr__, __dir__ = front_door(__name__, __file__)
