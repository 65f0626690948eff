"""Budgets: limits for the amounts that scenes, models or options request.

The program checks each limit before it allocates memory.

The default limits are far above the needs of practical scenes. An environment variable can change each limit.
`docs/limits.md` lists all budgets.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass

from ecs_anim.support.errors import InputError
from ecs_anim.support.memory import available_bytes

LITTLE = 1 << 26  # [byte]; for smaller requests, the program does not check the free memory


@dataclass(frozen=True)
class Budget:
    """A default limit for one amount, such as the number of actors, and the unit of this amount."""

    most: int
    unit: str  # name of the amount in messages


BUDGETS: Mapping[str, Budget] = {  # comments state the scope of the limit and the cost of one unit
    "memory": Budget(64_000_000_000, "bytes"),  # of one allocation; the free memory is a limit too
    "actors": Budget(10_000_000, "actors"),  # of all crowds; each takes a kilobyte or more
    "crowds": Budget(1_000, "crowds"),  # each takes milliseconds to load and to draw, and 0.1 ms in a time step
    "props": Budget(1_000_000, "props"),  # of all tables; each takes 100 bytes, and 0.1 us in each picture
    "prop_tables": Budget(1_000, "tables of props"),  # each takes milliseconds to load and to draw
    "threads": Budget(1_024, "threads"),  # each has a stack and a workspace
    "pixels": Budget(1 << 28, "pixels"),  # each takes 40 bytes during drawing
    "pictures": Budget(100_000, "pictures"),  # each is a file or a frame of video; names have five digits
    "captures": Budget(1_000_000, "captures"),  # of a data set, each with all cameras; names have six digits
    "steps": Budget(1_000_000_000, "steps"),  # of a run, a film or a jump: six months at 60 steps per second
    "samples": Budget(10_000, "samples"),  # of a shared page: 11 minutes with 15 samples per second
    "rigs": Budget(200, "rigs"),  # each takes tenths of a second to load and to measure
    "layers": Budget(256, "layers"),  # each processes all actors of the crowd
    "transitions": Budget(2_000, "transitions"),  # each actor tests each transition in each time step
    "blend_spaces": Budget(100, "blend spaces"),  # each takes a second to measure; crowds of a rig share equal spaces
    "variants": Budget(1_000, "images"),  # of equal size, all in one texture
    "stands": Budget(10_000, "rows of sections"),  # each takes milliseconds
    "cues": Budget(20_000, "cues"),  # each is tested in each time step; each section of a sweep is one cue
    "firings": Budget(10_000, "firings a step"),  # of cues of the timeline; each takes tens of microseconds per crowd
    "scene_bytes": Budget(4_000_000, "bytes of scene file"),  # reading a million bytes takes a second
    "heights": Budget(1 << 21, "heights"),  # corners of the cells of a height field
    "plan_bytes": Budget(1 << 26, "bytes of plan"),  # of a text file of walls; each takes 0.1 us
    "plan_pixels": Budget(1 << 24, "pixels of a plan"),  # 4096 x 4096; each takes 20 bytes during the tracing of walls
    "wall_runs": Budget(1 << 17, "runs of wall pixels"),  # of all rows; each takes 0.1 ms to join
    "wall_corners": Budget(1 << 16, "corners of walls"),  # all together take seconds for tops of walls and wall grid
    "route_cells": Budget(1 << 24, "cells of routes"),  # of all fields; each takes 12 bytes and 3 us
    "joints": Budget(10_000, "joints"),  # each takes 48 bytes per actor, and computing time in each time step
    "vertices": Budget(20_000_000, "vertices and corners"),  # of all copies of meshes; each takes 1 us to weld
    "meshes": Budget(20_000, "meshes"),  # of all copies and levels of detail; each is a draw call
    "morph_bytes": Budget(1 << 30, "bytes of morph targets"),  # of all copies; 24 bytes for each vertex and target
    "row_bytes": Budget(1 << 30, "bytes of rows"),  # of all resampled clips of a table or a bake
    "copies": Budget(1 << 22, "vertices in copies"),  # of EXT_mesh_gpu_instancing; all copies become one mesh
    "model_bytes": Budget(1 << 30, "bytes of model"),  # of a file, or of all buffers of a model
    "json_bytes": Budget(1 << 26, "bytes of JSON"),  # of a model; each takes tenths of a microsecond
    "picture_bytes": Budget(1 << 28, "bytes of picture"),
    "picture_pixels": Budget(1 << 26, "pixels in a picture"),  # 8192 x 8192, the largest texture
    "pictures_pixels": Budget(1 << 28, "pixels in all pictures"),  # of a scene, or of a separate model: 1 GiB
    "bake_bytes": Budget(1 << 30, "bytes of bake"),
    "snapshot_bytes": Budget(1 << 32, "bytes of snapshot"),
    "trajectory_bytes": Budget(1 << 40, "bytes of trajectories"),  # read in windows of time
    "trajectory_people": Budget(10_000_000, "people"),  # of a file of trajectories; each takes 32 bytes in its index
    "row_density": Budget(16, "rows for each byte"),  # of a file of trajectories; real files have less than 1
    "chunk_bytes": Budget(1 << 26, "bytes of chunk"),  # of an HDF5 file; a chunk is decoded as a whole
    "motion_bytes": Budget(1 << 28, "bytes of motion"),  # of a motion file; each takes half a microsecond
    "walls_bytes": Budget(1 << 24, "bytes of walls"),  # of a file of walls
    "module_bytes": Budget(1 << 24, "bytes of module"),
    "baseline_bytes": Budget(1 << 24, "bytes of baseline"),
}


def limit(name: str) -> int:
    """Return the limit of a budget.

    Raises InputError if the environment variable of the budget is not a positive integer.
    """
    text = os.environ.get(variable(name))
    if text is None:
        return BUDGETS[name].most
    try:
        most = int(text)
    except ValueError:
        most = 0
    if most < 1:
        raise InputError(
            f"{variable(name)}: the value must be a positive integer such as {BUDGETS[name].most} (got {text!r})"
        )
    return most


def variable(name: str) -> str:
    """Return the name of the environment variable for the limit of a budget."""
    return f"ECS_ANIM_LIMIT_{name.upper()}"


def excess(name: str, asked: int, advice: str) -> str | None:
    """If the amount `asked` exceeds the limit of the budget `name`, return a message with the problem and the fix.
    Otherwise, return None.
    """
    most = limit(name)
    if asked <= most:
        return None
    fix = f"{_sentence(advice)}, or raise {variable(name)}"
    return f"{_counted(asked)} {BUDGETS[name].unit}, but the limit is {most:,}. {fix}"


def require(name: str, asked: int, asker: str, advice: str) -> None:
    """Raise InputError if the amount `asked` exceeds the limit of the budget `name`.

    `asker` names the object that requests the amount.
    """
    if text := excess(name, asked, advice):
        raise InputError(f"{asker}: {text}")


class Spending:
    """The sum of several requests that share a limit."""

    def __init__(self, name: str, advice: str) -> None:
        self._name, self._advice, self._spent = name, advice, 0

    def excess(self, more: int) -> str | None:
        """Add `more` to the sum of the requests.

        If the sum exceeds the limit, return a message with the problem and the fix. Otherwise, return None.
        """
        self._spent += more
        return excess(self._name, self._spent, self._advice)


def memory_excess(needed: int, advice: str) -> str | None:
    """If `needed` [byte] exceeds the memory limit or the free memory, return a message. Otherwise, return None."""
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
