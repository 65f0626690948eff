"""Description of meshes, materials and images for the page."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from PIL import Image

from ecs_anim.assets.figures import MeshFigures
from ecs_anim.assets.influences import limit_influences
from ecs_anim.assets.mesh import SET, Mesh, Texture
from ecs_anim.assets.morphs import MeshMorphs
from ecs_anim.assets.rig import Rig
from ecs_anim.assets.skinning import Method
from ecs_anim.gl.device.closed import is_closed
from ecs_anim.gl.model.model import MeshVariant
from ecs_anim.gl.model.vertices import packed_normals, packed_shares
from ecs_anim.sharing.pool import Pool
from ecs_anim.support.pictures import png_bytes

Table = dict[str, Any]
PREVIEW = 32  # [pixel], largest width and height of the images for the first picture of software renderers


class Models:
    """Collector of models and images. Crowds with the same rig share their models, and meshes share equal images."""

    def __init__(self, pool: Pool, files: Pool) -> None:
        self.models: list[list[list[Table]]] = []  # [model][level][mesh]
        self.images: list[Table] = []
        self._pool, self._files = pool, files  # arrays of meshes, and files of images
        self._numbers: dict[object, int] = {}
        # by the address of the texture; the texture is also stored, so that no other object gets this address
        self._image_numbers: dict[int, tuple[int, Texture]] = {}

    def of_rig(self, rig: Rig, method: Method, finest: int = 0) -> int:
        """Add all levels of detail of a rig from the level `finest`. Return the number of the model."""
        levels = range(min(finest, rig.level_count - 1), rig.level_count)
        return self.of_levels((rig, finest), [rig.level(level) for level in levels], method)

    def of_levels(self, key: object, levels: Sequence[Sequence[Mesh]], method: Method) -> int:
        """Add a model with these levels of detail. Return the number of the model.

        Calls with equal keys share one model.
        """
        if (key, method) not in self._numbers:
            self.models.append([[self._mesh(mesh, method) for mesh in meshes] for meshes in levels])
            self._numbers[key, method] = len(self.models) - 1
        return self._numbers[key, method]

    def image(self, texture: Texture | None) -> int | None:
        """Add a texture. Return the number of its image. If `texture` is None, return None."""
        if texture is None:
            return None
        if id(texture) not in self._image_numbers:
            layers = texture.pixels if texture.variant_count else texture.pixels[None]
            self.images.append(
                {
                    "layers": [self._files.file(_picture(layer)) for layer in layers],
                    "previews": [self._files.file(_picture(_preview(layer))) for layer in layers],
                    "repeat": texture.repeat,
                    "array": bool(texture.variant_count),
                }
            )
            self._image_numbers[id(texture)] = len(self.images) - 1, texture
        return self._image_numbers[id(texture)][0]

    def _mesh(self, mesh: Mesh, method: Method) -> Table:
        if mesh.weights.shape[1] > SET:  # WebGL 2 has no arrays of vertex attributes
            mesh = limit_influences(mesh, SET)
        material, variant = mesh.material, MeshVariant.of(mesh).skinned(method)
        is_shut = material.alpha_cutoff is None and is_closed(mesh)
        return {
            "defines": [*variant.defines, "PLAYED"],
            "caster": _caster_defines(mesh, variant, is_closed=is_shut),
            "is_culled": not (variant.double_sided or variant.mirrors),
            "is_closed": is_shut,
            "is_mirrored": variant.mirrors,
            "base_color": material.base_color,
            "alpha_cutoff": material.alpha_cutoff,
            "emissive": material.emissive,
            "image": self.image(material.texture),
            "emissive_image": self.image(material.emissive_texture) if variant.glows else None,
            "vertex_count": mesh.vertex_count,
            "columns": self._columns(mesh),
            "indices": self._pool.array(mesh.indices.astype(np.uint16 if mesh.vertex_count < 65536 else np.uint32)),
            **self._shapes(mesh),
        }

    def _columns(self, mesh: Mesh) -> Table:
        """Describe the vertex attributes. The influence with the largest weight comes first."""
        order = np.argsort(-mesh.weights, axis=1, kind="stable")
        weights = packed_shares(np.take_along_axis(mesh.weights, order, axis=1))
        indices = np.take_along_axis(mesh.palette_indices, order, axis=1)
        columns: dict[str, np.ndarray] = {
            "normal": packed_normals(mesh.normals),
            "palette_indices": indices.astype(np.uint8) if indices.max(initial=0) < 256 else indices,
            "weights": weights,
        }
        if mesh.material.has_pictures:
            columns["uv"] = mesh.uvs.astype(np.float32)
        if mesh.colors is not None:
            columns["color"] = packed_shares(mesh.colors)
        described = {name: self._pool.array(column) for name, column in columns.items()}
        return {"position": self._pool.quantised(mesh.positions), **described}

    def _shapes(self, mesh: Mesh) -> Table:
        own: Table = {}
        if mesh.figures is not None:
            own["figures"] = self._deltas(mesh.figures)
        if mesh.morphs is not None:
            own["morphs"] = self._deltas(mesh.morphs) | {"first": mesh.morphs.first}
        return own

    def _deltas(self, shapes: MeshMorphs | MeshFigures) -> Table:
        moves, turns = (self._pool.quantised(own) for own in (shapes.positions, shapes.normals))
        return {"count": len(shapes.positions), "positions": moves, "normals": turns}


def _caster_defines(mesh: Mesh, variant: MeshVariant, *, is_closed: bool) -> list[str] | None:
    """Return the preprocessor defines with which a mesh is drawn on the shadow map. For a completely transparent mesh,
    return None.
    """
    material = mesh.material
    has_holes = variant.blended or (variant.cutout and (material.texture is not None or variant.colored))
    if not has_holes and material.base_color[3] < (material.alpha_cutoff or 0.0):
        return None
    hole = "BLENDED" if variant.blended else "CUTOUT"
    holes = (*variant.color_defines, hole) if has_holes else ()
    back = ("KEEPS_BACK",) if is_closed and variant.mirrors else ()
    return [*variant.skin_defines, *holes, *back, "PLAYED", "CLAMPED_DEPTH"]


def _picture(pixels: np.ndarray) -> bytes:
    """Return a PNG file with the pixels [height, width, 4]. Without transparency, the file has no alpha channel."""
    return png_bytes(pixels if (pixels[..., 3] < 255).any() else np.ascontiguousarray(pixels[..., :3]))


def _preview(pixels: np.ndarray) -> np.ndarray:
    """Return the pixels [height, width, 4] with at most `PREVIEW` pixels per side."""
    image = Image.fromarray(pixels)
    image.thumbnail((PREVIEW, PREVIEW), Image.Resampling.BOX)
    return np.asarray(image)
