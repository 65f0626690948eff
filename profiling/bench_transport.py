"""`python -m ecs_anim.profiling.bench_transport [MODEL...]`: what it costs to carry palettes to the vertex shader.

Each route and skinning method draws the same actors in turn, round by round, to the last pixel: medians, and medians of
the ratios to the first within a round. Nothing but the actors is drawn.
Stops where a route draws another picture than the texture buffer of 32 bits that ships (where it rounds: a picture
that differs in more than a few pixels). Conversion to fewer bits counts as part of the upload.
"""

import json
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter_ns

import click
import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets import dual_palette
from ecs_anim.assets.hierarchy import skin_palette
from ecs_anim.assets.rig import Rig
from ecs_anim.assets.skinning import METHODS, Method, rest_bounds
from ecs_anim.gl.device import api as gl
from ecs_anim.gl.device.context import Context, open_headless
from ecs_anim.gl.device.resource import Resource
from ecs_anim.gl.device.target import RenderTarget
from ecs_anim.gl.device.texture import TextureCache
from ecs_anim.gl.model.crowd import CrowdDraw
from ecs_anim.gl.model.frame import FrameBlock, frame_data
from ecs_anim.gl.model.model import ModelBuffers
from ecs_anim.gl.model.skinned import SkinnedPass
from ecs_anim.gl.model.stream import CrowdStream
from ecs_anim.gltf.load import load_rig
from ecs_anim.mannequin import PATH
from ecs_anim.profiling.transports import Route, routes
from ecs_anim.view.camera import OrbitCamera
from ecs_anim.view.style import Lighting, View

POSES = 61  # different ones; more actors repeat them
HEIGHT, SPACING = 1.7, 1.0  # [m]
SIZE = 512  # [pixel]
ROUNDING_PIXELS = 0.01  # share of the picture that rounding may change
UPLOADED = 10_000  # actors, where uploads are timed alone


@dataclass(frozen=True)
class Cast:
    """Actors to draw: where they stand and their palettes by each method."""

    rig: Rig
    instances: NDArray[np.float32]  # [actor_count, 12] f32
    palettes: dict[Method, NDArray[np.float32]]  # [actor_count, palette_count, 3 or 4, 4] f32

    def first(self, count: int) -> "Cast":
        """As many actors, repeated where there are fewer."""
        rows = np.arange(count) % len(self.instances)
        return Cast(self.rig, self.instances[rows], {key: values[rows] for key, values in self.palettes.items()})


class Stage(Resource):
    """A route with its own programs and buffers, and a crowd drawn by it."""

    def __init__(self, route: Route, method: Method, cast: Cast, context: Context) -> None:
        self.route = route
        self._stream = CrowdStream(route.max_texels)
        self._stream.palettes.free()
        self._stream.palettes = route.make(route.max_texels)
        self._textures = TextureCache(context.capabilities)
        self._model = ModelBuffers(cast.rig.level(0), self._textures)
        self._skinned = SkinnedPass("skinned.frag")
        with route.shaders():
            for mesh in self._model.meshes:
                self._skinned.prepare(mesh.variant.skinned(method))
        self.method: Method = method

    def crowd(self, cast: Cast) -> CrowdDraw:
        """The crowd as this route carries it."""
        palettes = cast.palettes[self.method]
        return CrowdDraw(self._model, cast.instances, palettes, skinning=self.method, palette_bits=self.route.bits)

    def upload(self, crowd: CrowdDraw) -> None:
        """Send everything and draw nothing."""
        for _ in crowd.shown(self._stream):
            pass

    def draw(self, crowd: CrowdDraw, target: RenderTarget) -> None:
        """The actors on black."""
        target.bind()
        gl.glClear(gl.GL_COLOR_BUFFER_BIT | gl.GL_DEPTH_BUFFER_BIT)
        gl.glEnable(gl.GL_DEPTH_TEST)
        gl.glEnable(gl.GL_CULL_FACE)
        for part in crowd.shown(self._stream):
            self._skinned.draw(part)
        target.resolve()

    def _release(self) -> None:
        for owned in (self._skinned, self._model, self._textures, self._stream):
            owned.free()


