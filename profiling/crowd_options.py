"""Speed and errors of all methods that can draw a baked crowd. The methods draw the same scene alternately."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.hierarchy import skin_palette
from ecs_anim.assets.influences import limit_influences
from ecs_anim.assets.rig import Rig
from ecs_anim.assets.skinning import skin_linear
from ecs_anim.bake.options import BODY
from ecs_anim.bake.row_span import RowSpan
from ecs_anim.components.baked import Baked
from ecs_anim.components.character import Character
from ecs_anim.ecs.world import World
from ecs_anim.profiling.apart import apart_of, share_apart
from ecs_anim.profiling.canvas import Stand, open_canvas
from ecs_anim.profiling.table import print_rows
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.crowds import CrowdModel, plain_keys
from ecs_anim.scenes.loader import SceneFile
from ecs_anim.scenes.scene_key import SceneKey
from ecs_anim.scenes.schema_bake import BakeModel
from ecs_anim.support.progress import frames_with_progress

POSES = 40  # number of times per clip at which the skinned meshes are compared
BASE, FLOOR, FULL = "baked", "classic shader", "full pipeline"


@dataclass(frozen=True)
class Option:
    """One method for drawing the crowds of a scene."""

    name: str
    path: str = "baked"
    bake: Mapping[str, Any] = field(default_factory=dict)  # scene keys of [crowds.bake]
    level: str | None = None  # level of detail; None = the finest level, which the baseline uses


OPTIONS = (
    Option(FULL, path="pose"),
    Option(FLOOR, bake={"space": "model", "shader": "classic"}),
    Option(BASE),
    Option("model space", bake={"space": "model"}),
    Option("16-bit floats", bake={"format": "f16"}),
    Option("8-bit numbers", bake={"format": "u8"}),
    Option("rotations only", bake={"rotation_only": True}),
    Option("nearest row", bake={"interpolate": False}),
    Option("two influences", bake={"influences": 2}),
    Option("one influence", bake={"influences": 1}),
    Option("levels of detail", level="auto"),
)


@dataclass(frozen=True)
class OptionFigures:
    """Speed and errors of one method."""

    name: str
    frame_ms: float  # median time of a time step with its picture
    gain: float  # time of the classic shader divided by the time of this method; median over the rounds
    bake_mb: float | None  # memory of all bakes; None = the method uses no bake
    skin_mm: float | None  # largest position error of a vertex of the finest mesh, on a body of 1.8 m
    skin_mean_mm: float | None
    other_pixels: float  # share of pixels that differ from the picture of the full pipeline by more than 8 of 255


def compare_options(
    scene: SceneFile,
    *,
    actors: int | None,
    seed: int | None,
    threads: int | None,
    rounds: int,
    size: tuple[int, int],
    options: Sequence[Option] = OPTIONS,
) -> list[OptionFigures]:
    """Draw one scene with all methods. Return the measured figures of each method.

    All methods run alternately in one OpenGL context. `options` must contain the full pipeline and the classic shader.
    After the last round, the function compares the pictures. Raises InputError if the scene has no crowd that can be
    baked.
    """
    with open_canvas(size) as canvas:
        stands = [
            Stand(canvas, load_scene(with_option(scene, option), actors=actors, seed=seed, threads=threads))
            for option in options
        ]
        for stand in stands:
            stand.draw()  # this first picture compiles the shaders and uploads the data
        spent = np.array([[_frame_ms(own) for own in stands] for _ in frames_with_progress(rounds, "comparing")])
        pictures = [stand.picture() for stand in stands]
        names = [option.name for option in options]
        full, floor = pictures[names.index(FULL)], spent[:, names.index(FLOOR)]
        return [
            _figures(name, stand.world, own, floor, share_apart(apart_of(picture, full)))
            for name, stand, own, picture in zip(names, stands, spent.T, pictures, strict=True)
        ]


def with_option(scene: SceneFile, option: Option) -> SceneFile:
    """Return a copy of the scene whose baked and hybrid crowds use `option`.

    If the scene has no baked and no hybrid crowd, all crowds use `option`.

    The function removes settings that only the CPU supports, so that all methods draw the same pictures.
    """
    crowds = scene.model.crowds
    chosen = (
        [crowd.path != "pose" for crowd in crowds] if any(c.path != "pose" for c in crowds) else [True] * len(crowds)
    )
    changed = [
        _with(crowd, option, SceneKey(scene.label, f"crowds[{k}]")) if is_chosen else crowd
        for k, (crowd, is_chosen) in enumerate(zip(crowds, chosen, strict=True))
    ]
    return replace(scene, model=scene.model.model_copy(update={"crowds": changed}))


def _with(crowd: CrowdModel, option: Option, key: SceneKey) -> CrowdModel:
    if crowd.blend_spaces:
        text = "a bake cannot contain blend spaces. Use a scene with crowds that play clips, such as march"
        raise (key / ".blend_spaces").fault(text)
    keys = {"path": option.path, "near_actors": None, "detail": crowd.detail if option.level else None}
    own = (crowd.bake or BakeModel()).model_dump(include={"rate", "error_mm"})
    bake = BakeModel(**(own | dict(option.bake))) if option.path == "baked" else None
    return crowd.model_copy(update=plain_keys() | keys | {"bake": bake, "level": option.level or 0})


def _frame_ms(stand: Stand) -> float:
    begin = perf_counter()
    stand.frame()
    return 1e3 * (perf_counter() - begin)


def _figures(
    name: str, world: World, spent: NDArray[np.float64], floor: NDArray[np.float64], other_pixels: float
) -> OptionFigures:
    errors = [skin_error(character.rig, baked) for _, (character, baked) in world.query(Character, Baked)]
    bakes = {baked.bake.content: baked.bake.nbytes for _, (baked,) in world.query(Baked)}
    return OptionFigures(
        name=name,
        frame_ms=float(np.median(spent)),
        gain=float(np.median(floor / spent)),
        bake_mb=sum(bakes.values()) / 1e6 if bakes else None,
        skin_mm=max((worst for worst, _ in errors), default=None),
        skin_mean_mm=max((mean for _, mean in errors), default=None),
        other_pixels=other_pixels,
    )


def skin_error(rig: Rig, baked: Baked) -> tuple[float, float]:
    """Return the largest and the mean error of the finest mesh [mm on a body of 1.8 m] at random times of the clips."""
    rng = np.random.default_rng(0)
    bake, scale = baked.bake, BODY / baked.bake.size
    worst, total, count = 0.0, 0.0, 0
    for number, clip in enumerate(bake.clips):
        span = clip.span
        times = span.start + rng.random(POSES) * span.duration
        shown = times if baked.interpolate else _row_times(span, times)
        exact = skin_palette(rig.skeleton, rig.clips[clip.name].sample(times, loop=False)).astype(np.float32)
        made = bake.palette(number, shown, loop=False)
        for mesh in rig.level(0):
            own = limit_influences(mesh, baked.influences) if baked.influences < 4 else mesh
            off = np.linalg.norm(skin_linear(own, made)[0] - skin_linear(mesh, exact)[0], axis=-1)
            worst, total, count = max(worst, float(off.max())), total + float(off.sum()), count + off.size
    return scale * worst, scale * total / max(count, 1)


def as_data(figures: Sequence[OptionFigures]) -> list[dict[str, Any]]:
    """Return the figures as plain data with rounded numbers."""
    return [
        {key: round(value, 4) if isinstance(value, float) else value for key, value in asdict(row).items()}
        for row in figures
    ]


def print_options(figures: Sequence[OptionFigures], title: str) -> None:
    """Print the figures as a table on standard output."""
    rows = []
    for row in figures:
        sizes = (_text(row.bake_mb, ".2f"), _text(row.skin_mm, ".2f"), _text(row.skin_mean_mm, ".3f"))
        rows.append(("", [row.name, f"{row.frame_ms:.1f}", f"x {row.gain:.2f}", *sizes, f"{row.other_pixels:.2%}"]))
    print_rows(title, ("option", "frame ms", "gain", "bake MB", "skin mm", "mean mm", "other pixels"), rows)


def _text(value: float | None, form: str) -> str:
    return "-" if value is None else format(value, form)


def _row_times(span: RowSpan, times: NDArray[np.float64]) -> NDArray[np.float64]:
    """For each time in `times`, return the time of the nearest row of the bake."""
    before, _, share = span.around(times, loop=False)
    return span.start + (before + (share >= 0.5)) / max(span.interval_count, 1) * span.duration
