"""Crowds as .glb: read again by pygltflib and plain numpy, and by our loader, people are where they were."""

import json
from io import BytesIO

import numpy as np
import pygltflib
import pytest
from PIL import Image
from scipy.spatial import cKDTree
from scipy.spatial.transform import Rotation

import ecs_anim as ea
from ecs_anim.components.appearance import Appearance
from ecs_anim.support.errors import InputError, InputWarning
from tests.helpers import EXHAUSTIVE, real, some
from tests.helpers.export import MATERIALS, WAYS, come_and_go, scene_text, skinned_vertices

DTYPES = {5126: "<f4", 5125: "<u4", 5123: "<u2"}
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}
NEAR = 1e-4  # [m]


class Read:
    """A .glb as pygltflib has it, evaluated by the words of the specification at the keys of its one animation."""

    def __init__(self, path):
        self.gltf = pygltflib.GLTF2().load(str(path))
        self.blob = self.gltf.binary_blob()
        content = path.read_bytes()
        raw = json.loads(content[20 : 20 + int.from_bytes(content[12:16], "little")])
        self.weights = [node.get("weights") for node in raw["nodes"]]  # which pygltflib passes over
        self.parents = {child: n for n, node in enumerate(self.gltf.nodes) for child in node.children or ()}

    def array(self, number):
        accessor = self.gltf.accessors[number]
        view = self.gltf.bufferViews[accessor.bufferView]
        flat = np.frombuffer(
            self.blob, DTYPES[accessor.componentType], accessor.count * WIDTHS[accessor.type], view.byteOffset
        )
        return flat.reshape(accessor.count, -1)

    def properties(self, frame):
        """Translation, rotation, scale and weights of each node."""
        found = [
            {
                "translation": node.translation or [0, 0, 0],
                "rotation": node.rotation or [0, 0, 0, 1],
                "scale": node.scale or [1, 1, 1],
                "weights": weights,
            }
            for node, weights in zip(self.gltf.nodes, self.weights, strict=True)
        ]
        for animation in self.gltf.animations:
            for channel in animation.channels:
                sampler = animation.samplers[channel.sampler]
                times, values = self.array(sampler.input), self.array(sampler.output)
                found[channel.target.node][channel.target.path] = values.reshape(len(times), -1)[frame]
        return found

    def vertices(self, frame):
        """Vertices [vertex, 3] of each primitive of each actor, by what is before "_body" in the names of nodes."""
        properties = self.properties(frame)
        world = {}

        def matrix(node):
            if node not in world:
                own, m = properties[node], np.eye(4)
                m[:3, :3] = Rotation.from_quat(own["rotation"]).as_matrix() * np.asarray(own["scale"])
                m[:3, 3] = own["translation"]
                world[node] = matrix(self.parents[node]) @ m if node in self.parents else m
            return world[node]

        found = {}
        for number, node in enumerate(self.gltf.nodes):
            if node.mesh is None:
                continue
            skin = self.gltf.skins[node.skin]
            bind = self.array(skin.inverseBindMatrices).reshape(-1, 4, 4).transpose(0, 2, 1)
            palette = np.stack([matrix(joint) for joint in skin.joints]) @ bind
            for primitive in self.gltf.meshes[node.mesh].primitives:
                points = self.array(primitive.attributes.POSITION).astype(np.float64)
                for target, weight in zip(primitive.targets or (), _listed(properties[number]["weights"]), strict=True):
                    points = points + weight * self.array(target["POSITION"])
                own = palette[self.array(primitive.attributes.JOINTS_0)]
                blended = np.einsum("vi,vijk->vjk", self.array(primitive.attributes.WEIGHTS_0), own)
                moved = np.einsum("vjk,vk->vj", blended, np.column_stack([points, np.ones(len(points))]))
                found.setdefault(node.name.rpartition("_body")[0], []).append(moved[:, :3])
        return found


def _listed(weights):
    return () if weights is None else weights


