"""Props of scenes: where they stand, how they are drawn, what they block, and the message for each mistake."""

import numpy as np
import pygltflib
import pytest

import ecs_anim as ea
from ecs_anim.components.steering import Surroundings
from ecs_anim.components.transforms import Transforms
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.loader import parse_scene
from ecs_anim.support.errors import InputError
from ecs_anim.support.gltf_content import Content
from ecs_anim.systems.queries import stage_of
from ecs_anim.view.label_passes import CLASSES
from ecs_anim.walls.queries import may_be_at
from tests.helpers.gl import context_fixture  # noqa: F401

CROWD = """
[rigs.one]
model = "ball"
[[crowds]]
rig = "one"
count = 3
layout = { kind = "scatter", radius = 2.0, center = [-40.0, 0.0] }
clips = [{ name = "rest" }]
"""
FACES = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
BEAM = (-0.2, 0.2, 0.0, 0.5, 0.0, 2.0)  # x, y and z of a beam in front of the origin: 0.4 m wide, 2 m long
EAST = 'model = "beam.glb"\nposition = [3.0, 4.0]\nheading_degrees = 0.0\n'


def write_boxes(path, *boxes, node=(0.0, 0.0, 0.0)) -> None:
    """Write a .glb with axis-aligned boxes (x, x, y, y, z, z), whose node is moved by `node`."""
    content = Content({"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}]})
    corners = np.concatenate(
        [np.stack(np.meshgrid(b[:2], b[2:4], b[4:], indexing="ij"), -1).reshape(8, 3) for b in boxes]
    )
    quads = np.concatenate([np.array(FACES) + 8 * number for number in range(len(boxes))])
    indices = np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]]).reshape(-1, 1)
    attributes = {"POSITION": content.accessor(corners - np.array(node), bounds=True)}
    primitive = {"attributes": attributes, "indices": content.accessor(indices, "u4")}
    content.item("meshes", {"primitives": [primitive]})
    content.item("nodes", {"mesh": 0, "translation": list(node)})
    path.write_bytes(content.glb())


@pytest.fixture
def folder(tmp_path):
    write_boxes(tmp_path / "beam.glb", BEAM, node=(0.0, 0.1, 0.3))
    return tmp_path


def loaded(text, folder, **options):
    return load_scene(parse_scene(CROWD + text, "test.toml", folder), threads=1, **options)


def props_of(text, folder, **options):
    with loaded(f"[[props]]\n{text}", folder, **options) as world:
        return stage_of(world).props


def seen_below(world, x, y):
    """Return the capture of a camera 20 m above a plan point that looks straight down."""
    down = ea.PinholeCamera.looking(ea.Lens.of_view((3, 3), 0.01), [x, 20.0, -y], [x, 0.0, -y], up=[0, 0, -1])
    (seen,) = ea.capture(world, [down], ["rgb", "classes", "depth", "ids", "flow"])
    return seen


def test_a_prop_is_seen_where_its_heading_points(folder, context):
    with loaded(f"[[props]]\n{EAST}scale = 2.0\n", folder) as world:
        for at, name, height in (((6.8, 4.0), "prop", 1.0), ((3.1, 4.3), "prop", 1.0), ((2.8, 4.0), "ground", 0.0)):
            seen = seen_below(world, *at)
            assert CLASSES[seen.classes[1, 1]] == name
            assert seen.depth[1, 1] == pytest.approx(20 - height, abs=1e-4)
            assert seen.ids[1, 1] == 0
        assert CLASSES[seen_below(world, 3.0, 6.0).classes[1, 1]] == "ground"


def test_a_prop_does_not_flow(folder, context):
    with loaded(f"[[props]]\n{EAST}", folder) as world:
        seen_below(world, 4.0, 4.0)
        world.step(0.1)
        seen = seen_below(world, 4.0, 4.0)
    assert CLASSES[seen.classes[1, 1]] == "prop"
    np.testing.assert_allclose(seen.flow[1, 1], 0, atol=1e-3)


