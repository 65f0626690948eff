"""Numbers without owners: affine matrices, quaternions, curves, elementary functions.

The modules `curves`, `dual_quaternion`, `quaternion` and `transform` are public: authors of systems, clips or rigs need
their functions, even those that no built-in system calls. All other modules can change.
"""

__all__ = ["curves", "dual_quaternion", "quaternion", "transform"]
