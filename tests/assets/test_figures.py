"""Figures: one mesh that is many people, held against measured people, the mannequin, and the CPU's skinning."""

import dataclasses

import numpy as np
import pytest
from PIL import Image

import ecs_anim as ea
from ecs_anim.assets.figures import Figure, MeshFigures
from ecs_anim.assets.hierarchy import skin_palette
from ecs_anim.assets.mesh import Mesh
from ecs_anim.assets.rig import Rig
from ecs_anim.assets.skinning import skin_linear
from ecs_anim.components.appearance import Appearance
from ecs_anim.components.character import Character
from ecs_anim.components.transforms import Transforms
from ecs_anim.gl.device.closed import is_closed
from ecs_anim.gl.model.crowd import CrowdDraw
from ecs_anim.levels.simplify import with_levels
from ecs_anim.mannequin import LOOKS
from ecs_anim.mannequin import proportions as P
from ecs_anim.mannequin.figures import FIGURES
from ecs_anim.mannequin.outfits import COLOURINGS, OUTFITS, looks, outfit_of, variants
from ecs_anim.mannequin.paint import painted, shadings
from ecs_anim.runtime.entry_boxes import entry_boxes
from ecs_anim.scenes.figures import draw_variants
from ecs_anim.scenes.rigs import load_model
from tests.helpers import EXHAUSTIVE
from tests.helpers.baked import CROWD, HEAD, mean_apart, other_pixels, picture
from tests.helpers.gl import context_fixture, instances_at, renderer_fixture  # noqa: F401
from tests.helpers.readback import gpu_vertices
from tests.mannequin.test_gait import _inside

MEN = ["man", "young man", "strong man", "stout man", "old man", "runner"]
WOMEN = ["woman", "young woman", "slim woman", "stout woman", "old woman", "woman runner"]
CHILDREN = ["boy", "girl"]
CHECKED = 5  # every fifth outfit
CHIN = 0.0, 1.53, 0.075  # [m], of the mannequin
WALKERS = """
seed = 4
[rigs.people]
model = "people"
[[crowds]]
name = "walkers"
rig = "people"
count = 40
layout = { kind = "scatter", radius = 9.0, min_distance = 0.8 }
heading_degrees = "random"
scale_range = [0.94, 1.06]
tints = ["#c8553d", "#3d6fa5", "#e0a93b"]
body = {}
KEYS
[crowds.steering]
goal = [20.0, 0.0]
radius = 0.2
sources = [{ area = [[-12, -2], [-10, -2], [-10, 2], [-12, 2]], rate_per_second = 1.5 }]
"""


@pytest.fixture(scope="module")
def people() -> Rig:
    return load_model("people")


@pytest.fixture(scope="module")
def mannequin() -> Rig:
    return load_model("mannequin")


@pytest.fixture(scope="module")
def shapes(people: Rig) -> dict[str, Mesh]:
    """The finest mesh of each figure, of its own size."""
    meshes = {own.name: people.level(0)[0].of_figure(k) for k, own in enumerate(people.figures)}
    sizes = {own.name: np.float32(own.size) for own in people.figures}
    return {name: dataclasses.replace(mesh, positions=mesh.positions * sizes[name]) for name, mesh in meshes.items()}


def volume(mesh: Mesh, vertex_count: int) -> float:
    """[m^3] of what the first vertices enclose."""
    triangles = mesh.indices.reshape(-1, 3)
    a, b, c = np.moveaxis(mesh.positions[triangles[(triangles < vertex_count).all(axis=1)]].astype(float), 1, 0)
    return float(np.sum(a * np.cross(b, c)) / 6)


def test_the_figures_are_those_of_the_tests_and_each_has_outfits(people):
    names = [own.name for own in people.figures]
    assert sorted(names) == sorted([*MEN, *WOMEN, *CHILDREN]) == sorted(OUTFITS)
    assert sum(own.share for own in people.figures) == pytest.approx(1.0)
    assert people.variant_count % len(names) == 0


def test_women_are_as_much_smaller_than_men_as_measured(people, shapes):
    """175.4 cm and 161.7 cm: means of adults in the United States (NHSR 122, 2018)."""
    shares = {own.name: own.share for own in people.figures}
    heights = {name: float(np.ptp(mesh.positions[:, 1])) for name, mesh in shapes.items()}

    def mean(names: list[str]) -> float:
        return sum(shares[n] * heights[n] for n in names) / sum(shares[n] for n in names)

    assert mean(WOMEN) / mean(MEN) == pytest.approx(161.7 / 175.4, abs=0.015)
    assert mean(MEN) == pytest.approx(1.754, abs=0.03)  # on soles of 2 cm
    assert 1.1 < min(heights[n] for n in CHILDREN) < max(heights[n] for n in CHILDREN) < 1.4