def test_a_prop_casts_a_shadow_away_from_the_sun(folder, context):
    sun = "[light]\nsun_azimuth_degrees = 180.0\nsun_elevation_degrees = 45.0\n[ground]\nmaterial = 'plain'\n"
    with loaded(f"[[props]]\n{EAST}{sun}", folder) as world:
        lit, shaded = (int(seen_below(world, 4.0, y).rgb[1, 1].sum()) for y in (3.5, 4.5))
    assert shaded < lit - 60


def test_props_stand_on_uneven_ground(folder):
    ground = '[ground]\nkind = "heights"\nfunction = "x / 10"\nsize = [40.0, 40.0]\n'
    (own,) = props_of(f"{EAST}ground_offset = 0.25\n{ground}", folder)
    np.testing.assert_allclose(own.instances[0, :3], [3.0, 0.55, -4.0], atol=1e-6)
    np.testing.assert_allclose(own.contacts[0], [0.3, *np.array([-0.1, 1, 0]) / np.sqrt(1.01)], atol=1e-6)


def test_layouts_and_sizes_of_props_follow_the_seed(folder):
    text = 'model = "beam.glb"\ncount = 40\nlayout = { kind = "scatter", radius = 30.0, min_distance = 3.0 }\n'
    text += 'heading_degrees = "random"\nheight = 2.0\nscale_range = [0.5, 1.5]\n'
    one, again, other = (props_of(text, folder, seed=seed)[0].instances for seed in (1, 1, 2))
    np.testing.assert_array_equal(one, again)
    assert (one[:, :3] != other[:, :3]).any()
    apart = np.linalg.norm(one[:, None, [0, 2]] - one[:, [0, 2]], axis=-1)[~np.eye(40, dtype=bool)]
    assert apart.min() >= 3.0
    heights = 0.5 * one[:, 3]  # the beam is half a metre high
    assert 1.0 <= heights.min() < 1.4 < 2.6 < heights.max() <= 3.0


def test_props_do_not_change_the_random_numbers_of_crowds(folder):
    placed = []
    for text in ("", f"[[props]]\n{EAST}"):
        with loaded(text, folder) as world:
            placed.append([row.translation.copy() for _, (row,) in world.query(Transforms)])
    np.testing.assert_array_equal(*placed)


def test_new_seeds_keep_the_models_of_built_in_props():
    text = """
rigs = { people = { model = "mannequin" } }
crowds = [{ rig = "people", count = 1, clips = [{ name = "walk" }] }]
props = [{ model = "tree", count = 3, layout = { kind = "scatter", radius = 9.0 } }]
"""
    with load_scene(text, seed=1) as world:
        before = stage_of(world).props[0]
        world.reset(seed=2)
        after = stage_of(world).props[0]
        assert after.model is before.model  # the GPU has these meshes
        assert not np.array_equal(after.instances, before.instances)


def test_an_obstacle_is_its_hull_below_two_metres(folder):
    """A post of 0.4 m with a roof of 4 m at a height of 2.5 m blocks as the post does."""
    write_boxes(folder / "roof.glb", (-0.2, 0.2, 0.0, 2.5, -0.2, 0.2), (-2.0, 2.0, 2.5, 2.6, -2.0, 2.0))
    text = '[[props]]\nmodel = "roof.glb"\npositions = [[3.0, 0.0], [9.0, 0.0]]\nheading_degrees = [0.0, 45.0]\n'
    points = np.array([[3.15, 0.15], [3.25, 0.0], [9.25, 0.0], [9.19, 0.19], [3.0, 1.5]])
    free = [False, True, False, True, True]
    with loaded(text, folder) as world:
        assert stage_of(world).walls is None
    with loaded(f"{text}obstacle = true\n", folder) as world:
        walls = stage_of(world).walls
        assert may_be_at(walls.arrays, points).tolist() == free
        assert walls.surfaces == ()
    with loaded(f"{text}obstacle = true\nradius = 1.0\n", folder) as world:
        free = may_be_at(stage_of(world).walls.arrays, np.array([[3.99, 0.0], [9.0, -0.99], [4.1, 0.0]]))
        assert free.tolist() == [False, False, True]


