"""The ground of scene files: the object for each kind, where actors start, and the message for each mistake."""

import numpy as np
import pytest
from PIL import Image

from ecs_anim.components.stage import Stage
from ecs_anim.components.transforms import Transforms
from ecs_anim.ground.boxes import Box, box_surface
from ecs_anim.ground.ground import Ground
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.grounds import build_ground
from ecs_anim.scenes.loader import parse_scene
from ecs_anim.support.errors import InputError
from tests.builders.gltf_builder import GltfBuilder

CROWD = """
[rigs.one]
model = "mannequin"
[[crowds]]
rig = "one"
count = 3
layout = { kind = "points", points = [[0.0, 0.0], [2.0, -1.0], [40.0, 0.0]] }
clips = [{ name = "walk" }]
"""


def scene(ground: str, folder):
    return parse_scene(CROWD + ground, "test.toml", folder)


def ground_of(text: str, folder) -> Ground:
    return build_ground(scene("[ground]\n" + text, folder))


def height_at(ground: Ground, x: float, y: float) -> float:
    """Height [m] at a plan point."""
    return float(ground.below([x, np.inf, -y])[0])


def test_flat_at_zero_unless_it_says_otherwise(tmp_path):
    assert build_ground(scene("", tmp_path)).floor == 0.0
    ground = ground_of("height = 1.5", tmp_path)
    assert (ground.floor, ground.surfaces, height_at(ground, 1e6, -1e6)) == (1.5, (), 1.5)


def test_heights_from_a_function_of_plan_points(tmp_path):
    text = 'kind = "heights"\nsize = [10.0, 6.0]\ncenter = [3.0, 1.0]\nspacing = 0.3\nfunction = "x / 4 - y + 1"'
    ground = ground_of(text, tmp_path)
    for x, y in ((-2, -2), (8, 4), (3.3, 0.7)):
        assert height_at(ground, x, y) == pytest.approx(x / 4 - y + 1, abs=1e-5)
    assert height_at(ground, 8.01, 0) == -np.inf
    assert ground.floor is None
    (surface,) = ground.surfaces
    np.testing.assert_allclose(surface.positions.min(axis=0)[[0, 2]], [-2, -4])
    np.testing.assert_allclose(surface.positions.max(axis=0)[[0, 2]], [8, 2])
    assert surface.triangle_count == 2 * 33 * 20
    assert height_at(ground_of(text + "\nfloor = -9.0", tmp_path), 8.01, 0) == -9


