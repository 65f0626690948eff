"""Model-space matrices, and skin palettes made of them, for a chunk of actors."""

from numba import uint64

from ecs_anim.kernels import inlined, kernel
from ecs_anim.kernels.traversal import FRAME, first_frames, follow, put_matrices, read_channels
from ecs_anim.kernels.types import COUNT, FLOATS_2D, FLOATS_3D, INTS, OUT_3D, TRAVERSAL, void
from ecs_anim.kernels.vectors import multiply_affine
from ecs_anim.simd import load, rows_from


@inlined
def _frame_row(frames, at):
    """A row of eight frames."""
    return load(frames, at), load(frames, at + 8), load(frames, at + 16), load(frames, at + 24)


@kernel(void(TRAVERSAL, COUNT, FLOATS_2D, OUT_3D))
def model_matrices(traversal, actor_count, pose, out_model):
    """Model-space matrices of a chunk of pose rows.

    traversal: the `TraversalArrays` of all joints; pose [>= actor_count, row_width];
    out_model [>= actor_count, joint_count, 12].
    """
    moving, channel_rows, joint_count = traversal.moving, traversal.channel_rows, out_model.shape[1]
    channels = traversal.rest.copy()
    frames = first_frames(joint_count, traversal.fixed, channels)
    out = out_model.reshape(-1)
    for first in range(0, actor_count, 8):
        rows = rows_from(first, actor_count)
        read_channels(pose, rows * pose.shape[1], channel_rows, channels)
        follow(moving, channels, frames)
        for joint in range(joint_count):
            at = FRAME * joint
            x, y, z = _frame_row(frames, at), _frame_row(frames, at + 32), _frame_row(frames, at + 64)
            put_matrices(out, rows * (12 * joint_count), 12 * joint, x, y, z)


@kernel(void(INTS, FLOATS_2D, FLOATS_3D, OUT_3D))
def skin_palettes(skin_joints, inverse_bind, model, out_palette):
    """Skin matrices of a chunk: each palette entry's joint matrix times its inverse bind matrix.

    skin_joints [palette_count]; inverse_bind [palette_count, 12]; model [>= chunk, joint_count, 12];
    out_palette [chunk, palette_count, 12] f32.
    """
    for actor in range(out_palette.shape[0]):
        source, out = model[actor], out_palette[actor]
        for entry in range(skin_joints.shape[0]):
            e = uint64(entry)
            multiply_affine(source, uint64(skin_joints[e]), inverse_bind, e, out, e)