def test_obstacles_and_walls_block_together(folder):
    room = '[walls]\nwkt = "POLYGON ((-50 -10, 20 -10, 20 10, -50 10, -50 -10))"\n'
    room += '[[walls.doors]]\nname = "gate"\nshape = [[15, -10], [15, 10]]\n'
    points = np.array([[4.0, 4.0], [4.0, 5.0], [25.0, 0.0]])
    with loaded(f"{room}[[props]]\n{EAST}obstacle = true\n", folder) as world:
        drawn = [surface.positions for surface in stage_of(world).walls.surfaces]
        assert may_be_at(stage_of(world).walls.arrays, points).tolist() == [False, True, False]
        ea.doors(world).open("gate")
        assert may_be_at(stage_of(world).walls.arrays, points).tolist() == [False, True, False]
    with loaded(room, folder) as world:
        for own, alone in zip(drawn, stage_of(world).walls.surfaces, strict=True):
            np.testing.assert_array_equal(own, alone.positions)  # obstacles have no drawn walls


@pytest.mark.exhaustive
def test_actors_steer_around_a_prop(folder):
    write_boxes(folder / "block.glb", (-1.0, 1.0, 0.0, 1.0, -1.0, 1.0))
    steered = CROWD.replace("[-40.0, 0.0]", "[-5.0, 0.0]").replace('"ball"', '"mannequin"').replace("clips", "#")
    steered += "body = {}\nsteering = { goal = [5.0, 0.0], goal_radius = 1.0 }\n[[props]]\n"
    steered += 'model = "block.glb"\nposition = [0.0, 0.0]\nobstacle = true\n'
    with load_scene(parse_scene(steered, "test.toml", folder), threads=1) as world:
        ((_, (around,)),), ((_, (row,)),) = world.query(Surroundings), world.query(Transforms)
        for _ in range(500):
            world.step(1 / 30)
            assert may_be_at(around.walls, row.translation[:, ::2] * (1, -1)).all()
        assert (row.translation[:, 0] > 3).all()


def test_a_snapshot_of_a_scene_with_props_loads(folder, tmp_path):
    scene = parse_scene(f"{CROWD}[[props]]\n{EAST}obstacle = true\n", "test.toml", folder)
    with load_scene(scene, threads=1) as world:
        world.step(0.1)
        world.save(tmp_path / "props.snap")
        before = stage_of(world).props[0].instances
    with ea.load_world(tmp_path / "props.snap", scene, threads=1) as world:
        np.testing.assert_array_equal(stage_of(world).props[0].instances, before)


def test_an_export_contains_the_props(folder, tmp_path):
    with loaded(f"[[props]]\n{EAST}scale = 2.0\n", folder) as world:
        ea.export(world, tmp_path / "out.glb", frames=1)
    read = pygltflib.GLTF2().load(str(tmp_path / "out.glb"))
    (node,) = (node for node in read.nodes if node.name == "beam_1")
    accessor = read.accessors[read.meshes[node.mesh].primitives[0].attributes.POSITION]
    np.testing.assert_allclose([accessor.min, accessor.max], np.reshape(BEAM, (3, 2)).T, atol=1e-6)
    np.testing.assert_allclose(node.translation, [3, 0, -4], atol=1e-6)
    np.testing.assert_allclose(np.abs(node.rotation), [0, np.sqrt(0.5), 0, np.sqrt(0.5)], atol=1e-6)
    assert node.scale == [2, 2, 2]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('model = "none.glb"\nposition = [0.0, 0.0]', "props[0].model: there is no file"),
        ('model = "beam.glb"', "props[0]: write exactly one of the keys position, positions and layout"),
        (f"{EAST}positions = [[0.0, 0.0]]", "props[0]: write exactly one of the keys position, positions and layout"),
        (f"{EAST}radius = 1.0", "props[0]: radius needs obstacle = true"),
        (f"{EAST}count = 3", "props[0]: count needs a layout"),
        ('model = "beam.glb"\nlayout = { kind = "grid" }', "props[0]: layout needs a count"),
        ('model = "beam.glb"\nlayout = { kind = "seats" }\ncount = 3', "props[0].layout.kind: unknown kind 'seats'"),
        (f"{EAST}obstacl = true", "props[0].obstacl: unknown key; did you mean 'obstacle'?"),
        (EAST.replace("0.0\n", "[0.0, 90.0]\n"), "props[0]: heading_degrees: a list must have one heading for each"),
        (
            f"{EAST}obstacle = true\nground_offset = 3.0",
            "props[0].obstacle: the model has no parts below 2 m that cover",
        ),
    ],
)
def test_each_mistake_has_one_line(text, problem, folder):
    with pytest.raises(InputError) as error:
        loaded(f"[[props]]\n{text}\n", folder).close()
    (line,) = error.value.problems
    assert problem in line


