"""Ids of the environments in Gymnasium's registry."""

from importlib.util import find_spec

ID = "ecs_anim/Crowd-v0"


def register_ids() -> None:
    """Register the ids of all environments. Without the 'gymnasium' extra, do nothing."""
    if find_spec("gymnasium") is None:
        return
    import gymnasium

    if ID not in gymnasium.registry:
        gymnasium.register(
            ID,
            entry_point="ecs_anim.gymnasium.crowd_env:CrowdEnv",
            vector_entry_point="ecs_anim.gymnasium.vector_env:CrowdVectorEnv",
        )