@click.command()
@click.argument("models", nargs=-1, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--actors", default=200, show_default=True)
@click.option("--rounds", default=41, show_default=True)
@click.option("--samples", default=1, show_default=True, help="Of a pixel.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def main(models: tuple[Path, ...], actors: int, rounds: int, samples: int, as_json: bool) -> None:
    """Draw the mannequin, and each MODEL, by every route this context has."""
    with open_headless() as context, RenderTarget(context, SIZE, SIZE, samples) as target, FrameBlock() as frame:
        frame.write(frame_data(_view(actors), Lighting(), None))
        casts = [new_cast(load_rig(path), actors) for path in (PATH, *models)]
        rows = [row for cast in casts for row in measure(cast, context, target, rounds)]
        renderer = context.capabilities.renderer
    found = {"renderer": renderer, "actors": actors, "size": [SIZE, SIZE], "samples": samples, "rounds": rounds}
    click.echo(json.dumps(found | {"rows": rows}) if as_json else table(found, rows))


def new_cast(rig: Rig, count: int) -> Cast:
    """A square block of actors in the poses of the rig's first clip."""
    clip = next(iter(rig.clips.values()))
    pose = clip.sample(np.linspace(clip.start, clip.end, POSES))
    linear = skin_palette(rig.skeleton, pose).astype(np.float32)
    dual = dual_palette.from_matrices(linear, rig.skeleton)
    order = np.random.default_rng(1).permutation(np.arange(count) % POSES)
    side = int(np.ceil(np.sqrt(count)))
    low, high = rest_bounds(rig)
    instances = np.zeros((count, 12), np.float32)
    instances[:, 0] = SPACING * (np.arange(count) % side - 0.5 * (side - 1))
    instances[:, 2] = SPACING * (np.arange(count) // side - 0.5 * (side - 1))
    instances[:, 3] = HEIGHT / (high - low)[1]
    instances[:, 7:] = 1
    return Cast(rig, instances, {"linear": linear[order], "dual_quaternion": dual[order]})


def measure(cast: Cast, context: Context, target: RenderTarget, rounds: int) -> list[dict[str, object]]:
    """A row for each method and route, all taking turns. Raises RuntimeError where one draws something else."""
    with ExitStack() as stack:
        ways = [(method, route) for method in METHODS for route in routes(context.capabilities)]
        stages = [stack.enter_context(Stage(route, method, cast, context)) for method, route in ways]
        for method in METHODS:
            _compare([stage for stage in stages if stage.method == method], cast, target)
        drawn = np.array([[_drawing(stage, cast, target) for stage in stages] for _ in range(rounds)])
        many = cast.first(UPLOADED)
        sent = np.array([[_uploading(stage, many) for stage in stages] for _ in range(rounds)])
    return [_row(stage, many, drawn, sent, column) for column, stage in enumerate(stages)]


def _row(
    stage: Stage, many: Cast, drawn: NDArray[np.float64], sent: NDArray[np.float64], column: int
) -> dict[str, object]:
    """What a stage took; drawn and sent [round, stage] in ms an actor."""
    size = many.palettes[stage.method].nbytes / UPLOADED / 1e6  # [MB] an actor
    return {
        "model": many.rig.name,
        "method": stage.method,
        "route": stage.route.name,
        "ms_per_1000": round(1000 * float(np.median(drawn[:, column])), 1),
        "ratio": round(float(np.median(drawn[:, column] / drawn[:, 0])), 2),
        "upload_mb_per_s": round(1000 * size / float(np.median(sent[:, column]))),
    }


def table(found: dict[str, object], rows: Sequence[dict[str, object]]) -> str:
    """Markdown, a table for each model: a line for each route, three numbers for each method."""
    lines = [f"{found['renderer']}, {found['actors']} actors, {SIZE} x {SIZE}, medians of {found['rounds']} rounds"]
    columns = [f"{method}: ms per 1,000 | ratio | upload, MB/s" for method in METHODS]
    for model in dict.fromkeys(row["model"] for row in rows):
        lines += ["", f"| {model} | {' | '.join(columns)} |", "| --- |" + 3 * len(METHODS) * " ---: |"]
        own = [row for row in rows if row["model"] == model]
        for route in dict.fromkeys(row["route"] for row in own):
            lines.append(f"| {route} | {' | '.join(_numbers(row) for row in own if row['route'] == route)} |")
    return "\n".join(lines)


def _numbers(row: dict[str, object]) -> str:
    return f"{row['ms_per_1000']:.0f} | {row['ratio']:.2f} | {row['upload_mb_per_s']:,}"


def _compare(stages: Sequence[Stage], cast: Cast, target: RenderTarget) -> None:
    pictures = []
    for stage in stages:
        stage.draw(stage.crowd(cast), target)
        pictures.append(target.read_pixels().astype(int))
    if pictures[0].std() < 5:
        raise RuntimeError("nothing was drawn")
    for stage, picture in zip(stages, pictures, strict=True):
        changed = (np.abs(picture - pictures[0]).max(axis=-1) > 2).mean()
        if changed > (0 if stage.route.exact else ROUNDING_PIXELS):
            raise RuntimeError(f"{stage.route.name} draws another picture: {changed:.2%} of its pixels differ")


def _drawing(stage: Stage, cast: Cast, target: RenderTarget) -> float:
    """Milliseconds an actor."""
    crowd = stage.crowd(cast)
    begin = perf_counter_ns()
    stage.draw(crowd, target)
    gl.glFinish()
    return (perf_counter_ns() - begin) / 1e6 / len(cast.instances)


def _uploading(stage: Stage, cast: Cast) -> float:
    """Milliseconds an actor."""
    crowd = stage.crowd(cast)
    begin = perf_counter_ns()
    stage.upload(crowd)
    gl.glFinish()
    return (perf_counter_ns() - begin) / 1e6 / len(cast.instances)


def _view(actors: int) -> View:
    """All of the block in the picture."""
    side = SPACING * np.sqrt(actors)
    return View.of(OrbitCamera(target=np.zeros(3, np.float32), distance=1.6 * side, elevation=0.6), 1.0)


if __name__ == "__main__":
    main()
