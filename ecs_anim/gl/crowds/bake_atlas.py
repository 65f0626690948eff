"""Upload of a bake to the GPU. The palette pass reads the uploaded data with shaders/bake.glsl."""

from typing import assert_never

from ecs_anim.bake.bake import Bake
from ecs_anim.bake.formats import is_ranged
from ecs_anim.bake.options import FormatName
from ecs_anim.gl.crowds.bake_tables import BakeTables
from ecs_anim.gl.device import api as gl
from ecs_anim.gl.device.capabilities import Capabilities
from ecs_anim.gl.device.program import Program
from ecs_anim.gl.device.resource import Resource
from ecs_anim.gl.device.texture_buffer import TextureBuffer
from ecs_anim.support.errors import InputError

# Texture units of the palette pass. The meshes use other texture units. The module pose_inputs.py defines the other
# units of the palette pass.
ROWS_UNIT, RANGES_UNIT, TABLES_UNIT, RIG_UNIT = 8, 9, 10, 11
UNITS = {"bake_rows": ROWS_UNIT, "bake_ranges": RANGES_UNIT, "bake_tables": TABLES_UNIT, "bake_rig": RIG_UNIT}
TEXELS: dict[FormatName, str] = {"f32": "GL_RGBA32F", "f16": "GL_RGBA16F", "u8": "GL_RGBA8"}


class BakeAtlas(Resource):
    """Texture buffers with the four arrays that `BakeTables` makes from a bake: rows, ranges, tables and rig."""

    def __init__(self, bake: Bake, capabilities: Capabilities) -> None:
        """Upload a bake. Raise InputError if the bake has more rows than the OpenGL implementation supports."""
        tables = BakeTables.of(bake)
        _check_size(bake, tables, capabilities.max_texture_buffer_size)
        self.bake = bake
        self.entry_count = bake.skeleton.palette_count
        self._counts = tables.rows.shape[1], len(bake.clips), bake.skeleton.joint_count, self.entry_count
        texel_format = getattr(gl, TEXELS[bake.options.number_format])
        self._textures: dict[int, TextureBuffer] = {}
        for unit, kind, array in (
            (ROWS_UNIT, texel_format, tables.rows),
            (RANGES_UNIT, None, tables.ranges),
            (TABLES_UNIT, gl.GL_RGBA32I, tables.tables),
            (RIG_UNIT, None, tables.rig),
        ):
            self._textures[unit] = self.keep(TextureBuffer(kind))
            self._textures[unit].write(array)

    @property
    def defines(self) -> tuple[str, ...]:
        """Return the preprocessor defines for shader programs that include shaders/bake.glsl."""
        options = self.bake.options
        ranged = ("RANGED",) if is_ranged(options.number_format) else ()
        match options.space:
            case "local":
                return ranged
            case "model":
                return ("MODEL_SPACE", *ranged)
            case _:
                assert_never(options.space)

    def bind(self, program: Program) -> None:
        """Bind the texture buffers of the bake for the current shader program `program`."""
        for uniform, unit in UNITS.items():
            program.set_int(uniform, unit)
        program.set_int("bake_counts", *self._counts)
        for unit, texture in self._textures.items():
            texture.bind(unit)


def _check_size(bake: Bake, tables: BakeTables, limit: int) -> None:
    row_count, lane_count, _ = tables.rows.shape
    needed = max(row_count * lane_count, tables.ranges.size // 4, len(tables.tables), len(tables.rig))
    if needed > limit:
        raise InputError(
            f"{bake.name}: the bake of {len(bake.clips)} clips needs {needed} texels, but this OpenGL allows at"
            f" most {limit}. Bake fewer clips, or use a lower rate or a larger error."
        )
