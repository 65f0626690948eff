"""Damaged files: whatever the bytes, a rig or an InputError."""

import copy
import random
import warnings

from ecs_anim.errors import InputError
from ecs_anim.gltf import load_rig
from ecs_anim.rig import Rig
from tests.test_gltf_clips import add_channel
from tests.test_gltf_meshes import skinned


def seed_document():
    """A small file with a bit of everything."""
    builder = skinned([[0, 1, 2, 3], [4, 5, 6, 7]], [[0.3, 0.1, 0.1, 0.1], [0.1, 0.1, 0.1, 0.1]])
    animation = {"name": "walk", "channels": [], "samplers": [], "extras": {"ground_speed": 1}}
    add_channel(builder, animation, [0, 1], [[0, 0, 0], [1, 1, 1]])
    add_channel(builder, animation, [0, 1], [[0, 0, 0, 1]] * 2, node=1, path="rotation", interpolation="STEP")
    add_channel(builder, animation, [0, 1], [[0, 0, 1]] * 6, node=2, path="scale", interpolation="CUBICSPLINE")
    builder.document["animations"] = [animation]
    texture = {"index": 0, "extensions": {"KHR_texture_transform": {"offset": [0, 1], "rotation": 1}}}
    builder.document["materials"] = [{"pbrMetallicRoughness": {"baseColorTexture": texture}, "alphaMode": "MASK"}]
    builder.document["textures"] = [{"source": 0, "sampler": 0}]
    builder.document["samplers"] = [{"wrapS": 33071}]
    builder.document["images"] = [{"uri": "gone.png"}]
    sparse = {"count": 1, "indices": {"bufferView": 0, "componentType": 5121}, "values": {"bufferView": 0}}
    positions = builder.accessor_on(None, 4, "f32", "VEC3", sparse=sparse)
    matrix = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]
    moved = [builder.accessor([[0, 0, 1]] * 4, kind="VEC3"), positions]
    targets = [{"POSITION": moved[0], "NORMAL": moved[0]}, {"POSITION": moved[1], "TANGENT": 0}]
    mesh = builder.mesh({"POSITION": positions}, mode=5, material=0, targets=targets)
    builder.document["meshes"][mesh] |= {"weights": [0, 1], "extras": {"targetNames": ["smile", "blink"]}}
    node = len(builder.document["nodes"])
    add_channel(builder, animation, [0, 1], [0.0, 1.0] * 2, node=node, path="weights")
    builder.add("nodes", mesh=mesh, weights=[0.5, 0], matrix=matrix, extensions={"MSFT_lod": {"ids": [0]}})
    builder.document["scenes"] = [{"nodes": list(range(len(builder.document["nodes"])))}]
    return builder


def attempt(path):
    """Whether the file loads; anything but a rig or an InputError of one line fails the test."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        warnings.simplefilter("error", RuntimeWarning)
        try:
            rig = load_rig(path)
        except InputError as error:
            message = str(error)
        else:
            assert isinstance(rig, Rig)
            return True
    assert "\n" not in message
    return False


def places(value, path=()):
    """Every place in a JSON document."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from places(item, (*path, key))


STRANGE = [None, True, -1, 0, 1, 2, 3, 5126, 2**31, 2**64, 10**400, 0.5, -1e308, 1e39, "", "x", "\0", [], [0], [[]], {}]


def test_mutated_documents(tmp_path):
    """Each round replaces, deletes or doubles one or two places of the document."""
    chance = random.Random(11)
    builder = seed_document()
    original = builder.document
    every = [path for path in places(original) if path]
    path = tmp_path / "model.glb"
    outcomes = []
    for _ in range(1200):
        builder.document = copy.deepcopy(original)
        for place in chance.sample(every, chance.choice([1, 1, 2])):
            mutate(builder.document, place, chance)
        path.write_bytes(builder.binary())
        outcomes.append(attempt(path))
    assert 100 < sum(outcomes) < 1100


def mutate(value, place, chance):
    for key in place[:-1]:
        try:
            value = value[key]
        except (KeyError, IndexError, TypeError):
            return
    key = place[-1]
    try:
        action = chance.choice(["set", "set", "set", "delete", "double"])
        if action == "delete":
            del value[key]
        elif action == "double" and isinstance(value, list):
            value.append(copy.deepcopy(value[key]))
        else:
            value[key] = copy.deepcopy(chance.choice(STRANGE))
    except (KeyError, IndexError, TypeError):
        return


def test_mutated_bytes(tmp_path):
    """Each round changes some bytes of the file, or cuts it short."""
    chance = random.Random(12)
    original = seed_document().binary()
    path = tmp_path / "model.glb"
    outcomes = []
    for _ in range(800):
        data = bytearray(original)
        for _ in range(chance.choice([1, 2, 8])):
            data[chance.randrange(len(data))] = chance.randrange(256)
        if chance.random() < 0.1:
            del data[chance.randrange(len(data)) :]
        path.write_bytes(data)
        outcomes.append(attempt(path))
    assert 50 < sum(outcomes) < 780


def test_mutated_binary_chunks(tmp_path):
    """The document stays whole, and the numbers are noise."""
    chance = random.Random(13)
    builder = seed_document()
    original = bytes(builder.data)
    path = tmp_path / "model.glb"
    for _ in range(300):
        data = bytearray(original)
        for _ in range(chance.choice([1, 4, 40])):
            data[chance.randrange(len(data))] = chance.choice([0, 127, 128, 255, chance.randrange(256)])
        builder.data = data
        path.write_bytes(builder.binary())
        attempt(path)
