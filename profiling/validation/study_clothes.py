"""Count the skin that shows where clothes must cover it, in pictures of people from anny.

Run `python -m ecs_anim.profiling.validation.study_clothes`. The study draws the people of `ecs-anim people` from four
sides while they walk, sit and wave, with a height of 300 pixels. Clothes are green, and skin that clothes cover in the
rest pose is red. All other parts are blue. The share is the number of red pixels divided by the number of red and green
pixels.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from ecs_anim.anny.body_places import Places
from ecs_anim.anny.garments import inside
from ecs_anim.anny.model import Dressed, dressed_person, people_model
from ecs_anim.anny.outfits import Outfit, Skirt
from ecs_anim.anny.texels import PARTS, SIZE, texel_places
from ecs_anim.assets.rig import Rig
from ecs_anim.components.appearance import Appearance
from ecs_anim.ecs.world import World
from ecs_anim.gltf.load import load_rig
from ecs_anim.mannequin import PATH
from ecs_anim.scenes.build import load_scene
from ecs_anim.support.pictures import save_png
from ecs_anim.support.terminal import print_line
from ecs_anim.systems.rendering import Renderer
from ecs_anim.view.camera import CameraChange

CLIPS, PHASES = ("walk", "sit", "wave"), (0.0, 0.25, 0.5, 0.75)
HEADINGS = (-90.0, 0.0, 90.0, 180.0)  # [degrees]; the camera looks north
APART, ROWS_APART = 1.5, 100.0  # distance between people, and between the ends of rows of people [m]
IN_PICTURE = 10  # number of people in a picture
BODY = 300  # height of a person [pixel]
HEIGHT = 1.75  # of the rig [m]
FAR = 60.0  # distance of the camera [m]; such a picture has little perspective
SIZE_SHOWN = (IN_PICTURE * round(APART / HEIGHT * BODY), round(2.4 / HEIGHT * BODY))  # [pixel]
RED, GREEN, BLUE = (255, 0, 0, 0), (0, 255, 0, 0), (0, 0, 255, 0)  # the alpha channel is the strength of the tint
CLEAR = 3  # factor by which the brightest channel of a pixel must exceed the other channels

Counts = NDArray[np.int64]  # [2], pixels with covered skin, and pixels with clothes


@click.command()
@click.option("--count", default=100, show_default=True, help="Number of people.")
@click.option("--seed", default=1, show_default=True, help="Seed of the people.")
@click.option("--level", type=click.IntRange(0, 3), help="Draw this level of detail. Default: levels by distance.")
@click.option("--pictures", type=click.Path(path_type=Path), metavar="FOLDER", help="Also write the pictures.")
def main(count: int, seed: int, level: int | None, pictures: Path | None) -> None:
    """Count the skin that shows where clothes must cover it."""
    people = [dressed_person(np.random.default_rng([seed, number])) for number in range(count)]
    rig = _without_sizes(people_model(load_rig(PATH, name="people"), [_flat(own) for own in people]))
    found = np.zeros((len(CLIPS), count, 2), np.int64)
    for clip in range(len(CLIPS)):
        world = load_scene(_scene(CLIPS[clip], count, level), models={"people": rig})
        with world, Renderer(SIZE_SHOWN, samples=1) as renderer:
            _show_each(world)
            for row, first, picture in _pictures(world, renderer, count):
                for k, part in enumerate(np.split(picture, IN_PICTURE, axis=1)[: count - first]):
                    found[clip, first + k] += pixels(part)
                if pictures is not None:
                    save_png(pictures / f"{CLIPS[clip]}-{row:02}-{first:03}.png", picture)
    _report(rig, found)


def pixels(picture: NDArray[np.uint8]) -> Counts:
    """Return the numbers of red and of green pixels of a picture [height, width, 3]."""
    own = picture.astype(np.int64)
    return np.array([np.sum(own[..., k] > CLEAR * np.delete(own, k, axis=-1).max(axis=-1)) for k in (0, 1)])


def flat_texture(outfit: Outfit) -> NDArray[np.uint8]:
    """Return the texture [SIZE, SIZE, 4] of a person: green clothes, red skin under skirts and coats, blue others."""
    at, _ = texel_places()
    colors = np.tile(np.array(BLUE, np.uint8), (SIZE * SIZE, 1))
    if outfit.skirt is not None:
        colors[_under(outfit.skirt, at)] = RED
    for own in outfit.garments:
        colors[inside(own, at) > 0] = GREEN
    picture = colors.reshape(SIZE, SIZE, 4)
    left, right, top, bottom = (round(own * SIZE) for own in PARTS["skirt"])
    picture[top - 2 : bottom + 2, left - 2 : right + 2] = GREEN
    return picture


def _under(skirt: Skirt, at: Places) -> NDArray[np.bool_]:
    """Return whether a skirt or a coat covers places. The front of an open coat covers nothing."""
    y, z = at.points[:, 1], at.points[:, 2]
    found: NDArray[np.bool_] = (y > skirt.hem) & (y < skirt.top) & (at.arm < 0.5) & ((z < 0) | (not skirt.is_open))
    return found


def _flat(own: Dressed) -> Dressed:
    return replace(own, texture=flat_texture(own.outfit))


def _without_sizes(rig: Rig) -> Rig:
    return replace(rig, figures=tuple(replace(own, size=1.0) for own in rig.figures))


def _scene(clip: str, count: int, level: int | None) -> dict[str, Any]:
    crowds = [
        {
            "name": f"{row}",
            "rig": "body",
            "count": count,
            "layout": {"kind": "points", "points": [[_start(row, count) + k * APART, 0.0] for k in range(count)]},
            "heading_degrees": heading,
            "path": "pose",
            "clips": [{"name": clip, "phase": phase}],
            "level": "auto" if level is None else level,
        }
        for row, (heading, phase) in enumerate((h, p) for h in HEADINGS for p in PHASES)
    ]
    return {
        "rigs": {"body": {"model": "people", "height": HEIGHT}},
        "crowds": crowds,
        "light": {"fog": [1000.0, 2000.0]},
    }


def _start(row: int, count: int) -> float:
    """Return the position of the first person of a row [m]. All rows are in one line."""
    return row * (count * APART + ROWS_APART)


def _show_each(world: World) -> None:
    """Give each actor of a crowd its own figure."""
    for _, (appearance,) in world.query(Appearance):
        assert appearance.variant is not None
        appearance.variant[:] = np.arange(len(appearance.variant))


def _pictures(world: World, renderer: Renderer, count: int) -> Iterator[tuple[int, int, NDArray[np.uint8]]]:
    """Yield the row, the number of the first person, and a picture of a part of the row."""
    for row in range(len(HEADINGS) * len(PHASES)):
        for first in range(0, count, IN_PICTURE):
            middle = _start(row, count) + (first + (IN_PICTURE - 1) / 2) * APART
            camera: CameraChange = {
                "target": (middle, 1.0, 0.0),
                "distance": FAR,
                "azimuth_degrees": 180.0,
                "elevation_degrees": 0.0,
                "vertical_fov_degrees": float(np.degrees(2 * np.arctan(1.2 / FAR))),
            }
            yield row, first, renderer.render(world, camera)


def _report(rig: Rig, found: NDArray[np.int64]) -> None:
    for name, own in zip((*CLIPS, "all"), (*found.sum(axis=1), found.sum(axis=(0, 1))), strict=True):
        print_line(f"{name}: {own[0]} of {own.sum()} pixels of clothes show skin, {own[0] / max(own.sum(), 1):.3%}")
    each = found.sum(axis=0)
    shares = each[:, 0] / np.maximum(each.sum(axis=1), 1)
    for number in np.argsort(-shares)[:10]:
        if shares[number]:
            print_line(f"  {rig.figures[number].name}: {shares[number]:.2%}")


if __name__ == "__main__":
    main()