def test_builds_are_those_of_people(shapes, mannequin):
    """Body-mass indices, at the density of water: adults within the 5th and 95th percentile of measured ones."""
    count = mannequin.level(0)[0].vertex_count
    mass = {name: 1000 * volume(mesh, count) for name, mesh in shapes.items()}  # [kg]
    index = {name: mass[name] / np.ptp(shapes[name].positions[:count, 1]) ** 2 for name in shapes}
    assert all(17 < index[name] < 36 for name in [*MEN, *WOMEN])
    assert all(13 < index[name] < 19 for name in CHILDREN)
    assert index["young man"] < index["man"] < index["strong man"] < index["stout man"]
    assert index["slim woman"] < index["woman"] < index["stout woman"]
    assert all(mass[woman] < mass[man] for woman, man in zip(WOMEN, MEN, strict=True))


def test_children_are_six_and_a_half_heads_high_and_adults_seven_and_a_half(people, shapes):
    """P. Richer's canon of proportions (1890); at seven years of age the head is a sixth to a seventh."""
    top = people.level(0)[0]
    chin = np.argmin(np.linalg.norm(top.positions - CHIN, axis=1))
    heads = {
        name: np.ptp(m.positions[:, 1]) / (m.positions[:, 1].max() - m.positions[chin, 1]) for name, m in shapes.items()
    }
    assert all(5.8 < heads[name] < 7.0 for name in CHILDREN)
    assert all(7.0 < heads[name] < 8.5 for name in [*MEN, *WOMEN])


@pytest.mark.parametrize("level", range(4))
def test_shoes_stand_as_the_mannequins_so_that_whatever_holds_of_its_feet_holds_of_all(people, mannequin, level):
    plain, mesh = mannequin.level(level)[0], people.level(level)[0]
    names = people.skeleton.joint_names
    feet = [k for k, joint in enumerate(people.skeleton.skin_joints) if names[joint].endswith(("Foot", "ToeBase"))]
    shoe = (np.where(np.isin(plain.palette_indices, feet), plain.weights, 0).sum(axis=1) > 0.999).nonzero()[0]
    assert len(shoe) > 5
    for number in range(len(people.figures)):
        shape = mesh.of_figure(number)
        np.testing.assert_allclose(shape.positions[shoe], plain.positions[shoe], atol=1e-6)
        np.testing.assert_allclose(shape.positions[:, 1].min(), plain.positions[:, 1].min(), atol=1e-6)
    assert people.skeleton is not None
    np.testing.assert_array_equal(people.skeleton.inverse_bind, mannequin.skeleton.inverse_bind)
    assert {name: clip.extras for name, clip in people.clips.items()} == {
        name: clip.extras for name, clip in mannequin.clips.items()
    }


@pytest.mark.parametrize("level", range(4))
def test_every_figure_is_closed_mirrored_and_nowhere_inside_out(people, mannequin, level):
    mesh, plain = people.level(level)[0], mannequin.level(level)[0]
    assert is_closed(mesh)
    triangles = plain.indices.reshape(-1, 3)

    def faces(points: np.ndarray) -> np.ndarray:
        a, b, c = np.moveaxis(points[triangles].astype(float), 1, 0)
        return np.cross(b - a, c - a)

    for number in range(len(people.figures)):
        shape = mesh.of_figure(number)
        assert is_closed(shape)
        np.testing.assert_allclose(np.linalg.norm(shape.normals, axis=1), 1, atol=1e-5)
        turned = np.sum(faces(shape.positions) * faces(plain.positions), axis=1) < 0
        assert turned.mean() < 0.005
        points = {tuple(p) for p in shape.positions[: plain.vertex_count].round(5).tolist()}
        assert {(-x, y, z) for x, y, z in points} == points


@EXHAUSTIVE
def test_no_arm_goes_through_a_body(people):
    """Hardly a vertex of a forearm or a hand is inside the trunk, in what figures do most."""
    mesh = people.level(1)[0]
    names = [people.skeleton.joint_names[joint] for joint in people.skeleton.skin_joints]
    led = np.array(names)[mesh.palette_indices[np.arange(mesh.vertex_count), mesh.weights.argmax(axis=1)]]
    limbs = np.isin(led, [side + name for side in ("Left", "Right") for name in ("ForeArm", "Hand")])
    trunk = np.isin(led, ["Hips", "Spine", "Spine1", "Spine2"])
    body = mesh.indices.reshape(-1, 3)
    body = body[trunk[body].all(axis=1)]
    for clip in (people.clips["idle"], people.clips["walk"]):
        palette = skin_palette(people.skeleton, clip.sample(np.linspace(clip.start, clip.end, 5)[:-1]))
        for number, figure in enumerate(people.figures):
            for skin in skin_linear(mesh.of_figure(number), palette)[0].astype(float):
                assert _inside(skin[limbs], skin[body]).mean() < 0.02, (clip.name, figure.name)


