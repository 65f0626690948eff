"""Inverse kinematics: chains, joint limits, and solvers. The solvers are readable numpy versions of the kernels.

The names in `__all__` are public. A public name is imported at its first use. Names that are not in `__all__` can
change.
"""

from ecs_anim.support.front_door import front_door

__all__, __getattr__, __dir__ = front_door(__name__, __file__)
