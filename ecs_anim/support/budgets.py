"""Budgets: how much a scene, a model or an option may ask for, told before anything is made of it.

Each has a default that no sensible scene comes near, and an environment variable that raises it. `docs/limits.md`
lists them all.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass

from ecs_anim.support.errors import InputError
from ecs_anim.support.memory import available_bytes

LITTLE = 1 << 26  # bytes; smaller requests need no look at the free memory


@dataclass(frozen=True)
class Budget:
    """The most of one thing."""

    most: int
    unit: str  # what is counted


BUDGETS: Mapping[str, Budget] = {  # each with what one of them costs
    "memory": Budget(64_000_000_000, "bytes"),  # whatever is made at once; less where less is free
    "actors": Budget(10_000_000, "actors"),  # a kilobyte or more each, of all crowds together
    "crowds": Budget(1_000, "crowds"),  # milliseconds each to load and to draw, a tenth of one in each step
    "threads": Budget(1_024, "threads"),  # a stack and a workspace each
    "pixels": Budget(1 << 28, "pixels"),  # 40 bytes each while they are drawn
    "pictures": Budget(100_000, "pictures"),  # a file or a frame of video each; names have five digits
    "captures": Budget(1_000_000, "captures"),  # of a data set, each of all its cameras; names have six digits
    "steps": Budget(1_000_000_000, "steps"),  # of a run, a film or a jump: six months at 60 a second
    "rigs": Budget(200, "rigs"),  # tenths of a second each to load and measure
    "layers": Budget(256, "layers"),  # a pass over all actors of the crowd each
    "transitions": Budget(2_000, "transitions"),  # each looked at by every actor in every step
    "blend_spaces": Budget(100, "blend spaces"),  # a second each to measure; what crowds of a rig share counts once
    "variants": Budget(1_000, "images"),  # of one size, all in one texture
    "stands": Budget(10_000, "rows of sections"),  # milliseconds each
    "cues": Budget(20_000, "cues"),  # each looked at in every step, each section of a sweep counted
    "firings": Budget(10_000, "firings a step"),  # tens of microseconds each, by cues of the timeline, crowd by crowd
    "scene_bytes": Budget(4_000_000, "bytes of scene file"),  # a second of reading for each million
    "heights": Budget(1 << 21, "heights"),  # corners of a height field's cells
    "plan_bytes": Budget(1 << 26, "bytes of plan"),  # of walls, as text; a tenth of a microsecond each
    "plan_pixels": Budget(1 << 24, "pixels of a plan"),  # 4096 x 4096, 20 bytes each while walls are traced
    "wall_runs": Budget(1 << 17, "runs of wall pixels"),  # of all rows; a tenth of a millisecond each to join
    "wall_corners": Budget(1 << 16, "corners of walls"),  # seconds in all to fill tops and grid
    "route_cells": Budget(1 << 24, "cells of routes"),  # of all fields together: 12 bytes and 3 microseconds each
    "joints": Budget(10_000, "joints"),  # 48 bytes an actor, and a traversal in every step
    "vertices": Budget(20_000_000, "vertices and corners"),  # a microsecond each to weld, every copy of a mesh counted
    "meshes": Budget(20_000, "meshes"),  # a draw call each, every copy and level of detail counted
    "morph_bytes": Budget(1 << 30, "bytes of morph targets"),  # 24 a vertex and target, every copy counted
    "row_bytes": Budget(1 << 30, "bytes of rows"),  # of all clips of a table or a bake, resampled
    "copies": Budget(1 << 22, "vertices in copies"),  # of EXT_mesh_gpu_instancing, which become one mesh
    "model_bytes": Budget(1 << 30, "bytes of model"),  # a file, or all buffers of a model together
    "json_bytes": Budget(1 << 26, "bytes of JSON"),  # of a model, tenths of a microsecond each
    "picture_bytes": Budget(1 << 28, "bytes of picture"),
    "picture_pixels": Budget(1 << 26, "pixels in a picture"),  # 8192 x 8192: more is no texture
    "pictures_pixels": Budget(1 << 28, "pixels in all pictures"),  # of a scene, or of a model by itself: 1 GiB
    "bake_bytes": Budget(1 << 30, "bytes of bake"),
    "snapshot_bytes": Budget(1 << 32, "bytes of snapshot"),
    "trajectory_bytes": Budget(1 << 40, "bytes of trajectories"),  # read a window of time at a time
    "trajectory_people": Budget(10_000_000, "people"),  # of a file of trajectories: 32 bytes of its index each
    "row_density": Budget(16, "rows for each byte"),  # of a file of trajectories: real ones have fewer than one
    "chunk_bytes": Budget(1 << 26, "bytes of chunk"),  # of an HDF5 file, which is decoded as a whole
    "motion_bytes": Budget(1 << 28, "bytes of motion"),  # of a BVH file, half a microsecond each
    "walls_bytes": Budget(1 << 24, "bytes of walls"),  # of a file of them
    "module_bytes": Budget(1 << 24, "bytes of module"),
    "baseline_bytes": Budget(1 << 24, "bytes of baseline"),
}


def limit(name: str) -> int:
    """The most that a budget allows. Raises InputError where its environment variable holds no positive integer."""
    text = os.environ.get(variable(name))
    if text is None:
        return BUDGETS[name].most
    try:
        most = int(text)
    except ValueError:
        most = 0
    if most < 1:
        raise InputError(f"{variable(name)}: must be a positive integer such as {BUDGETS[name].most} (got {text!r})")
    return most


def variable(name: str) -> str:
    """The environment variable that says another limit."""
    return f"ECS_ANIM_LIMIT_{name.upper()}"


def excess(name: str, asked: int, advice: str) -> str | None:
    """Why so much is too much, and what to do: for the caller's own error; None where it is within the budget."""
    most = limit(name)
    if asked <= most:
        return None
    fix = f"{_sentence(advice)}, or raise {variable(name)}"
    return f"{_counted(asked)} {BUDGETS[name].unit}, but the limit is {most:,}. {fix}"


def require(name: str, asked: int, asker: str, advice: str) -> None:
    """Raise InputError for more than the budget allows; `asker` names the object that needs the amount."""
    if text := excess(name, asked, advice):
        raise InputError(f"{asker}: {text}")


class Spending:
    """A budget that is spent bit by bit."""

    def __init__(self, name: str, advice: str) -> None:
        self._name, self._advice, self._spent = name, advice, 0

    def excess(self, more: int) -> str | None:
        """Spend some of it: as `excess`, of all that is spent so far."""
        self._spent += more
        return excess(self._name, self._spent, self._advice)


def memory_excess(needed: int, advice: str) -> str | None:
    """`excess` of the memory that something is about to take [bytes], of what is free as well."""
    if needed < LITTLE:
        return None
    free, most = available_bytes(), limit("memory")
    if needed <= min(most, needed if free is None else free):
        return None
    if free is not None and free <= most:
        return f"{_size(needed)} of memory, but only {_size(free)} are free. {_sentence(advice)}"
    return (
        f"{_size(needed)} of memory, but the limit is {_size(most)}. {_sentence(advice)}, or raise {variable('memory')}"
    )


def _sentence(advice: str) -> str:
    return advice[:1].upper() + advice[1:]


def _counted(count: int) -> str:
    return f"{count:,}" if count < 10**15 else "over 10^15"


def _size(count: int) -> str:
    return f"{count / 1e9:,.2g} GB" if count < 10**15 else "over a million GB"