@EXHAUSTIVE
def test_skirts_cover_thighs_that_walk(people, mannequin):
    """Of vertices of the thighs well above the hem, nearly all are within the skirt."""
    mesh, count = people.level(0)[0], mannequin.level(0)[0].vertex_count
    triangles = mesh.indices.reshape(-1, 3)
    skirt = triangles[(triangles >= count).all(axis=1)]
    clip = people.clips["walk"]
    palette = skin_palette(people.skeleton, clip.sample(np.linspace(clip.start, clip.end, 9)[:-1]))
    worn = 0
    for number in range(len(people.figures)):
        shape = mesh.of_figure(number)
        hem = shape.positions[count:, 1].min()
        if hem > 0.9:
            continue
        worn += 1
        height = shape.positions[:count, 1]
        thighs = np.flatnonzero((height > hem + 0.08) & (height < 0.85) & (np.abs(shape.positions[:count, 0]) < 0.28))
        assert len(thighs) > 50
        for skin in skin_linear(shape, palette)[0].astype(float):
            assert _inside(skin[thighs], skin[skirt]).mean() > 0.9
    assert worn == 3


@pytest.mark.parametrize("name", ["sit", "run", "jump"])
def test_skirts_lie_on_raised_thighs(people, mannequin, name):
    """No vertex of a skirt is further from the line between hip and knee than cloth that is pulled over two thighs."""
    mesh, count = people.level(0)[0], mannequin.level(0)[0].vertex_count
    clip = people.clips[name]
    pose = clip.sample(np.linspace(clip.start, clip.end, 9)[:-1])
    palette, joints = skin_palette(people.skeleton, pose), people.skeleton.joint_names
    entries = [list(people.skeleton.skin_joints).index(joints.index(f"{side}UpLeg")) for side in ("Left", "Right")]
    worn = [k for k in range(len(people.figures)) if np.ptp(mesh.of_figure(k).positions[count:, 1]) > 0.1]
    assert len(worn) == 3
    for number in worn:
        shape = mesh.of_figure(number)
        low = count + np.flatnonzero(shape.positions[count:, 1] < 0.8)
        skirts = skin_linear(shape, palette)[0][:, low]
        legs = [_segment_distance(skirts, palette[:, e], side) for e, side in zip(entries, (1, -1), strict=True)]
        assert np.minimum(*legs).max() < 0.19


def _segment_distance(points: np.ndarray, matrices: np.ndarray, side: int) -> np.ndarray:
    """[pose, point] in metres, to the line from hip to knee of the mannequin's bind pose, moved by `matrices`."""
    ends = np.array([P.LEFT_POINTS[name] * (side, 1, 1) for name in ("UpLeg", "Leg")])
    hip, knee = np.moveaxis(np.einsum("pij,ej->epi", matrices[:, :, :3], ends) + matrices[:, :, 3], 0, 0)
    axis = knee - hip
    share = np.einsum("pni,pi->pn", points - hip[:, None], axis) / np.sum(axis * axis, axis=1)[:, None]
    return np.linalg.norm(points - hip[:, None] - np.clip(share, 0, 1)[..., None] * axis[:, None], axis=-1)


def test_boxes_hold_every_figure(people):
    entries, corners = entry_boxes(people.meshes)
    low, high = corners.min(axis=1), corners.max(axis=1)
    for mesh in people.meshes:
        for number in range(len(people.figures)):
            for influence in range(4):
                used = mesh.weights[:, influence] > 0
                row = np.searchsorted(entries, mesh.palette_indices[used, influence])
                points = mesh.of_figure(number).positions[used]
                assert (points >= low[row] - 1e-6).all()
                assert (points <= high[row] + 1e-6).all()


