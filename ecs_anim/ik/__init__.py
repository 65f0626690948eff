"""Inverse kinematics: chains, joint limits, and solvers. The solvers are readable numpy versions of the kernels.

The names in `__all__` are public. Python imports a public name at its first use. All other names can change without
notice.
"""

from ecs_anim.support.front_door import front_door

__all__, __getattr__, __dir__ = front_door(__name__, __file__)
