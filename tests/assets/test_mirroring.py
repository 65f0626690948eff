"""Mirrored skins: pictures and passes against those of a shape that was mirrored beforehand."""

import dataclasses

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.assets.clip import Clip
from ecs_anim.assets.dual_palette import from_matrices
from ecs_anim.assets.hierarchy import skin_palette
from ecs_anim.assets.mesh import Material, Mesh
from ecs_anim.assets.mirroring import mirrored_entries, outward_indices, told_mirrored
from ecs_anim.assets.skinning import skin_linear
from ecs_anim.assets.track import Track
from ecs_anim.gl.model.crowd import CrowdDraw
from ecs_anim.maths import affine
from ecs_anim.maths.solids import volume
from ecs_anim.view.camera import OrbitCamera
from tests.builders.packed_models import mannequin_under
from tests.gl.test_passes import draw, view_of
from tests.gltf.test_lent_clips import parts
from tests.helpers.gl import (  # noqa: F401
    capsule,
    context_fixture,
    flat_box,
    identity_palettes,
    instances_at,
    renderer_fixture,
    take_picture,
)
from tests.helpers.skinning import bound_at

NEAR = OrbitCamera(target=np.array([0.0, 0.8, 0.0]), distance=3.0)
MIRROR = np.array([-1, 1, 1], np.float32)
AT_SKELETON = bound_at(np.zeros((3, 3)))


def tube(**fields) -> Mesh:
    """A capsule without its upper end: its inside can be seen."""
    whole = capsule(**fields)
    low = (whole.positions[whole.indices.reshape(-1, 3)][..., 1] < 1.4).all(axis=1)
    return dataclasses.replace(whole, indices=whole.indices.reshape(-1, 3)[low].ravel())


def mirrored_beforehand(mesh: Mesh) -> Mesh:
    indices = mesh.indices.reshape(-1, 3)[:, [1, 0, 2]].ravel()
    return dataclasses.replace(mesh, positions=MIRROR * mesh.positions, normals=MIRROR * mesh.normals, indices=indices)


def lopsided(mesh: Mesh) -> Mesh:
    """A mesh that differs from its mirror image."""
    slanted = mesh.positions + 0.3 * mesh.positions[:, 1:2] * np.array([1, 0, 0])
    return dataclasses.replace(mesh, positions=slanted.astype(np.float32))


def crowds(renderer, mesh: Mesh, method: str) -> tuple[CrowdDraw, list[CrowdDraw]]:
    """A mirrored actor beside one that is not, as one crowd; and those two as crowds without mirrors."""
    places = np.array([[-0.8, 0, 0], [0.8, 0, 0]])
    matrices = identity_palettes(2)
    matrices[0, :, 0, 0] = -1
    palettes = matrices if method == "linear" else from_matrices(matrices, AT_SKELETON)
    told = dataclasses.replace(mesh, mirrors=True)
    found = CrowdDraw(renderer.upload((told,)), instances_at(places), palettes, skinning=method, ids=np.array([1, 2]))
    plain = identity_palettes(1)
    expected = [
        CrowdDraw(renderer.upload((own,)), instances_at(places[k : k + 1]), plain, ids=np.array([k + 1]))
        for k, own in enumerate((mirrored_beforehand(mesh), mesh))
    ]
    return found, expected


@pytest.mark.parametrize("method", ["linear", "dual_quaternion"])
@pytest.mark.parametrize("make", [capsule, tube, flat_box])
@pytest.mark.parametrize("material", [Material(), Material(double_sided=True)])
def test_a_mirrored_actor_looks_like_a_mirrored_shape(renderer, make, material, method):
    """In light and shadow, in ids, depths and normals, beside an actor of its crowd that is not mirrored."""
    found, expected = crowds(renderer, lopsided(make(material=material)), method)
    pictures = [take_picture(renderer, own, NEAR).astype(int) for own in ([found], expected)]
    # The edges of triangles are cut from the other end: a sample there may fall to either side.
    assert (np.abs(pictures[0] - pictures[1]).max(axis=-1) > 2).mean() < 2e-3
    passes = [draw(renderer, own, view=view_of(NEAR)) for own in ([found], expected)]
    assert (passes[0].ids != passes[1].ids).mean() < 2e-3
    assert (~np.isclose(passes[0].depth, passes[1].depth, rtol=1e-4)).mean() < 2e-3
    assert (np.abs(passes[0].normals - passes[1].normals).max(axis=-1) > 2e-3).mean() < 2e-3
    assert set(np.unique(passes[0].ids)) == {0, 1, 2}


