"""Mathematics without project types: affine matrices, quaternions, curves, elementary functions.

The modules `curves`, `dual_quaternion`, `quaternion` and `transform` are public: code for systems, clips or rigs needs
their functions, including functions that no built-in system calls. All other modules can change.
"""

__all__ = ["curves", "dual_quaternion", "quaternion", "transform"]
