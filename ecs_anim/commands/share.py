"""`ecs-anim share` writes a scene as one HTML file that browsers play."""

from pathlib import Path
from typing import Any

from ecs_anim.commands.outputs import write_json
from ecs_anim.commands.plan import Output, Plan, read_planned
from ecs_anim.commands.snapshots import scene_of_snapshot
from ecs_anim.commands.sources import family_of
from ecs_anim.commands.walk import WalkOptions, scene_of_recording
from ecs_anim.scenes.loader import SceneFile
from ecs_anim.scenes.starting import Start, open_world
from ecs_anim.sharing.share import FPS, SECONDS, Shared, require_share_file, share
from ecs_anim.support.terminal import print_note


def share_scene(
    source: str,
    out: Path,
    seconds: float | None,
    fps: int | None,
    from_frame: int | None,
    json_path: str | None,
    **loading: Any,
) -> None:
    """Execute `ecs-anim share`. `loading` contains arguments of `load_scene`. Raises InputError for wrong input."""
    plan = Plan(outputs=(Output("--out", out, (require_share_file,)),))
    scene, snapshot = _source(source, plan)
    with open_world(scene, Start(from_frame, snapshot), **loading) as world:
        shared = share(world, out, seconds=seconds or SECONDS, fps=fps or FPS)
    if json_path is None:
        print_note(_text(shared))
    else:
        write_json(shared.figures(), json_path)


def _source(source: str, plan: Plan) -> tuple[SceneFile, Path | None]:
    """Return the scene and the snapshot of `source`, which names a scene, a snapshot or a recording. Without a
    snapshot, the second item is None.
    """
    family = family_of(source)
    if family == "snapshot":
        return read_planned(plan, scene_of_snapshot(Path(source))), Path(source)
    if family == "trajectories":
        plan.check()
        return scene_of_recording(WalkOptions(Path(source))), None
    return read_planned(plan, source), None


def _text(shared: Shared) -> str:
    text = f"wrote {shared.path}: {shared.bytes / 1e6:.1f} MB, {shared.people:,} actors, {shared.seconds:g} s"
    if shared.ankle_mm_mean is None:
        return text
    return f"{text}; error of feet {shared.ankle_mm_mean:.1f} mm on average, 95 % below {shared.ankle_mm_p95:.1f} mm"