@pytest.mark.parametrize("bits", [8, 16])
def test_heights_from_a_picture_with_north_above(tmp_path, bits):
    white = 2**bits - 1
    grey = np.array([[0, white, 0], [white // 5, 0, 0]], np.uint8 if bits == 8 else np.uint16)
    Image.fromarray(grey).save(tmp_path / "hill.png")
    text = 'kind = "heights"\nsize = [4.0, 2.0]\nimage = "hill.png"\nlowest = -1.0\nhighest = 4.0'
    ground = ground_of(text, tmp_path)
    assert [height_at(ground, x, 1) for x in (-2, 0, 2)] == pytest.approx([-1, 4, -1])
    assert [height_at(ground, x, -1) for x in (-2, 0, 2)] == pytest.approx([0, -1, -1])
    assert height_at(ground, -1, 1) == pytest.approx(1.5)
    assert (ground.arrays.columns, ground.arrays.rows) == (2, 1)


def test_sixteen_bits_are_not_rounded_to_eight(tmp_path):
    Image.fromarray(np.array([[1000, 1001], [1000, 1001]], np.uint16)).save(tmp_path / "fine.png")
    ground = ground_of('kind = "heights"\nsize = [1.0, 1.0]\nimage = "fine.png"\nhighest = 65.535', tmp_path)
    assert height_at(ground, 0.5, 0) - height_at(ground, -0.5, 0) == pytest.approx(0.001, rel=0.01)


def placed_triangle(tmp_path, **node):
    """A model of one triangle in the x-z plane that faces up, under a node."""
    builder = GltfBuilder()
    positions = builder.accessor([[0, 0, 0], [0, 0, 1], [1, 0, 0]], kind="VEC3")
    material = builder.add("materials", pbrMetallicRoughness={"baseColorFactor": [0.2, 0.4, 0.6, 1]})
    child = builder.add("nodes", mesh=builder.mesh({"POSITION": positions}, material=material), **node)
    root = builder.add("nodes", children=[child], translation=[0, 1, 0])
    builder.add("scenes", nodes=[root])
    builder.document["scene"] = 0
    return builder.write(tmp_path / "course.gltf")


def test_a_mesh_is_placed_by_its_nodes_and_by_the_scene(tmp_path):
    placed_triangle(tmp_path, scale=[2, 1, 1])
    text = 'kind = "mesh"\nmodel = "course.gltf"\nscale = 10.0\nat = [5.0, 0.5, 0.0]\nrotation_degrees = 90.0'
    ground = ground_of(text, tmp_path)
    assert height_at(ground, 5 + 4.9, 9) == pytest.approx(10.5)  # +Z became +X, +X became -Z
    assert height_at(ground, 5 - 1, 9) == -np.inf
    (surface,) = ground.surfaces
    np.testing.assert_allclose(surface.corners().reshape(-1, 3).max(axis=0), [15, 10.5, 0], atol=1e-5)
    np.testing.assert_allclose(surface.normals, [[0, 1, 0]] * 3, atol=1e-6)
    np.testing.assert_allclose(surface.color, [0.2, 0.4, 0.6])


@pytest.mark.parametrize("scale", [[-1, 1, 1], [1, 1, -1], [-1, 1, -1]])
def test_a_mirrored_mesh_faces_up_as_before(tmp_path, scale):
    placed_triangle(tmp_path, scale=scale)
    ground = ground_of('kind = "mesh"\nmodel = "course.gltf"', tmp_path)
    assert height_at(ground, 0.2 * scale[0], -0.3 * scale[2]) == 1
    assert height_at(ground, -0.2 * scale[0], 0.3 * scale[2]) == -np.inf


def test_a_mesh_turned_over_by_its_node_is_a_ceiling(tmp_path):
    placed_triangle(tmp_path, scale=[1, -1, 1], rotation=[1, 0, 0, 0])
    assert height_at(ground_of('kind = "mesh"\nmodel = "course.gltf"', tmp_path), 0.2, 0.3) == 1  # mirrored, turned
    placed_triangle(tmp_path, rotation=[1, 0, 0, 0])
    with pytest.raises(
        InputError, match=r"test\.toml: ground\.model: course\.gltf: the model must have at least one triangle that"
    ):
        ground_of('kind = "mesh"\nmodel = "course.gltf"', tmp_path)


BLOCK = 'kind = "blocks"\nfloor = 0.0\nblocks = [{{ at = [2.0, 1.0], size = [1.0, 3.0], {} }}]'


def test_blocks_stand_on_the_floor(tmp_path):
    ground = ground_of(BLOCK.format("height = 0.2"), tmp_path)
    assert [height_at(ground, 2 + x, 1 + y) for x, y in ((0, 0), (0.49, 1.49), (0.51, 0), (0, -1.51))] == pytest.approx(
        [0.2, 0.2, 0, 0]
    )
    (surface,) = ground.surfaces
    assert surface.positions[:, 1].min() < 0  # reaches into the floor


def test_blocks_turn_and_tilt_as_documented(tmp_path):
    turned = ground_of(BLOCK.format("height = 0.2, rotation_degrees = 90.0"), tmp_path)
    assert height_at(turned, 3.4, 1) == pytest.approx(0.2)
    assert height_at(turned, 2, 2.4) == 0
    pitched = ground_of(BLOCK.format("height = 0.5, tilt_degrees = [10.0, 0.0]"), tmp_path)
    assert height_at(pitched, 2, 1 + 1) == pytest.approx(0.5 + np.tan(np.radians(10)), abs=1e-5)
    rolled = ground_of(BLOCK.format("height = 0.5, tilt_degrees = [0.0, 10.0]"), tmp_path)
    assert height_at(rolled, 2.4, 1) == pytest.approx(0.5 + 0.4 * np.tan(np.radians(10)), abs=1e-5)
    for ground in (pitched, rolled):
        assert ground.surfaces[0].positions[:, 1].reshape(-1, 4).max(axis=1).min() < 0  # its bottom does not show


def test_a_thin_block_is_a_bridge(tmp_path):
    ground = ground_of(BLOCK.format("height = 2.0, thickness = 0.1"), tmp_path)
    assert ground.below([[2, 3, -1], [2, 1.8, -1]])[0] == pytest.approx([2, 0])


def test_boxes_are_closed_and_face_outwards():
    surface = box_surface([Box((0, 1, 0), (2, 1, 3), 0.3, 0.2, -0.1), Box((5, 0, 0), (1, 1, 1))])
    corners = surface.corners().astype(np.float64)
    volume = np.einsum("ij,ij->i", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])) / 6
    assert volume[:12].sum() == pytest.approx(6, rel=1e-6)
    assert volume[12:].sum() == pytest.approx(1, rel=1e-6)
    faces = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    faces /= np.linalg.norm(faces, axis=-1, keepdims=True)
    np.testing.assert_allclose(np.repeat(faces, 3, axis=0), surface.normals[surface.indices], atol=1e-6)


def test_actors_start_on_the_ground_and_the_stage_has_it(tmp_path):
    world = load_scene(scene('[ground]\nkind = "heights"\nsize = [9.0, 9.0]\nfunction = "x - y / 2"', tmp_path))
    ((_, (transforms,)),) = world.query(Transforms)
    np.testing.assert_allclose(transforms.translation[:, 1], [0, 2.5, 0], atol=1e-6)  # the third is beside it: 0
    ((_, (stage,)),) = world.query(Stage)
    assert stage.terrain.below([1, 9, 1])[0] == pytest.approx(1.5)
    world.close()


HEIGHTS = 'kind = "heights"\nsize = [4.0, 4.0]\n'


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('kind = "hights"', r"ground\.kind: unknown kind 'hights'; did you mean 'heights'\?"),
        ('colour = "#ffffff"', r"ground\.colour: unknown key; did you mean 'color'\?"),
        ('kind = "flat"\nfloor = 1.0', r"ground\.floor: unknown key; did you mean 'color'\?"),
        ("tiles = 1", r"ground\.tiles: unknown key; known here: color, height, kind, line_color, material"),
        (HEIGHTS, r"ground: write exactly one of the keys function and image"),
        (HEIGHTS + 'function = "x"\nimage = "a.png"', r"ground: write exactly one of the keys function and image"),
        (HEIGHTS + 'function = "x"\nlowest = 1.0', r"ground: lowest needs an image"),
        (HEIGHTS + 'image = "a.png"\nspacing = 1.0', r"ground: spacing needs a function"),
        (
            HEIGHTS + 'function = "open(x)"',
            r"ground\.function: 'open\(x\)' at column 1 is not allowed in a formula. Use only x, y",
        ),
        (
            HEIGHTS + 'function = "1 / (x - 1)"',
            r"ground\.function: the function must return a height in metres for each point \(got inf at x = 1, y = 2",
        ),
        (
            HEIGHTS + 'function = "1e12"',
            r"ground\.function: the function must return a height in metres for each point \(got 1e\+12 at x = -2",
        ),
        (
            HEIGHTS + 'function = "x"\nspacing = 0.001',
            r"ground\.spacing: .* 4001 x 4001 heights is too large: 16,008,001 heights, but the limit is 2,097,152",
        ),
        (HEIGHTS + 'image = "none.png"', r"ground\.image: .*none\.png: cannot read the picture: there is no such file"),
        (HEIGHTS + 'image = "text.png"', r"ground\.image: .*text\.png: this is text of an unknown type, not a picture"),
        (HEIGHTS + 'image = "thin.png"', r"ground\.image: .*thin\.png: the picture must have at least 2 x 2 pixels"),
        ('kind = "mesh"', r"ground\.model: this key is missing"),
        ('kind = "mesh"\nmodel = "none.gltf"', r"ground\.model: there is no file .*none\.gltf"),
        (
            'kind = "mesh"\nmodel = "empty.gltf"',
            r"ground\.model: empty\.gltf: the model must have triangles on which actors can stand",
        ),
        ('kind = "blocks"', r"ground\.blocks: this key is missing"),
        ('kind = "blocks"\nblocks = []', r"ground\.blocks: .*at least 1"),
        (BLOCK.format("heigth = 0.2"), r"ground\.blocks\[0\]\.heigth: unknown key; did you mean 'height'\?"),
        (
            BLOCK.format("height = 4.0, windows = { spacing = 1.2 }"),
            r"ground\.blocks\[0\]\.windows: windows must be at least 0.2 m apart \(got gaps of 0.1 m and 1.5 m\)",
        ),
        (
            BLOCK.format("height = 0.2, tilt_degrees = [90.0, 0.0]"),
            r"ground\.blocks\[0\]\.tilt_degrees\[0\]: .*less than 80",
        ),
    ],
)
def test_mistakes_are_told_in_one_line(text, says, tmp_path):
    (tmp_path / "text.png").write_text("no picture")
    Image.fromarray(np.zeros((1, 5), np.uint8)).save(tmp_path / "thin.png")
    empty = GltfBuilder()
    empty.add("nodes", name="nothing")
    empty.write(tmp_path / "empty.gltf")
    with pytest.raises(InputError, match=says) as error:
        ground_of(text, tmp_path)
    assert str(error.value).startswith("test.toml: ground")