LEVELS = """
[rigs.one]
model = "mannequin"
[[levels]]
name = "low"
height = -3.4
area = [[-8, -6], [8, -6], [8, 6], [-8, 6]]
[[levels]]
name = "high"
height = 0.0
area = [[-8, -6], [8, -6], [8, 6], [-8, 6]]
[[stairs]]
foot = { at = [0, -3], level = "low" }
to = "high"
heading_degrees = 90
[[crowds]]
rig = "one"
count = 1
layout = { kind = "grid", center = [-5, 0], level = "low" }
body = {}
steering = { goal = { at = [5, -4], level = "low" } }
"""
BEAM_ON_LOW = f'[[props]]\n{EAST}obstacle = true\nlevel = "low"\n'


def test_props_stand_on_their_level_and_are_drawn_with_their_storey(folder):
    scene = parse_scene(LEVELS + BEAM_ON_LOW + f"[[props]]\n{EAST}", "test.toml", folder)
    with load_scene(scene, threads=1) as world:
        stage = stage_of(world)
        low, high = stage.props
        np.testing.assert_allclose(low.instances[0, :3], [3.0, -3.4, -4.0], atol=1e-6)
        np.testing.assert_allclose(low.contacts[0], [-3.4, 0, 1, 0], atol=1e-6)
        np.testing.assert_allclose(high.instances[0, :3], [3.0, 0.0, -4.0], atol=1e-6)
        assert stage.drawn_props == (low, high)
        stage.shown_storeys = range(1, 2)
        assert stage.drawn_props == (high,)


def test_an_obstacle_blocks_only_its_level(folder):
    """The beam covers x = 3 to 5 and y = 3.8 to 4.2 on the level "low"."""
    with load_scene(parse_scene(LEVELS + BEAM_ON_LOW, "test.toml", folder), threads=1) as world:
        ((_, (around,)),) = world.query(Surroundings)
        offsets = around.spaces.arrays.offsets
        points = np.array([[4.0, 4.0], [4.0, 4.4]]) + offsets[:2, None]
        free = [may_be_at(around.walls, own).tolist() for own in points]
    assert free == [[False, True], [True, True]]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (BEAM_ON_LOW.replace("low", "lwo"), "props[0].level: the scene has no level 'lwo'"),
        (BEAM_ON_LOW.replace("3.0, 4.0", "9.0, 4.0"), "props[0]: level 'low' has no floor at [9, 4]. Move the prop"),
        (BEAM_ON_LOW.replace('level = "low"', ""), "props[0].obstacle: an obstacle in a scene with levels needs"),
        (BEAM_ON_LOW.replace("3.0, 4.0", "-0.5, -3.4"), "the lower end of 'stairs[0]' at [0, -3] ends in the air"),
    ],
)
def test_wrong_levels_of_props_are_errors(text, problem, folder):
    with pytest.raises(InputError) as error:
        load_scene(parse_scene(LEVELS + text, "test.toml", folder), threads=1)
    assert problem in str(error.value)
    assert "\n" not in str(error.value)


def test_a_level_needs_a_scene_with_levels(folder):
    with pytest.raises(InputError, match=r"props\[0\].level: the scene has no levels"):
        props_of(f'{EAST}level = "low"\n', folder)
