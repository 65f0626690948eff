"""Mathematics without project types: affine matrices, quaternions, curves, elementary functions.

The modules `curves`, `dual_quaternion`, `quaternion` and `transform` are public, because user code for systems, clips
or rigs needs their functions. No built-in system calls some of these functions. All other modules can change.
"""

__all__ = ["curves", "dual_quaternion", "quaternion", "transform"]