@EXHAUSTIVE
@pytest.mark.parametrize("way", some([way for way in WAYS if way != "dual quaternions"], "clips"))
def test_people_are_where_they_were(way, tmp_path):
    """Vertices match within a tenth of a millimetre, for CPU and GPU poses and all corrections."""
    frames = 6
    with ea.load_scene(WAYS[way]) as world, ea.load_scene(WAYS[way]) as same:
        path = ea.export(world, tmp_path / "x.glb", frames=frames)
        read = Read(path)
        for frame in range(frames):
            told = read.vertices(frame)
            wanted = skinned_vertices(same)
            assert len(told) == len(wanted) > 0
            for number, shapes in wanted.items():
                for a, b in zip(shapes, told[f"people_{number}"], strict=True):
                    np.testing.assert_allclose(b, a, atol=NEAR, rtol=0)
            same.step(1 / 30)
        assert world.frame == frames - 1


def test_our_loader_gives_the_same_poses(tmp_path):
    """The whole crowd is one rig then."""
    with ea.load_scene(scene_text(count=2)) as world, ea.load_scene(scene_text(count=2)) as same:
        rig = ea.load_rig(ea.export(world, tmp_path / "x.glb", frames=5))
        clip = rig.clips["crowd"]
        for frame in range(5):
            pose = clip.sample(frame / 30, loop=False)
            palette = ea.skin_palette(rig.skeleton, pose)
            told = np.concatenate([ea.skin_linear(mesh, palette)[0] for mesh in rig.meshes])
            wanted = np.concatenate([points for shapes in skinned_vertices(same).values() for points in shapes])
            assert cKDTree(wanted).query(told)[0].max() < NEAR
            assert cKDTree(told).query(wanted)[0].max() < NEAR
            same.step(1 / 30)


@EXHAUSTIVE
def test_who_is_not_there_has_no_size(tmp_path):
    """Scale 0, held from key to key; where they come and go all else is as it was."""
    with ea.load_scene(scene_text()) as world:
        come_and_go(world)
        read = Read(ea.export(world, tmp_path / "x.glb", frames=6))
    sizes = {}
    for frame in range(6):
        for node, own in zip(read.gltf.nodes, read.properties(frame), strict=True):
            if ":" not in node.name and node.mesh is None:
                sizes.setdefault(node.name, []).append(int(own["scale"][0]))
    come, go = [0, 0, 1, 1, 1, 1], [1, 1, 0, 0, 0, 0]
    assert sizes == {"people_1": go, "people_2": [1] * 6, "people_3": [1] * 6, "people_4": come}
    (animation,) = read.gltf.animations
    steps = {own.interpolation for own in animation.samplers}
    assert steps == {"LINEAR", "STEP"}


def test_what_is_the_same_is_there_once(tmp_path):
    """Geometry, pictures, and the rotations of actors that play in step are written once."""
    with ea.load_scene(scene_text(more='tints = ["#3d6fa5"]')) as world:
        ea.crowd(world, "people").fade_to(ea.ALL, "walk", 0.0, phase=0.25, restart=True)
        read = Read(ea.export(world, tmp_path / "x.glb", frames=4))
    assert len(read.gltf.skins) == 3
    assert len(read.gltf.meshes) == len(read.gltf.images) == 1
    (animation,) = read.gltf.animations
    outputs = {}
    for channel in animation.channels:
        joint = read.gltf.nodes[channel.target.node].name.partition(":")[2]
        outputs.setdefault((joint, channel.target.path), []).append(animation.samplers[channel.sampler].output)
    assert {len(own) for own in outputs.values()} == {3}
    assert {len(set(own)) for own in outputs.values()} == {1}
    for sampler in animation.samplers:
        np.testing.assert_allclose(read.array(sampler.input)[:, 0], np.arange(4) / 30, atol=1e-6)


def test_a_tint_is_in_the_picture_where_the_picture_takes_it(tmp_path):
    """A shirt is, skin is not: by the formula of docs/looks.md, in plain numpy."""
    with ea.load_scene(scene_text(count=1, more='tints = ["#3d6fa5"]')) as world:
        rig = ea.crowd(world, "people").rig
        read = Read(ea.export(world, tmp_path / "x.glb", frames=1))
    view = read.gltf.bufferViews[read.gltf.images[0].bufferView]
    told = np.asarray(Image.open(BytesIO(read.blob[view.byteOffset : view.byteOffset + view.byteLength])), np.float64)
    pixels = rig.meshes[0].material.texture.pixels.astype(np.float64) / 255
    linear = np.where(pixels <= 0.04045, pixels / 12.92, ((pixels + 0.055) / 1.055) ** 2.4)[..., :3]
    tint = ((np.array([0x3D, 0x6F, 0xA5]) / 255 + 0.055) / 1.055) ** 2.4
    linear *= 1 + (tint - 1) * pixels[..., 3:]
    wanted = 255 * np.where(linear <= 0.0031308, linear * 12.92, 1.055 * linear ** (1 / 2.4) - 0.055)
    assert told.shape == wanted.shape
    np.testing.assert_allclose(told, wanted, atol=0.51)
    assert np.abs(told - 255 * pixels[..., :3]).max() > 50