@pytest.mark.parametrize("level", range(4))
def test_the_gpu_gives_each_actor_the_figure_of_their_variant(renderer, people, level):
    meshes = people.level(level)
    variants = np.arange(people.variant_count, dtype=np.int32)[::-1].copy()
    clip = people.clips["walk"]
    pose = clip.sample(np.linspace(clip.start, clip.end, len(variants)))
    palettes = np.ascontiguousarray(skin_palette(people.skeleton, pose))
    with renderer.upload(meshes) as model:
        crowd = CrowdDraw(model, instances_at(np.zeros((len(variants), 3))), palettes, variants=variants)
        positions, normals = gpu_vertices(renderer, crowd, 0)
    for row, variant in enumerate(variants):
        expected, turned = skin_linear(meshes[0].of_figure(int(variant) % len(people.figures)), palettes[row])
        np.testing.assert_allclose(positions[row], expected, atol=2e-5)
        np.testing.assert_allclose(normals[row], turned, atol=2e-3)


@pytest.mark.parametrize("keys", ['path = "baked"', 'path = "baked"\nbake = { space = "model", shader = "classic" }'])
@EXHAUSTIVE
def test_a_baked_crowd_shows_the_same_people(renderer, tmp_path, monkeypatch, keys):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr("ecs_anim.systems.drawing.CASTER", 0)
    text = (HEAD + CROWD).replace('"mannequin"', '"people"')
    posed, baked = picture(renderer, text), picture(renderer, text, keys)
    others = picture(renderer, text, 'figures = ["boy"]')
    assert mean_apart(baked, posed) < min(0.012, mean_apart(others, posed) / 30)
    assert other_pixels(baked, posed) < 0.0005


@EXHAUSTIVE
def test_generator_paints_the_picture_that_ships():
    """Else run `python -m ecs_anim.mannequin` and commit what it writes."""
    shipped, shading = variants(np.asarray(Image.open(LOOKS))), shadings()
    assert len(shipped) == COLOURINGS * len(FIGURES)
    for number in range(0, len(shipped), CHECKED):
        colouring, figure = divmod(number, len(FIGURES))
        made = painted(outfit_of(FIGURES[figure], colouring), shading)
        np.testing.assert_allclose(shipped[number].astype(int), made.astype(int), atol=2)


@pytest.mark.exhaustive
def test_generator_paints_all_of_it():
    np.testing.assert_allclose(np.asarray(Image.open(LOOKS), int), looks().astype(int), atol=2)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "people.toml").write_text(WALKERS.replace("KEYS", ""))
    (tmp_path / "mannequins.toml").write_text(WALKERS.replace("KEYS", "").replace('"people"\n[[', '"mannequin"\n[['))
    (tmp_path / "women.toml").write_text(WALKERS.replace("KEYS", 'figures = ["woman", "woman", "girl"]'))
    return tmp_path


def walked(path) -> tuple[np.ndarray, ...]:
    """Where all are after 4 s, newcomers too, their tints, and who they are."""
    with ea.load_scene(path) as world:
        for _ in range(80):
            world.step(1 / 20, posed=False)
        ((_, (transforms, looks_)),) = world.query(Transforms, Appearance)
        return (
            transforms.translation.copy(),
            transforms.rotation.copy(),
            looks_.tint.copy(),
            np.zeros(0) if looks_.variant is None else looks_.variant.copy(),
            transforms.scale.copy(),
        )


@EXHAUSTIVE
def test_who_people_are_changes_nothing_of_where_they_go(folder):
    *here, variants, sizes = walked(folder / "people.toml")
    *there, none, plain = walked(folder / "mannequins.toml")
    *women, chosen, _ = walked(folder / "women.toml")
    for own, other, third in zip(here, there, women, strict=True):
        np.testing.assert_array_equal(own, other)
        np.testing.assert_array_equal(own, third)
    assert len(variants) > 42
    assert not len(none)
    figures = load_model("people").figures
    by_figure = np.array([own.size for own in figures])[variants % len(figures)]
    np.testing.assert_allclose(sizes, plain * by_figure, rtol=1e-6)
    names = {figures[k].name for k in chosen % len(figures)}
    assert names == {"woman", "girl"}
    assert len({figures[k].name for k in variants[40:] % len(figures)}) > 1


def test_figures_are_drawn_as_often_as_their_shares_say(people):
    shares = np.array([own.share for own in people.figures])
    rng = np.random.default_rng(5)
    variants = draw_variants(people, shares, 20_000, rng)
    assert rng.random() == np.random.default_rng(5).random()
    counts = np.bincount(variants, minlength=people.variant_count).reshape(-1, len(shares))
    assert (counts[:, shares == 0] == 0).all()
    expected = np.broadcast_to(20_000 * shares / len(counts), counts.shape)
    drawn = expected > 0
    chi_squared = np.sum((counts[drawn] - expected[drawn]) ** 2 / expected[drawn])
    assert chi_squared < 1.8 * drawn.sum()  # 4 sigma for 24 kinds


