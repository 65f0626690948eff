"""`ecs-anim feet`: how well a scene's feet stand on the ground, with grounding and without."""

from dataclasses import dataclass
from typing import Any

from ecs_anim.components.grounding import Grounding
from ecs_anim.profiling.feet import measure_feet, watch_feet
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.loader import SceneFile, read_scene
from ecs_anim.support.errors import InputError
from ecs_anim.support.terminal import print_json

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


@dataclass(frozen=True)
class FeetOptions:
    """The command's options."""

    scene: str
    frames: int
    actors: int | None
    seed: int | None
    threads: int | None
    as_json: bool
    allow_code: bool


def compare_feet(options: FeetOptions) -> None:
    """Run the command. Raises InputError."""
    scene = read_scene(options.scene)
    grounded, plain = (_measured(scene, options, grounded=grounded) for grounded in (True, False))
    if options.as_json:
        figures = [
            {"crowd": a.pop("crowd"), "grounded": a, "ungrounded": b} for a, b in zip(grounded, plain, strict=True)
        ]
        for entry in figures:
            entry["ungrounded"].pop("crowd")
        print_json({"scene": options.scene, "frames": options.frames, "crowds": figures})
        return
    for with_it, without in zip(grounded, plain, strict=True):
        _print(options, with_it, without)


def _measured(scene: SceneFile, options: FeetOptions, *, grounded: bool) -> list[dict[str, Any]]:
    """Figures of every grounded crowd; with `grounded` False their weights stay 0."""
    with load_scene(
        scene, actors=options.actors, seed=options.seed, threads=options.threads, allow_code=options.allow_code
    ) as world:
        if not watch_feet(world):
            raise InputError(f"{options.scene}: no crowd has `grounding`; give one crowd grounding = {{}}")
        if not grounded:
            for _, (grounding,) in world.query(Grounding):
                grounding.weight_parameter = -1
                grounding.weight[:] = 0
        return measure_feet(world, options.frames)


def _print(options: FeetOptions, grounded: dict[str, Any], plain: dict[str, Any]) -> None:
    from rich.table import Table

    from ecs_anim.support.console import Console

    table = Table(
        title=f"{options.scene}: feet of {grounded['crowd']!r}, {options.frames} frames", title_justify="left"
    )
    table.add_column("measure")
    table.add_column("grounded", justify="right")
    table.add_column("ungrounded", justify="right")
    for key, (label, form) in ROWS.items():
        table.add_row(label, *("-" if row[key] is None else form.format(row[key]) for row in (grounded, plain)))
    Console().print(table)