def test_dual_quaternions_are_told(tmp_path):
    with (
        ea.load_scene(WAYS["dual quaternions"]) as world,
        pytest.warns(
            InputWarning, match=r"x\.glb: crowd 'people' is skinned with 'dual_quaternion', which glTF does not support"
        ),
    ):
        ea.export(world, tmp_path / "x.glb", frames=1)


def test_too_many_are_told_before_anything_is_recorded(tmp_path, monkeypatch):
    monkeypatch.setenv("ECS_ANIM_LIMIT_JOINTS", "60")
    with ea.load_scene(scene_text()) as world:
        with pytest.raises(InputError, match=r"x\.glb: the joints of all actors and the props are too many .*\.usdc"):
            ea.export(world, tmp_path / "x.glb", frames=4)
        assert world.frame == 0
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["MODEL_BYTES", "JSON_BYTES"])
def test_files_that_are_too_large_are_told(name, tmp_path, monkeypatch):
    with ea.load_scene(scene_text()) as world:
        monkeypatch.setenv(f"ECS_ANIM_LIMIT_{name}", "3000")
        with pytest.raises(
            InputError, match=r"x\.glb: .* the limit is .* Export fewer actors or frames, or export to a \.usdc"
        ):
            ea.export(world, tmp_path / "x.glb", frames=4)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("model", "clip"), some(MATERIALS, "lattice"))
def test_materials_come_back(model, clip, tmp_path):
    """Colours, cut-outs, both sides; an opaque picture's alpha has done its work."""
    with ea.load_scene(scene_text((clip,), count=1, model=model)) as world:
        meshes = ea.crowd(world, "people").rig.level(0)
        ((_, (looks,)),) = world.query(Appearance)
        variant = 0 if looks.variant is None else int(looks.variant[0])
        rig = ea.load_rig(ea.export(world, tmp_path / "x.glb", frames=2))
    assert len(rig.meshes) == len(meshes)
    for told, wanted in zip(rig.meshes, meshes, strict=True):
        a, b = told.material, wanted.material
        assert (a.alpha_cutoff, a.double_sided, a.unlit) == (b.alpha_cutoff, b.double_sided, b.unlit)
        np.testing.assert_allclose(a.base_color[:3], b.base_color[:3], atol=1e-6)
        assert (a.texture is None) == (b.texture is None)
        assert (told.colors is None) == (wanted.colors is None)
        if a.texture is not None and b.texture is not None:
            pixels = b.texture.pixels[variant] if b.texture.variant_count else b.texture.pixels
            channels = 3 if b.alpha_cutoff is None else 4
            np.testing.assert_array_equal(a.texture.pixels[..., :channels], pixels[..., :channels])
            assert a.texture.repeat == b.texture.repeat


@EXHAUSTIVE
@pytest.mark.parametrize("model", real("Fox.glb", "Woman.gltf", "cesium_man.gltf", "dq.gltf"))
def test_characters_of_others(model, tmp_path):
    """Characters of any size: the error is a tenth of a millimetre for a height of 1.7 m."""
    text = scene_text((next(iter(ea.load_rig(model).clips)),), model=model)
    with ea.load_scene(text) as world, ea.load_scene(text) as same:
        read = Read(ea.export(world, tmp_path / "x.glb", frames=31))
        for frame in range(31):
            if frame % 10 == 0:
                told = read.vertices(frame)
                for number, shapes in skinned_vertices(same).items():
                    wanted = np.concatenate(shapes)
                    near = NEAR * max(1.0, float(np.ptp(wanted, axis=0).max()) / 1.7)
                    np.testing.assert_allclose(np.concatenate(told[f"people_{number}"]), wanted, atol=near, rtol=0)
            same.step(1 / 30)