def test_factors_change_the_shares_of_builds_and_skin_tones():
    keys = "count = 3000\nfigures = { stout = 2.0, dark_skin = 3.0, light_skin = 0.0 }"
    scene = f'rigs.people = {{ model = "people" }}\n[[crowds]]\nrig = "people"\nclips = [{{ name = "idle" }}]\n{keys}'
    with ea.load_scene(scene, threads=1) as world:
        ((character, look),) = (own for _, own in world.query(Character, Appearance))
        rig, variants = character.rig, look.variant
    figures = [rig.figures[k] for k in variants % len(rig.figures)]
    tones = [own.skin_tones[k] for own, k in zip(figures, variants // len(rig.figures), strict=True)]
    weights = [
        (own, tone, own.share * (2 if own.build == "stout" else 1) * {"l": 0, "m": 1, "d": 3}[tone[0]])
        for own in rig.figures
        for tone in own.skin_tones[:COLOURINGS]
    ]
    total = sum(weight for _, _, weight in weights)
    for kind in ("stout", "average"):
        wanted = sum(weight for own, _, weight in weights if own.build == kind) / total
        assert np.mean([own.build == kind for own in figures]) == pytest.approx(wanted, abs=0.035)
    assert tones.count("light_skin") == 0
    wanted = sum(weight for _, tone, weight in weights if tone == "dark_skin") / total
    assert tones.count("dark_skin") / 3000 == pytest.approx(wanted, abs=0.035)


def test_skin_tones_are_groups_of_the_typology_angle(people):
    for figure in people.figures:
        for tone, outfit in zip(figure.skin_tones, OUTFITS[figure.name], strict=False):
            color = np.array(outfit.skin) / 255
            linear = np.where(color <= 0.04045, color / 12.92, ((color + 0.055) / 1.055) ** 2.4)
            y, z = np.cbrt([[0.2126, 0.7152, 0.0722], [0.0193 / 1.089, 0.1192 / 1.089, 0.9505 / 1.089]] @ linear)
            angle = np.degrees(np.arctan2(116 * y - 16 - 50, 200 * (y - z)))
            assert tone == ("light_skin" if angle > 41 else "medium_skin" if angle > 10 else "dark_skin")


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (("KEYS", 'figures = ["womann"]'), "crowds[0].figures[0]: rig 'people' (people) has no figure 'womann';"),
        (('"people"\n[[', '"mannequin"\n[['), "crowds[0].figures: rig 'people' (mannequin) has no figures"),
        (("KEYS", 'variants = ["a.png"]'), "crowds[0].variants: the figures of rig 'people' (people) have their own"),
        (('"people"\n[[', '"people"\nlevels = "made"\n[['), "rigs.people.levels: the program cannot make detail"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_told_in_one_line(tmp_path, change, told):
    path = tmp_path / "x.toml"
    path.write_text(WALKERS.replace(*change).replace("KEYS", 'figures = ["woman"]'))
    with pytest.raises(ea.InputError) as caught:
        ea.load_scene(path)
    assert str(caught.value).startswith(f"{path}: {told}") or f"x.toml: {told}" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_rig_whose_meshes_have_other_figures_is_told(people, mannequin):
    with pytest.raises(ValueError, match="must have all 1 figures .body shapes. of the rig, or none"):
        dataclasses.replace(people, figures=(Figure("man"),))
    short = MeshFigures(np.zeros((1, 3, 3), np.float32), np.zeros((1, 3, 3), np.float32))
    with pytest.raises(ValueError, match="each figure .body shape. of a mesh must have one position for each of the"):
        dataclasses.replace(mannequin.meshes[0], figures=short)
    with pytest.raises(ValueError, match="a figure .body shape. must have a size above 0 and a share of 0 or more"):
        Figure("nobody", size=0.0)
    with pytest.raises(ea.InputError, match="the program cannot make detail levels"):
        with_levels(people)


def test_people_who_are_saved_go_on_as_themselves(folder, tmp_path):
    with ea.load_scene(folder / "people.toml") as world:
        for _ in range(30):
            world.step(1 / 20)
        world.save(tmp_path / "noon.npz")
        for _ in range(30):
            world.step(1 / 20)
        ((_, (later,)),) = world.query(Appearance)
        with ea.load_world(tmp_path / "noon.npz", folder / "people.toml") as again:
            for _ in range(30):
                again.step(1 / 20)
            ((_, (looks_,)),) = again.query(Appearance)
            np.testing.assert_array_equal(looks_.variant, later.variant)
