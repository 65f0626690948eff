"""The functions that write a scene as one HTML file and read the motion of such a file."""

import base64
import binascii
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.world import World
from ecs_anim.sharing.build_page import build_page
from ecs_anim.sharing.container import read_container, write_container
from ecs_anim.sharing.filming import FilmedCrowd, filmed
from ecs_anim.sharing.looks import Looks
from ecs_anim.sharing.motion import SharedMotion
from ecs_anim.sharing.motion_parts import motion_sections
from ecs_anim.sharing.scene_sections import scene_sections
from ecs_anim.support.arguments import FLOAT_MAX, LARGEST, numbers, whole_numbers
from ecs_anim.support.budgets import require
from ecs_anim.support.checked import checked
from ecs_anim.support.errors import InputError
from ecs_anim.support.files import Kind, read_bytes
from ecs_anim.support.pictures import complete_file, require_writable
from ecs_anim.systems.queries import stage_of

SECONDS, FPS = 60.0, 15
SAMPLES = 4  # recorded samples of poses per picture; with fewer samples, fast footsteps would be inaccurate
FIGURES = ("bytes", "people", "seconds", "ankle_mm_mean", "ankle_mm_p95", "joint_mm_max")
BEGIN, END = b'id="payload">', b"</script>"
PAGE = Kind("shared page", "snapshot_bytes")


@dataclass(frozen=True)
class Shared:
    """The size of a shared file, and the errors of the motion in this file. An error is the distance from the exact
    position.
    """

    path: Path
    bytes: int
    people: int  # number of actors
    seconds: float
    ankle_mm_mean: float | None  # [mm]; None = no crowd has feet
    ankle_mm_p95: float | None  # [mm], 95th percentile
    joint_mm_max: float | None  # [mm], largest error of all joints; None = no actor was present
    root_mm_p95: float | None  # [mm], 95th percentile of the errors of actor positions

    def figures(self) -> dict[str, Any]:
        """Return the numbers that `ecs-anim share --json` prints."""
        return {name: getattr(self, name) for name in FIGURES}


@checked
def share(world: World, path: str | os.PathLike[str], *, seconds: float = SECONDS, fps: int = FPS) -> Shared:
    """Write the scene with the motion of all actors as one HTML file, which browsers play without a network.

        ea.share(ea.load_scene("plaza"), "plaza.html", seconds=60)

    The first picture shows the current state of the world. The world takes the steps of the next `seconds` seconds. The
    file has about `fps` pictures per second, with four samples of poses per picture. Actors that only play clips take
    little space: the file contains their clips and positions. All other actors take more space, because the file
    contains their poses. docs/share.md describes the content and the errors.

    Returns the size of the file and the errors of the motion. The file appears at `path` only when it is complete.
    Raises InputError for disk errors. Raises ValueError if `seconds` or `fps` is not a number above 0.
    """
    world.require_open()
    path, rate = Path(path), int(whole_numbers("fps", fps)[0])
    length = float(numbers("seconds", seconds, most=FLOAT_MAX))
    if length <= 0 or rate < 1:
        raise ValueError(
            f"seconds must be above 0, and fps must be 1 or more (got seconds = {length:g} and fps = {rate}). Set"
            " larger values."
        )
    require("samples", int(min(length * rate, LARGEST)), "seconds", "share a shorter time or fewer frames per second")
    require_share_file(path)
    start = world.time
    with filmed(world, length, SAMPLES * rate, path) as film:
        sections, meta = motion_sections(film.crowds, film.seconds)
        looks = [_looks(own) for own in film.crowds]
        scene = scene_sections(world, looks, film.surfaces, film.targets, film.tracks, start)
        data = write_container(sections | scene, meta)
        page = build_page(data, stage_of(world).title or path.stem)
        report = _report(path, len(page), film.crowds, SharedMotion.of(*read_container(data)))
    with complete_file(path) as file:
        file.write(page)
    return report


@checked
def open_share(path: str | os.PathLike[str]) -> SharedMotion:
    """Read the motion of a file of `ea.share`.

        motion = ea.open_share("plaza.html")
        moment = motion.crowds[0].at(12.5)
        moment.joints            # [actor, joint, 3] [m], world: x, height, z

    Raises InputError if the file is damaged or not a file of `ea.share`.
    """
    path = Path(path)
    data = read_bytes(path, PAGE)
    begin = data.find(BEGIN)
    if begin < 0:
        raise InputError(f"{path}: the file is not a page of `ecs-anim share`. Name a file that this command wrote.")
    try:
        text = data[begin + len(BEGIN) : data.index(END, begin)]
        return SharedMotion.of(*read_container(base64.b64decode(text, validate=True)))
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    except (binascii.Error, ValueError, KeyError, TypeError):
        raise InputError(f"{path}: the data of the page are damaged. Write the file again.") from None


def require_share_file(path: Path) -> None:
    """Raise InputError if a shared file cannot be written to `path`."""
    if path.suffix.lower() not in (".html", ".htm"):
        raise InputError(f"{path}: the file name must end in .html (got {path.suffix!r}). Change the file name.")
    require_writable(path)


def _looks(crowd: FilmedCrowd) -> Looks:
    tints = np.array([look.tint for look in crowd.looks], np.float32).reshape(-1, 4)
    variants = np.array([look.variant for look in crowd.looks], np.int32)
    return Looks(tints, variants, crowd.tints.paths(crowd.dt))


def _report(path: Path, size: int, crowds: Sequence[FilmedCrowd], motion: SharedMotion) -> Shared:
    """Compare the motion in the file with the exact joint positions that were recorded."""
    ankles, joints, roots = [np.zeros(0)], [np.zeros(0)], [np.zeros(0)]
    for crowd, decoded in zip(crowds, motion.crowds, strict=True):
        feet = crowd.ankles()
        for own in crowd.witnesses:
            moment = decoded.at(own.time)
            places = np.flatnonzero(np.isin(moment.actors, own.actors))
            there = np.isin(own.actors, moment.actors)
            apart = np.linalg.norm(moment.joints[places] - own.joints[there], axis=-1)
            joints.append(apart.reshape(-1))
            ankles.append(apart[:, feet].reshape(-1))
            roots.append(np.linalg.norm(moment.positions[places] - own.roots[there], axis=-1))
    every, foot, root = (1000 * np.concatenate(parts) for parts in (joints, ankles, roots))
    mean = _figure(np.mean, foot)
    p95, p95_root = (_figure(lambda values: np.percentile(values, 95), values) for values in (foot, root))
    people = sum(len(crowd.ids) for crowd in crowds)
    return Shared(path, size, people, motion.seconds, mean, p95, _figure(np.max, every), p95_root)


def _figure(measure: Any, values: NDArray[np.floating]) -> float | None:
    return round(float(measure(values)), 3) if len(values) else None
