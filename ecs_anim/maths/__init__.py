"""Mathematical functions without project types: affine matrices, quaternions, curves, elementary functions.

The modules `curves`, `dual_quaternion`, `quaternion` and `transform` are public, because users need their functions for
their own systems, clips and rigs. ecs-anim itself does not call all of these functions. All other modules of this
folder are private and can change.
"""

__all__ = ["curves", "dual_quaternion", "quaternion", "transform"]
