"""Public data classes with invalid fields. The constructor raises an intended error with a message of one line."""

import dataclasses
from typing import Any

import numpy as np
import pytest

import ecs_anim as ea
from tests.project.test_public_calls import JUNK, flaw_of

NAMES = ["''", "'jnuk'", "'\\x00'"]
WHOLE = ["-1", "1" + 30 * "0"]
# For each type of field, the `repr` of the junk values that are valid for it.
FITS = {
    "name": NAMES,
    "names": ["[]", "['a']"],
    "flag": ["True", *WHOLE],
    "index": WHOLE,
    "level": WHOLE[1:],
    "number": WHOLE,
    "items": ["[]"],
    "by name": ["{}"],
    "anything by name": ["{}", "{'jnuk': 1}"],
    "or none": ["None"],
    "number or none": [*WHOLE, "None"],
    "numbers of any shape": [repr(np.zeros((2, 0, 7))), repr(np.full((4, 3), np.nan))],
    "anything": [repr(junk) for junk in JUNK],  # a protocol accepts each object
}


@pytest.fixture(scope="module")
def examples() -> dict[str, tuple[Any, dict[str, str]]]:
    """Return a valid example of each class, and the types of its fields.

    For fields without a type, all junk is invalid.
    """
    rig, blob = ea.load_rig("mannequin"), ea.load_rig("blob")
    clip, track, mesh = rig.clips["walk"], rig.clips["walk"].tracks[0], rig.meshes[0]
    morphs, morph_track = (mesh.morphs for mesh in blob.meshes if mesh.morphs), blob.clips["grin"].morph_tracks[0]
    bake = ea.bake.bake_rig(rig, ea.bake.BakeOptions(rate=2.0), ["idle"])
    texture = ea.Texture(np.zeros((2, 3, 4), np.uint8))
    found: list[tuple[Any, dict[str, str]]] = [
        (texture, {"repeat": "flag"}),
        (
            ea.Material(texture=texture, alpha_cutoff=0.5),
            {
                "name": "name",
                "texture": "or none",
                "double_sided": "flag",
                "alpha_cutoff": "number or none",
                "unlit": "flag",
                "blended": "flag",
                "emissive_texture": "or none",
            },
        ),
        (
            mesh,
            {
                "name": "name",
                "colors": "or none",
                "flat": "flag",
                "mirrors": "flag",
                "level": "level",
                "morphs": "or none",
                "figures": "or none",
            },
        ),
        (next(morphs), {"names": "names", "first": "index"}),
        (blob.morph_targets, {"names": "names"}),
        (morph_track, {}),
        (rig.skeleton, {}),
        (track, {"joint_index": "index", "lookup": "or none"}),
        (
            clip,
            {
                "name": "name",
                "tracks": "items",
                "start": "number",
                "end": "number",
                "extras": "anything by name",
                "morph_tracks": "items",
            },
        ),
        (
            rig,
            {
                "name": "name",
                "meshes": "items",
                "clips": "by name",
                "extensions": "names",
                "ignored_extensions": "names",
                "figures": "items",
                "avatar": "or none",
            },
        ),
        (ea.build_tables(rig.skeleton, [rig.clips["idle"]]), {"clips": "items", "meshes": "items"}),
        (
            bake,
            {
                "name": "name",
                "space": "anything",
                "clips": "items",
                "rows": "numbers of any shape",
                "size": "number",
                "content": "name",
            },
        ),
    ]
    return {type(one).__name__: (one, kinds) for one, kinds in found}


CLASSES = ["Texture", "Material", "Mesh", "MeshMorphs", "MorphTargets", "MorphTrack", "Skeleton", "Track", "Clip"]
CLASSES += ["Rig", "ClipTables", "Bake"]


@pytest.mark.parametrize("name", CLASSES)
def test_what_does_not_fit_is_told_as_one_is_made(examples, name):
    one, kinds = examples[name]
    fields = {field.name: getattr(one, field.name) for field in dataclasses.fields(one)}
    assert repr(type(one)(**fields)) == repr(one)
    flaws = []
    for field in fields:
        for junk in JUNK:
            given = {**fields, field: junk}
            if flaw := flaw_of(type(one), given):
                flaws.append(f"{field}={junk!r}: {flaw}")
            elif repr(junk) not in FITS.get(kinds.get(field, ""), []) and is_made(type(one), given):
                flaws.append(f"{field}={junk!r}: nobody told")
    assert not flaws, "\n".join(flaws)


def is_made(kind: type, given: dict[str, Any]) -> bool:
    try:
        kind(**given)
    except (ea.InputError, TypeError, ValueError):
        return False
    return True


