"""Bodies in USD: a skeleton with meshes and materials. All actors with equal appearances share one body."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.hierarchy import model_matrices
from ecs_anim.assets.mesh import Material, Mesh
from ecs_anim.assets.mirroring import turned_round
from ecs_anim.assets.rig import Rig
from ecs_anim.assets.skinning import Method
from ecs_anim.exporting.bones import Bones
from ecs_anim.exporting.paints import Paint, Paints
from ecs_anim.exporting.recording import Look, RecordedCrowd
from ecs_anim.exporting.shapes import joints_of, shapes_of
from ecs_anim.exporting.usd_layer import UsdLayer, usd_name
from ecs_anim.maths import affine, small_matrices
from ecs_anim.support.errors import InputError
from ecs_anim.support.names import unique_names

SHAPES, BODIES = "/Shapes", "/Bodies"
ROUGHNESS = 0.85
# USD names of skinning methods. Linear skinning needs no name, because it is the default of USD.
USD_METHODS: dict[Method, str] = {"dual_quaternion": "dualQuaternion"}
FLAT = 1e-12  # a matrix with a smaller determinant counts as not invertible


@dataclass(frozen=True)
class Joints:
    """The joints of a rig, and the names of the joints in USD."""

    bones: Bones
    paths: tuple[str, ...]  # [bone], path from the root to the bone
    targets: tuple[str, ...]  # [target], names of morph targets

    @classmethod
    def of(cls, rig: Rig) -> "Joints":
        """Return the joints of a rig with USD names."""
        bones, paths = Bones.of(rig.skeleton), list[str]()
        names = unique_names(map(usd_name, bones.names), "joint")
        for name, parent in zip(names, bones.parents.tolist(), strict=True):
            paths.append(name if parent < 0 else f"{paths[parent]}/{name}")
        targets = unique_names(map(usd_name, rig.morph_targets.names), "target")
        return cls(bones, tuple(paths), tuple(targets))


class UsdBodies:
    """Writer of the bodies of one crowd. Each appearance needs one body."""

    def __init__(
        self, layer: UsdLayer, crowd: RecordedCrowd, name: str, paints: Paints, picture: Callable[[bytes], str]
    ) -> None:
        self.joints = Joints.of(crowd.character.rig)
        self._layer, self._crowd, self._name = layer, crowd, name
        self._paints = paints
        self._picture = picture  # stores a PNG beside the USD file, and returns the path that the USD file uses
        self._bind = _bind_matrices(crowd, self.joints.bones)
        self._shapes: dict[int, tuple[str, list[tuple[str, Material]]]] = {}
        self._bodies: dict[Look, str] = {}

    def path(self, look: Look) -> str:
        """Return the USD path of the body for the appearance `look`.

        The first call for an appearance writes the body.
        """
        if look not in self._bodies:
            self._bodies[look] = self._add_body(look)
        return self._bodies[look]

    def _add_body(self, look: Look) -> str:
        path = f"{BODIES}/{self._name}_{len(self._bodies)}"
        shape, meshes = self._shape(look)
        layer = self._layer
        layer.refer(layer.prim(path, "Xform"), shape)
        layer.prim(f"{path}/Materials", "Scope")
        names: dict[Material, str] = {}
        for mesh, material in meshes:
            if material not in names:
                names[material] = f"{path}/Materials/material_{len(names)}"
                self._add_material(names[material], material, self._paints.paint(material, look))
            over = layer.prim(f"{path}/{mesh}", specifier="over", apis=["MaterialBindingAPI"])
            layer.relate(over, "material:binding", names[material])
        return path

    def _shape(self, look: Look) -> tuple[str, list[tuple[str, Material]]]:
        """Return the USD path of a body's shape, and the name and material of each of its meshes."""
        figures = len(self._crowd.character.rig.figures)
        number = look.variant % figures if figures else 0
        if number not in self._shapes:
            self._shapes[number] = self._add_shape(f"{SHAPES}/{self._name}_{number}", number)
        return self._shapes[number]

    def _add_shape(self, path: str, variant: int) -> tuple[str, list[tuple[str, Material]]]:
        layer, character = self._layer, self._crowd.character
        bones = self.joints.bones
        prim = layer.prim(path, "Xform", apis=["SkelBindingAPI"])
        layer.relate(prim, "skel:skeleton", f"{path}/Skeleton")
        skeleton = layer.prim(f"{path}/Skeleton", "Skeleton")
        layer.set(skeleton, "joints", "TokenArray", [*self.joints.paths], uniform=True)
        layer.set(skeleton, "jointNames", "TokenArray", [*bones.names], uniform=True)
        layer.set(skeleton, "bindTransforms", "Matrix4dArray", self._bind, uniform=True)
        layer.set(skeleton, "restTransforms", "Matrix4dArray", _matrices(bones.rest.to_matrix()), uniform=True)
        found: list[tuple[str, Material]] = []
        for shape in shapes_of(character.rig, character.level, variant):
            for mesh in shape.meshes:
                name = usd_name(f"mesh_{len(found)}_{mesh.name}")
                indices = mesh.indices.reshape(-1, 3)
                self._add_mesh(f"{path}/{name}", mesh, turned_round(indices) if shape.mirrored else indices)
                found.append((name, mesh.material))
        return path, found

    def _add_mesh(self, path: str, mesh: Mesh, triangles: NDArray[np.uint32]) -> None:
        layer, vertex = self._layer, {"interpolation": "vertex"}
        prim = layer.prim(path, "Mesh", apis=["SkelBindingAPI"])
        layer.set(prim, "points", "Point3fArray", mesh.positions)
        layer.set(prim, "normals", "Normal3fArray", mesh.normals, info=vertex)
        layer.set(prim, "faceVertexCounts", "IntArray", np.full(mesh.triangle_count, 3))
        layer.set(prim, "faceVertexIndices", "IntArray", triangles)
        layer.set(prim, "subdivisionScheme", "Token", "none", uniform=True)
        layer.set(prim, "doubleSided", "Bool", mesh.material.double_sided, uniform=True)
        bounds = np.stack([mesh.positions.min(axis=0), mesh.positions.max(axis=0)])
        layer.set(prim, "extent", "Float3Array", bounds)
        if mesh.material.texture is not None:
            uvs = mesh.uvs * (1, -1) + (0, 1)  # in USD, v starts at the lower edge of a picture
            layer.set(prim, "primvars:st", "TexCoord2fArray", uvs, info=vertex)
        if mesh.colors is not None:
            layer.set(prim, "primvars:displayColor", "Color3fArray", mesh.colors[:, :3], info=vertex)
        influences = max(1, int((mesh.weights > 0).sum(axis=1).max(initial=1)))
        order = np.argsort(-mesh.weights, axis=1, kind="stable")[:, :influences]
        joints = self.joints.bones.entries[np.take_along_axis(joints_of(mesh), order, axis=1)]
        weights = np.take_along_axis(mesh.weights, order, axis=1)
        skin = {"interpolation": "vertex", "elementSize": influences}
        layer.set(prim, "primvars:skel:jointIndices", "IntArray", joints, info=skin)
        layer.set(prim, "primvars:skel:jointWeights", "FloatArray", weights, info=skin)
        if self._crowd.skinning in USD_METHODS:
            method = USD_METHODS[self._crowd.skinning]
            layer.set(prim, "primvars:skel:skinningMethod", "Token", method, uniform=True)
        if mesh.morphs is not None:
            self._add_morphs(prim, path, mesh)

    def _add_morphs(self, prim: object, path: str, mesh: Mesh) -> None:
        assert mesh.morphs is not None
        layer, names = self._layer, self.joints.targets[mesh.morphs.columns]
        layer.set(prim, "skel:blendShapes", "TokenArray", [*names], uniform=True)
        layer.relate(prim, "skel:blendShapeTargets", *(f"{path}/{name}" for name in names))
        for name, moved, turned in zip(names, mesh.morphs.positions, mesh.morphs.normals, strict=True):
            shape = layer.prim(f"{path}/{name}", "BlendShape")
            layer.set(shape, "offsets", "Vector3fArray", moved, uniform=True)
            layer.set(shape, "normalOffsets", "Vector3fArray", turned, uniform=True)

    def _add_material(self, path: str, material: Material, paint: Paint) -> None:
        """Add a UsdPreviewSurface for a material at `path`. An unlit material emits its colour."""
        layer, cut = self._layer, material.alpha_cutoff
        is_clear = cut is not None or material.blended
        layer.connect(layer.prim(path, "Material"), "outputs:surface", "Token", f"{path}/Surface.outputs:surface")
        surface = self._add_shader(f"{path}/Surface", "UsdPreviewSurface")
        layer.set(surface, "outputs:surface", "Token")
        layer.set(surface, "inputs:roughness", "Float", ROUGHNESS)
        shown = "inputs:emissiveColor" if material.unlit else "inputs:diffuseColor"
        if material.unlit:
            layer.set(surface, "inputs:diffuseColor", "Color3f", (0.0, 0.0, 0.0))
        elif material.is_emissive and material.emissive_texture is None:
            layer.set(surface, "inputs:emissiveColor", "Color3f", material.emissive)
        if cut is not None:
            layer.set(surface, "inputs:opacityThreshold", "Float", cut)
        if paint.picture is None or material.texture is None:
            layer.set(surface, shown, "Color3f", paint.color[:3])
            layer.set(surface, "inputs:opacity", "Float", paint.color[3] if is_clear else 1.0)
            return
        texture = self._add_texture(path, paint, "repeat" if material.texture.repeat else "clamp")
        layer.connect(surface, shown, "Color3f", f"{texture}.outputs:rgb")
        if is_clear:
            layer.connect(surface, "inputs:opacity", "Float", f"{texture}.outputs:a")

    def _add_texture(self, path: str, paint: Paint, wrap: str) -> str:
        layer = self._layer
        assert paint.picture is not None
        reader = self._add_shader(f"{path}/Coordinates", "UsdPrimvarReader_float2")
        layer.set(reader, "inputs:varname", "String", "st")
        layer.set(reader, "outputs:result", "Float2")
        texture = self._add_shader(f"{path}/Picture", "UsdUVTexture")
        layer.set(texture, "inputs:file", "Asset", self._picture(paint.picture))
        layer.connect(texture, "inputs:st", "Float2", f"{path}/Coordinates.outputs:result")
        layer.set(texture, "inputs:scale", "Float4", paint.color)
        layer.set(texture, "inputs:sourceColorSpace", "Token", "sRGB")
        for axis in "ST":
            layer.set(texture, f"inputs:wrap{axis}", "Token", wrap)
        layer.set(texture, "outputs:rgb", "Float3")
        layer.set(texture, "outputs:a", "Float")
        return f"{path}/Picture"

    def _add_shader(self, path: str, kind: str) -> object:
        prim = self._layer.prim(path, "Shader")
        self._layer.set(prim, "info:id", "Token", kind, uniform=True)
        return prim