def test_without_the_flag_a_mirrored_shape_is_inside_out(renderer):
    """So that the pictures above could tell."""
    found, expected = crowds(renderer, lopsided(tube()), "linear")
    inside_out = dataclasses.replace(found, model=renderer.upload((lopsided(tube()),)))
    pictures = [take_picture(renderer, own, NEAR).astype(int) for own in ([inside_out], expected)]
    assert (np.abs(pictures[0] - pictures[1]).max(axis=-1) > 2).mean() > 0.01


def skeleton_of(scales) -> object:
    """A chain of joints with these scales at rest, a palette entry each."""
    chain = bound_at(np.zeros((len(scales), 3)))
    rest = dataclasses.replace(chain.rest_pose, scale=np.array(scales, np.float32))
    return dataclasses.replace(chain, rest_pose=rest, skin_joints=np.arange(len(scales), dtype=np.int32))


def scale_clip(skeleton, joint, values, interpolation="LINEAR"):
    values = np.array(values, np.float32)
    track = Track(joint, "scale", interpolation, np.arange(len(values), dtype=np.float32), values)
    return Clip("scale", skeleton, (track,), 0.0, float(len(values) - 1))


def test_entries_are_mirrored_by_all_scales_above_them():
    skeleton = skeleton_of([[1, 1, 1], [-1, 1, 1], [1, -2, 1], [-1, -1, 1]])
    assert mirrored_entries(skeleton, []).tolist() == [False, True, False, False]
    bind = skeleton.inverse_bind.copy()
    bind[1, 0] *= -1
    undone = dataclasses.replace(skeleton, inverse_bind=bind)
    assert mirrored_entries(undone, []).tolist() == [False, False, False, False]


@pytest.mark.parametrize("interpolation", ["STEP", "LINEAR"])
def test_a_clip_can_mirror_a_joint_and_those_below(interpolation):
    skeleton = skeleton_of([[1, 1, 1]] * 3)
    clip = scale_clip(skeleton, 1, [[1, 1, 1], [1, -1, 1]], interpolation)
    assert mirrored_entries(skeleton, [clip]).tolist() == [False, True, True]


@pytest.mark.parametrize(("tangent", "expected"), [(-9.0, True), (0.0, False)])
def test_a_spline_may_go_below_zero_between_its_keys(tangent, expected):
    skeleton = skeleton_of([[1, 1, 1]])
    keys = np.ones((2, 3, 3), np.float32)
    keys[:, [0, 2]] = 0
    keys[0, 2, 0] = tangent
    clip = scale_clip(skeleton, 0, keys, "CUBICSPLINE")
    assert (clip.sample(np.linspace(0, 1, 99), loop=False).scale.min() < 0) == expected
    assert mirrored_entries(skeleton, [clip]).tolist() == [expected]


def test_indices_are_turned_round_where_a_pose_mirrors():
    skeleton = skeleton_of([[-1, 1, 1]] + [[1, 1, 1]] * 2)
    (mesh,) = told_mirrored([flat_box()], skeleton, [])
    assert mesh.mirrors
    palette = skin_palette(skeleton, skeleton.rest_pose)
    posed = affine.transform_points(palette[0], mesh.positions)
    assert volume(posed, mesh.indices.reshape(-1, 3)) == pytest.approx(-1)
    turned = outward_indices(mesh, palette).reshape(-1, 3)
    assert volume(posed, turned) == pytest.approx(1)
    np.testing.assert_array_equal(turned[:, 2], mesh.indices.reshape(-1, 3)[:, 2])


def test_a_mesh_that_nothing_mirrors_stays_itself():
    mesh = capsule()
    assert told_mirrored([mesh], skeleton_of([[1, 1, 1]] * 3), [])[0] is mesh
    np.testing.assert_array_equal(outward_indices(mesh, identity_palettes(1)[0]), mesh.indices)


def test_an_exported_mirror_faces_outwards_by_either_reading_of_the_specification(tmp_path):
    """By the matrices of its vertices, and by the node that draws it, whose determinant other programs look at."""
    scene = f"rigs.a.model = {str(mannequin_under(tmp_path, scale=[-1, 1, 1]))!r}\ncrowds = [{{ rig = 'a' }}]"
    with ea.load_scene(scene) as world:
        path = ea.export(world, tmp_path / "x.glb", frames=2)
    raw, _ = parts(path.read_bytes())
    (node,) = (node for node in raw["nodes"] if "mesh" in node)
    rig = ea.load_rig(path)
    palette = skin_palette(rig.skeleton, next(iter(rig.clips.values())).sample(0.0))
    posed = [skin_linear(mesh, palette)[0] for mesh in rig.meshes]
    by_matrix = sum(volume(own, outward_indices(m, palette)) for own, m in zip(posed, rig.meshes, strict=True))
    by_node = np.prod(node["scale"]) * sum(volume(own, m.indices) for own, m in zip(posed, rig.meshes, strict=True))
    assert by_matrix == pytest.approx(by_node)
    assert 0.03 < by_node < 0.2  # [m^3] of a person