def test_all_of_them_are_looked_at(examples):
    assert list(examples) == CLASSES
    held = {"AgentHandle", "CrowdHandle", "DoorsHandle", "Rooms", "World"}  # no data classes
    results = {
        "Solution",
        "InputError",
        "InputWarning",
        "Capture",
        "CrowdJoints",
        "SeenActors",
        "PlayingClips",
        "Contacts",
        "Observation",
        "RayHits",
    }  # only the package creates them
    other = {"Pose", "Transform", "ScalarTrack", "OrbitCamera", "BakeOptions", "BallLimit", "HingeLimit", "Renderer"}
    other |= {"Lens", "FisheyeLens", "EquirectangularLens", "OrthographicLens", "PinholeCamera", "Follow"}
    public = {
        name
        for package in (ea, ea.ik, ea.bake)
        for name in package.__all__
        if isinstance(getattr(package, name), type) and not hasattr(getattr(package, name), "__total__")
    }
    assert public == set(CLASSES) - {"MeshMorphs", "MorphTargets", "MorphTrack"} | held | results | other


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"name": 3}, "Mesh.name must be a string (got 3)"),
        ({"normals": None}, "Mesh.normals must be an array of numbers (got None)"),
        ({"colors": [1.0]}, "Mesh.colors must be an array of numbers or None (got [1.0])"),
        (
            {"uvs": np.zeros((3, 2))},
            "Mesh.uvs must be an array with the layout float32 [vertex, 2] (got float64 [3, 2])",
        ),
        (
            {"uvs": np.zeros((4, 2), np.float32)},
            "axis 0 of Mesh.uvs must have the length 3, as in Mesh.positions (got shape [4, 2]). The layout of Mesh.uvs"
            " is float32 [vertex, 2].",
        ),
        (
            {"indices": np.array([0, 1, 3], np.uint32)},
            "each vertex index of a mesh must be below 3, the number of vertices (got 3)",
        ),
        (
            {"indices": np.array([0, 1], np.uint32)},
            "a mesh must have three vertex indices for each triangle (got 2 indices)",
        ),
        ({"level": -1}, "the detail level of a mesh must be 0 or above (got -1). Pass 0 for the finest level."),
    ],
)
def test_a_mesh_tells_what_does_not_fit(change, message):
    triangle = ea.Mesh(
        "triangle",
        ea.Material(),
        np.zeros((3, 3), np.float32),
        np.zeros((3, 3), np.float32),
        np.zeros((3, 2), np.float32),
        np.zeros((3, 4), np.uint16),
        np.zeros((3, 4), np.float32),
        np.array([0, 1, 2], np.uint32),
    )
    with pytest.raises((TypeError, ValueError)) as told:
        dataclasses.replace(triangle, **change)
    assert str(told.value) == message


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"joint_names": ("a",)}, "a skeleton of 1 joints must have 1 parents and a rest pose of 1 joints"),
        ({"parents": np.array([-1, 1], np.int32)}, "the parent of each joint must be an earlier joint"),
        ({"parents": np.array([-2, 0], np.int32)}, "the parent of each joint must be an earlier joint"),
        (
            {"skin_joints": np.array([0, 2], np.int32)},
            "each joint number in `skin_joints` of a skeleton must be 0 to 1",
        ),
        ({"skin_joints": np.array([0], np.int32)}, "must have the length 1, as in Skeleton.skin_joints"),
        ({"rest_pose": ea.Pose.identity(3)}, "and a rest pose of"),
    ],
)
def test_a_skeleton_tells_what_does_not_fit(change, message):
    bind = np.zeros((2, 3, 4), np.float32)
    numbers = np.arange(2, dtype=np.int32)
    two = ea.Skeleton(("a", "b"), numbers - 1, ea.Pose.identity(2), numbers, bind)
    with pytest.raises(ValueError, match=message):
        dataclasses.replace(two, **change)


def test_vertices_alone_are_those_of_the_mesh():
    mesh = ea.load_rig("mannequin").meshes[0]
    chosen = np.array([5, 2, 9])
    colored = dataclasses.replace(mesh, colors=np.random.default_rng(0).random((mesh.vertex_count, 4), np.float32))
    part = colored.vertices_alone(chosen)
    assert (part.vertex_count, part.triangle_count, part.morphs) == (3, 0, None)
    np.testing.assert_array_equal(part.positions, mesh.positions[[5, 2, 9]])
    np.testing.assert_array_equal(part.colors, colored.colors[[5, 2, 9]])