def _matrices(affine_matrices: NDArray[np.floating]) -> NDArray[np.float64]:
    """Convert affine matrices [n, 3, 4] for column vectors to USD's matrices [n, 4, 4] for row vectors."""
    whole = np.zeros((len(affine_matrices), 4, 4))
    whole[:, :3], whole[:, 3, 3] = affine_matrices, 1
    return whole.transpose(0, 2, 1)


def _bind_matrices(crowd: RecordedCrowd, bones: Bones) -> NDArray[np.float64]:
    """Return the bind matrix of each bone. For a bone without a skin, return the matrix of its rest pose.

    Raises InputError for singular inverse bind matrices.
    """
    skeleton = crowd.character.rig.skeleton
    bind = np.empty((bones.count, 3, 4))
    bind[: skeleton.joint_count] = model_matrices(skeleton, skeleton.rest_pose)
    inverse: NDArray[np.float64] = skeleton.inverse_bind.astype(np.float64)
    flat = np.flatnonzero(np.abs(small_matrices.determinant(inverse[..., :3])) <= FLAT)
    if len(flat):
        joint = skeleton.joint_names[skeleton.skin_joints[flat[0]]]
        raise InputError(
            f"crowd {crowd.name!r}: the inverse bind matrix of joint {joint!r} scales by zero, which USD does not"
            " support. Export a .glb file."
        )
    bind[bones.entries] = affine.inverse(inverse)
    return _matrices(bind)
