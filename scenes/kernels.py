"""Which kernels a scene needs, so that they can be compiled together before it is loaded."""

from collections.abc import Iterator

from ecs_anim.scenes.schema import CrowdModel, SceneModel

ALWAYS = ("pose_palettes", "sampling", "playback")  # systems import them at once
GROUNDING = ("grounding_legs", "foot_contacts", "ground")  # the legs' module imports others


def import_kernels(scene: SceneModel) -> None:
    """Import what a scene needs; what is missing from the cache is compiled on all processors."""
    from ecs_anim.kernels.compiling import import_modules

    import_modules(needed_kernels(scene))


def needed_kernels(scene: SceneModel) -> list[str]:
    """Names of modules of `ecs_anim.kernels`, each once."""
    found = [name for crowd in scene.crowds for name in _of_crowd(crowd)]
    if any(cue.fade_to for cue in scene.timeline):
        found.append("fading")
    if scene.ground is not None and scene.ground.kind != "flat":
        found.append("ground")
    return list(dict.fromkeys([*ALWAYS, *found]))


def _of_crowd(crowd: CrowdModel) -> Iterator[str]:
    corrected = bool(crowd.grounding or crowd.body or crowd.look_at or crowd.reach)
    wanted = {
        "palette": corrected or crowd.skinning != "linear",
        "locomotion": crowd.locomotion,
        "movers": crowd.body,
        "bodies": crowd.body,
        "step_feet": crowd.body,
        "reach": crowd.reach,
        "dual_palette": crowd.skinning != "linear",
        "short_palette": crowd.palette_bits != 32,
        "events": any(clip.events for clip in crowd.clips),
        "look_at": crowd.look_at,
        "clip_curves": any(clip.curves for clip in crowd.clips),
        "baked_actors": crowd.path != "pose",
        "culling": crowd.path != "pose",
        "nearness": crowd.path == "auto" or crowd.takes_turns,
        "controller": crowd.controller,
        "targets": crowd.targets,
        "nearest": any(getattr(target, "actor", None) == "nearest" for target in crowd.targets.values()),
        "layers": crowd.layers,
        "morphs": crowd.morphs,
        "parameters": crowd.parameters or crowd.triggers or any(clip.curves for clip in crowd.clips),
    }
    yield from (name for name, is_wanted in wanted.items() if is_wanted)
    if crowd.grounding:
        yield from GROUNDING
