"""Numbers without owners: affine matrices, quaternions, curves, elementary functions.

Public are `curves`, `dual_quaternion`, `quaternion` and `transform`: whoever writes systems, clips or rigs of their own
needs what these hold, whether or not a built-in system calls it. All else is free to change.
"""

__all__ = ["curves", "dual_quaternion", "quaternion", "transform"]
