"""Crowds as .glb: read again by pygltflib and plain numpy, and by our loader, people are where they were."""

import json

import numpy as np
import pygltflib
import pytest
from scipy.spatial import cKDTree
from scipy.spatial.transform import Rotation

import ecs_anim as ea
from ecs_anim.exporting import gltf_file
from ecs_anim.support.errors import InputError
from tests.export_support import WAYS, scene_text, skinned_vertices

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


@pytest.mark.parametrize("way", WAYS)
def test_people_are_where_they_were(way, tmp_path):
    """Within a tenth of a millimetre, whoever poses them and whatever corrects their poses."""
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
