"""The library Gymnasium, or an error that names the extra."""

from ecs_anim.support.errors import InputError

try:
    import gymnasium as gymnasium
except ImportError:
    raise InputError("Gymnasium needs the gymnasium extra. Install it: pip install 'ecs-anim[gymnasium]'") from None