def test_blocks_stand_in_a_height_field(tmp_path):
    """A stage on a slope: its top where it is, the slope elsewhere; it reaches down to the lowest ground."""
    text = HEIGHTS + 'function = "x"\nblocks = [{ at = [1.0, 0.0], size = [1.0, 1.0], height = 3.0 }]'
    ground = ground_of(text, tmp_path)
    assert [height_at(ground, x, 0.2) for x in (-1.5, 0.4, 1.0, 1.6)] == pytest.approx([-1.5, 0.4, 3, 1.6], abs=1e-5)
    field, stage = ground.surfaces
    assert field.triangle_count == 2 * 8 * 8
    assert stage.positions[:, 1].min() < -2


def test_blocks_have_colours_of_their_own(tmp_path):
    blocks = "blocks = [{}]"
    each = "{{ at = [{}, 0.0], size = [1.0, 1.0], height = {}{} }}"
    listed = [each.format(x, y, c) for x, y, c in ((0, 1, ""), (3, 2, ', color = "#ff0000"'), (6, 3, ""))]
    ground = ground_of('kind = "blocks"\n' + blocks.format(", ".join(listed)), tmp_path)
    plain, red = ground.surfaces
    assert (plain.color, red.color) == (None, (1.0, 0.0, 0.0))
    assert (plain.triangle_count, red.triangle_count) == (24, 12)
    assert red.positions[:, 1].max() == 2
    assert [height_at(ground, x, 0) for x in (0, 3, 6)] == pytest.approx([1, 2, 3])
