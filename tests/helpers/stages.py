"""Stages of poses. They run on model matrices for one actor after the other, or on pose rows block by block."""

import numpy as np

from ecs_anim.kernels.frames import read_models, write_models
from ecs_anim.kernels.palettes import build_model_matrices, write_palettes
from ecs_anim.kernels.stages import EIGHT, Blocks, StageMemory, in_order, list_by_kind, run_blocks
from ecs_anim.systems.stages import MATRIX, BlockRoom, Stage


def eights(slots, joint_count):
    """Return memory for the matrices of `slots` slots in groups of eight. All values begin as 7."""
    return np.full((slots // EIGHT, (joint_count + 1) * MATRIX * EIGHT), 7, np.float32)


def listed(kinds):
    """Return the rows of actors in the order of their kinds, without unused memory, and the lists of each kind."""
    rows = np.full(len(kinds) + EIGHT * len(np.unique(kinds)), -1)
    lists = list_by_kind(kinds, rows)
    rows = rows[: -(-max([0, *lists[:, 2]]) // EIGHT) * EIGHT]
    rows.flags.writeable = False
    return rows, lists


def run_stages(model, *stages):
    """Run stages on actors. Return new model matrices [chunk, joint, 12]; `model` does not change."""
    conditions = [0 if own.actors is None else 1 << number for number, own in enumerate(stages)]
    kinds = np.zeros(len(model), np.int64)
    for own, condition in zip(stages, conditions, strict=True):
        if own.actors is not None:
            kinds[own.actors] |= condition
    rows, lists = listed(kinds) if any(conditions) else in_order(len(model))
    frames = eights(len(rows), model.shape[1])
    read_models(model, rows, frames)
    bound = [(own.kernel, (Blocks(frames, rows, True), *own.arguments)) for own in stages]
    run_blocks(bound, conditions, lists, StageMemory(), apart=True)
    out = np.full_like(model, np.nan)
    write_models(frames, rows, out)
    return out


def building(traversal, pose):
    """Return the stage that builds model matrices from pose rows."""
    channels, begun = np.empty(traversal.rest.size, np.float32), np.zeros(1, np.int32)
    return Stage(build_model_matrices, (traversal, pose, channels, begun))


def writing(joints, inverse_bind, palettes, palette_rows=None, *, streamed=False):
    """Return the stage that writes palettes [row, entry, 12]. By default, row k belongs to actor k."""
    rows = np.arange(len(palettes)) if palette_rows is None else palette_rows
    piece = np.empty(8 * palettes.shape[1] * 12, np.float32)
    matrices = palettes.reshape(*palettes.shape[:2], 3, 4)
    return Stage(write_palettes, (joints, inverse_bind, np.int32(rows), streamed, matrices, piece))


def run_blockwise(actor_count, joint_count, *stages, keeps=False):
    """Run stages on actors. The first stage builds the matrices. Return the memory that the stages used.

    With `keeps`, the memory contains the matrices of all blocks. Otherwise it contains those of one block.
    """
    room = BlockRoom()
    room.begin(actor_count, joint_count)
    room.run(stages, keeps=keeps)
    return room
