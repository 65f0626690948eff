"""`ecs-anim feet` measures the foot errors of a scene, with and without grounding."""

from typing import Any

from ecs_anim.commands.duration import Duration
from ecs_anim.commands.plan import Plan, read_planned
from ecs_anim.commands.tables import print_figures
from ecs_anim.components.grounding import Grounding
from ecs_anim.profiling.validation.feet import measure_feet, watch_feet
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.loader import SceneFile
from ecs_anim.support.errors import InputError
from ecs_anim.support.terminal import print_json

FRAMES = 300  # default number of steps
ROWS = {
    "planted_samples": ("planted samples", "{:,}"),
    "skate_median": ("skate, median in m/s", "{:.4f}"),
    "skate_p95": ("skate, 95 % in m/s", "{:.4f}"),
    "planted_near_share": ("planted within 1 cm", "{:.1%}"),
    "hover_p95": ("hover, 95 % in m", "{:.4f}"),
    "penetration_p95": ("penetration, 95 % in m", "{:.4f}"),
    "penetration_max": ("penetration, most in m", "{:.4f}"),
    "knee_least_degrees": ("straightest knee in degrees", "{:.1f}"),
    "knees_backward": ("knees bent backwards", "{:,}"),
    "ankle_acceleration_p99": ("ankle acceleration, 99 % in m/s²", "{:.0f}"),
    "ankle_acceleration_max": ("ankle acceleration, most in m/s²", "{:.0f}"),
}


def compare_feet(scene: str, frames: int | None, seconds: float | None, as_json: bool, **loading: Any) -> None:
    """Execute `ecs-anim feet`. `loading` contains arguments of `load_scene`. Raises InputError for wrong input."""
    duration = Duration(frames, seconds)
    read = read_planned(Plan(problems=duration.problems), scene)
    steps = duration.steps(read.model.frame_rate) or FRAMES
    grounded, plain = (_measured(read, scene, steps, loading, grounded=grounded) for grounded in (True, False))
    if as_json:
        figures = [
            {"crowd": a.pop("crowd"), "grounded": a, "ungrounded": b} for a, b in zip(grounded, plain, strict=True)
        ]
        for entry in figures:
            entry["ungrounded"].pop("crowd")
        print_json({"scene": scene, "frames": steps, "crowds": figures})
        return
    for with_it, without in zip(grounded, plain, strict=True):
        _print(f"{scene}: feet of {with_it['crowd']!r}, {steps} frames", with_it, without)


def _measured(
    scene: SceneFile, name: str, frames: int, loading: dict[str, Any], *, grounded: bool
) -> list[dict[str, Any]]:
    """Return the measured foot errors of every crowd with grounding.

    If `grounded` is False, the function first switches the grounding off by setting its weights to 0.
    """
    with load_scene(scene, **loading) as world:
        if not watch_feet(world):
            raise InputError(
                f"{name}: at least one crowd of the scene must have `grounding`. Add grounding = {{}} to a crowd."
            )
        if not grounded:
            for _, (grounding,) in world.query(Grounding):
                grounding.weight_parameter = -1
                grounding.weight[:] = 0
        return measure_feet(world, frames)


def _print(title: str, grounded: dict[str, Any], plain: dict[str, Any]) -> None:
    cells = [
        (label, *("-" if row[key] is None else form.format(row[key]) for row in (grounded, plain)))
        for key, (label, form) in ROWS.items()
    ]
    print_figures(title, ("measure", ">grounded", ">ungrounded"), cells)
