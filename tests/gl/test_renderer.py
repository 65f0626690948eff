import dataclasses

import numpy as np
import pytest

from ecs_anim.assets.mesh import Material, Mesh, Texture
from ecs_anim.gl.device import program as program_module
from ecs_anim.gl.model.crowd import CrowdDraw
from ecs_anim.gl.model.model import MeshVariant
from ecs_anim.gl.picture.renderer import Renderer
from ecs_anim.view.camera import OrbitCamera
from ecs_anim.view.style import GroundStyle, Lighting
from tests.helpers.gl import (  # noqa: F401
    capsule,
    context_fixture,
    flat_box,
    identity_palettes,
    instances_at,
    renderer_fixture,
    take_picture,
)

# All light from everywhere: a surface shows its colour.
PLAIN = Lighting(sun_color=(0, 0, 0), sky_color=(0.5, 0.5, 0.5), bounce_color=(0.5, 0.5, 0.5))
# Neither fog nor shade from the ground reaches what stands at y = 0.
FAR_BELOW = GroundStyle(height=-50.0, fog_start=1000.0, fog_end=2000.0)


def srgb(linear: float) -> int:
    return round(255 * (12.92 * linear if linear <= 0.0031308 else 1.055 * linear ** (1 / 2.4) - 0.055))


def crowd_of(renderer: Renderer, mesh: Mesh, translations=((0.0, 0.0, 0.0),), **changes) -> CrowdDraw:
    translations = np.asarray(translations, np.float32)
    model = renderer.upload((mesh,))
    return CrowdDraw(model, instances_at(translations), identity_palettes(len(translations)), **changes)


def plaza(renderer: Renderer, actor_count: int = 23) -> CrowdDraw:
    rng = np.random.default_rng(1)
    places = rng.uniform(-3, 3, (actor_count, 3)) * [1, 0, 1]
    crowd = crowd_of(renderer, capsule(), places)
    crowd.instances[:, 8:11] = rng.uniform(0.1, 0.9, (actor_count, 3))
    return crowd


def middle(picture: np.ndarray) -> np.ndarray:
    return picture[picture.shape[0] // 2, picture.shape[1] // 2].astype(int)


def lookup(target=(0.0, 0.5, 0.0), **changes) -> OrbitCamera:
    return OrbitCamera(target=np.array(target), **{"distance": 4.0, "elevation": 0.0} | changes)


def test_actor_stands_where_it_is_put(renderer):
    left = take_picture(renderer, [crowd_of(renderer, capsule(), [[-1, 0, 0]])], ground=None)
    right = take_picture(renderer, [crowd_of(renderer, capsule(), [[1, 0, 0]])], ground=None)
    nothing = take_picture(renderer, [], ground=None)
    changed_left, changed_right = ((picture != nothing).any(axis=-1) for picture in (left, right))
    assert changed_left[:, :80].sum() > 300
    assert not changed_left[:, 80:].any()
    assert (changed_left != changed_right[:, ::-1]).sum() <= 3  # the light comes from one side


@pytest.mark.parametrize("samples", [1, 4])
def test_batches_give_the_same_picture(context, samples):
    with Renderer(context, samples) as whole, Renderer(context, samples, max_palette_texels=3 * 3 * 4) as cut:
        np.testing.assert_array_equal(take_picture(whole, [plaza(whole)]), take_picture(cut, [plaza(cut)]))


def test_colour_is_base_colour_times_tint_in_linear_light(renderer):
    crowd = crowd_of(renderer, flat_box(Material(base_color=(0.8, 0.4, 0.2, 1.0))))
    crowd.instances[:, 8:] = [0.5, 1.0, 0.25, 1.0]
    lighting = dataclasses.replace(PLAIN, sky_color=(1, 1, 1), bounce_color=(1, 1, 1))
    picture = take_picture(renderer, [crowd], lookup(distance=20.0), lighting=lighting, ground=FAR_BELOW)
    expected = [srgb(0.4), srgb(0.4), srgb(0.05)]
    np.testing.assert_allclose(middle(picture), expected, atol=2)


def test_tint_strength_and_the_opaque_alpha_mask(renderer):
    def seen(alpha: float, strength: float) -> np.ndarray:
        crowd = crowd_of(renderer, flat_box(Material(base_color=(0.5, 0.5, 0.5, alpha))))
        crowd.instances[:, 8:] = [1.0, 0.0, 0.0, strength]
        return middle(take_picture(renderer, [crowd], lookup(), lighting=PLAIN, ground=None))

    np.testing.assert_array_equal(seen(0.0, 1.0), seen(1.0, 0.0))
    assert seen(1.0, 1.0)[1] < 60 < seen(0.0, 1.0)[1]


def test_texture_row_zero_is_at_v_zero_and_decodes_srgb(renderer):
    pixels = np.zeros((2, 1, 4), np.uint8)
    pixels[0], pixels[1] = [188, 0, 0, 255], [0, 0, 188, 255]
    mesh = capsule(material=Material(texture=Texture(pixels, repeat=False)))  # v = 0 at the top of the head
    camera = lookup(target=(0.0, 0.85, 0.0), distance=3.0)
    picture = take_picture(renderer, [crowd_of(renderer, mesh)], camera, lighting=PLAIN, ground=None).astype(int)
    top, bottom = picture[30, 80], picture[90, 80]
    assert top[0] > 2 * top[2]
    assert bottom[2] > 2 * bottom[0]


def test_one_image_is_uploaded_once_and_freed_with_its_last_model(renderer):
    texture = Texture(np.full((4, 4, 4), 255, np.uint8))
    first = renderer.upload((capsule(material=Material(texture=texture)),))
    second = renderer.upload((flat_box(Material(texture=texture)),))
    image = first.meshes[0].texture
    assert second.meshes[0].texture is image
    first.free()
    assert not image.freed
    second.free()
    assert image.freed


def test_alpha_cutoff_drops_fragments(renderer):
    pixels = np.full((1, 1, 4), [255, 255, 255, 100], np.uint8)
    nothing = take_picture(renderer, [], lookup(), ground=None)
    for cutoff, visible in ((0.5, False), (0.3, True), (None, True)):
        material = Material(texture=Texture(pixels), alpha_cutoff=cutoff)
        picture = take_picture(renderer, [crowd_of(renderer, capsule(material=material))], lookup(), ground=None)
        assert (picture != nothing).any() == visible


def one_triangle(double_sided: bool) -> Mesh:
    """Facing +Z."""
    box = flat_box(Material(double_sided=double_sided))
    front = np.flatnonzero(box.normals[:, 2] > 0.5)
    first = next(t for t in box.indices.reshape(-1, 3) if t[2] in front)
    return dataclasses.replace(box, indices=first.copy())


def test_back_faces_show_only_where_double_sided(renderer):
    nothing = take_picture(renderer, [], lookup(azimuth=0.0), ground=None)
    for double_sided in (False, True):
        crowd = crowd_of(renderer, one_triangle(double_sided))
        front = take_picture(renderer, [crowd], lookup(), ground=None)
        back = take_picture(renderer, [crowd], lookup(azimuth=0.0), ground=None)
        assert (front != nothing).any()
        assert (back != nothing).any() == double_sided


def test_a_back_face_is_lit_from_its_own_side(renderer):
    crowd = crowd_of(renderer, one_triangle(True))
    sun_behind = Lighting(sun_direction=(0, 0, -1))
    camera = lookup(azimuth=0.0, target=(0.2, 0.3, 0.5))
    dark = take_picture(renderer, [crowd], lookup(target=(0.2, 0.3, 0.5)), lighting=sun_behind, ground=None)
    bright = take_picture(renderer, [crowd], camera, lighting=sun_behind, ground=None)
    assert middle(bright)[0] > middle(dark)[0] + 40


def test_a_closed_double_sided_mesh_is_culled_all_the_same():
    material = Material(double_sided=True)
    assert not MeshVariant.of(flat_box(material)).double_sided
    assert not MeshVariant.of(capsule_with_caps(material)).double_sided
    assert MeshVariant.of(one_triangle(True)).double_sided
    inside_out = flat_box(material)
    inside_out = dataclasses.replace(inside_out, indices=inside_out.indices.reshape(-1, 3)[:, ::-1].ravel().copy())
    assert MeshVariant.of(inside_out).double_sided


def capsule_with_caps(material: Material) -> Mesh:
    """The capsule's end rings have no radius: as places, they are one point each."""
    mesh = capsule(material=material)
    positions = mesh.positions.copy()
    positions[:12], positions[-12:] = positions[0] * [0, 1, 0], positions[-1] * [0, 1, 0]
    return dataclasses.replace(mesh, positions=positions)


def test_a_flat_face_has_one_colour_from_its_last_vertex(renderer):
    camera = lookup(azimuth=0.6, elevation=0.4)
    picture = take_picture(renderer, [crowd_of(renderer, flat_box())], camera, ground=FAR_BELOW)
    # Three faces, two triangles each: rim and openness make the two triangles differ by a trace.
    colors, counts = np.unique((picture.reshape(-1, 3) // 4), axis=0, return_counts=True)
    box = take_picture(renderer, [], camera, ground=FAR_BELOW)
    inside = (picture != box).any(axis=-1).sum()
    assert np.sort(counts)[::-1][:8].sum() > 0.5 * inside
    assert len(colors) > 3


def test_lit_from_above(renderer):
    mesh = flat_box()
    above = take_picture(renderer, [crowd_of(renderer, mesh)], lookup(elevation=1.5), ground=None)
    camera = lookup(elevation=-1.4, ground_clearance=None)
    below = take_picture(renderer, [crowd_of(renderer, mesh)], camera, ground=None)
    assert middle(above)[0] > 1.5 * middle(below)[0]


def test_contact_shadow_darkens_the_ground_below_and_nothing_else(renderer):
    camera = lookup(target=(0.0, 0.0, 0.0), elevation=1.2, distance=6.0)
    with_shadow = take_picture(renderer, [crowd_of(renderer, flat_box(), [[0, 0, 0]], shadow_radius=1.0)], camera)
    without = take_picture(renderer, [crowd_of(renderer, flat_box(), [[0, 0, 0]], shadow_radius=0.0)], camera)
    assert (with_shadow.astype(int) <= without).all()
    assert (with_shadow < without).any(axis=-1).sum() > 200
    np.testing.assert_array_equal(middle(with_shadow), middle(without))
    np.testing.assert_array_equal(with_shadow[0, 0], without[0, 0])


def test_an_actor_in_the_air_leaves_hardly_a_shadow(renderer):
    camera = lookup(target=(0.0, 0.0, 0.0), elevation=0.2, distance=6.0)
    without = take_picture(renderer, [crowd_of(renderer, flat_box(), [[0, 9, 0]], shadow_radius=0.0)], camera)
    high = take_picture(renderer, [crowd_of(renderer, flat_box(), [[0, 9, 0]], shadow_radius=1.0)], camera)
    assert np.abs(high.astype(int) - without).max() <= 1


def test_ground_hides_what_is_below_it(renderer):
    nothing = take_picture(renderer, [])
    buried = take_picture(renderer, [crowd_of(renderer, flat_box(), [[0, -1.5, 0]], shadow_radius=0.0)])
    np.testing.assert_array_equal(nothing, buried)


@pytest.mark.parametrize("material", ["grid", "paving", "asphalt", "grass"])
@pytest.mark.parametrize("distance", [3.0, 30.0, 300.0])
def test_floors_do_not_shimmer(renderer, distance, material):
    """A step of a centimetre changes little, far lines not at all."""
    ground = GroundStyle(material=material)
    pictures = []
    for step in (0.0, 0.37):
        camera = lookup(target=(step, 0.0, step), elevation=0.25, distance=distance)
        pictures.append(take_picture(renderer, [], camera, size=(320, 180), ground=ground).astype(int))
    change = np.abs(pictures[0] - pictures[1]).max(axis=(1, 2))
    far_rows = slice(0, 60) if distance < 10 else slice(0, 180)
    limit = {3.0: 40, 30.0: 40, 300.0: 8}[distance]
    assert change[far_rows].max() <= limit


def test_sky_and_ground_meet_without_an_edge(renderer):
    picture = take_picture(renderer, [], lookup(elevation=0.1), size=(64, 400)).astype(int)
    assert np.abs(np.diff(picture[:, 32, 0])).max() < 16


@pytest.mark.exhaustive
def test_later_pictures_compile_and_grow_nothing(renderer, monkeypatch):
    crowd = plaza(renderer)
    first = take_picture(renderer, [crowd])
    capacities = renderer._stream.instances.capacity, renderer._stream.palettes.capacity
    monkeypatch.setattr(program_module, "_build", None)
    for _ in range(3):
        np.testing.assert_array_equal(take_picture(renderer, [crowd]), first)
    assert (renderer._stream.instances.capacity, renderer._stream.palettes.capacity) == capacities


@pytest.mark.exhaustive
def test_buffers_grow_by_doubling(renderer):
    take_picture(renderer, [plaza(renderer, 100)])
    before = renderer._stream.palettes.capacity
    take_picture(renderer, [plaza(renderer, 101)])
    assert renderer._stream.palettes.capacity == 2 * before


def test_wrong_arrays_are_told(renderer):
    crowd = plaza(renderer, 4)
    wrong = {
        "instances must be": {"instances": crowd.instances.astype(np.float64)},
        "palettes must be": {"palettes": crowd.palettes[:3]},
        "C-contiguous": {"palettes": np.asfortranarray(crowd.palettes)},
        "must have at least 3 palette entries": {"palettes": np.ascontiguousarray(crowd.palettes[:, :2])},
    }
    for words, change in wrong.items():
        with pytest.raises(ValueError, match=words):
            take_picture(renderer, [dataclasses.replace(crowd, **change)])


def test_an_empty_crowd_and_no_crowd(renderer):
    nothing = take_picture(renderer, [])
    np.testing.assert_array_equal(take_picture(renderer, [crowd_of(renderer, capsule(), np.zeros((0, 3)))]), nothing)
