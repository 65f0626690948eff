"""Helpers for tests that draw: a shared headless context, small meshes, and references in plain numpy."""

from collections.abc import Iterator

import numpy as np
import pytest

from ecs_anim.assets.mesh import Material, Mesh
from ecs_anim.gl.device import api as gl
from ecs_anim.gl.device.context import Context, headless_display, open_headless
from ecs_anim.gl.model.crowd import CrowdDraw
from ecs_anim.gl.picture.renderer import Renderer
from ecs_anim.maths import affine, quaternion
from ecs_anim.view.camera import OrbitCamera
from ecs_anim.view.style import GroundStyle, Lighting, View

# One context for all tests of a process, because opening is slow. It closes with the interpreter.
_shared: list[Context] = []


def shared_context() -> Context:
    """Return the context for all tests of this process."""
    if not _shared:
        _shared.append(open_headless())
    _shared[0].make_current()
    return _shared[0]


def open_hidden_window(title: str, width: int, height: int) -> Context:
    """Open a window that needs no display, in place of `ecs_anim.gl.device.context.open_window`."""
    import pyglet
    from pyglet.window import Window

    config = gl.Config(red_size=8, green_size=8, blue_size=8, major_version=3, minor_version=3, forward_compatible=True)
    return Context(Window(width, height, display=headless_display(pyglet.options.headless_device), config=config))


@pytest.fixture(name="context")
def context_fixture() -> Iterator[Context]:
    """The shared context. If a test leaves a GL error behind, the test fails."""
    context = shared_context()
    yield context
    error = gl.glGetError()
    assert error == gl.GL_NO_ERROR, f"the test left GL error 0x{error:04x}"


@pytest.fixture(name="renderer")
def renderer_fixture(context: Context) -> Iterator[Renderer]:
    """A new renderer for each test."""
    with Renderer(context) as renderer:
        yield renderer


def capsule(
    segments: int = 12, rings: int = 10, radius: float = 0.25, height: float = 1.7, material: Material | None = None
) -> Mesh:
    """Return an upright capsule on y = 0 that is bound to three joints at increasing heights."""
    around = np.linspace(0, 2 * np.pi, segments, endpoint=False)
    up = np.linspace(-np.pi / 2, np.pi / 2, rings)
    angle, slope = (grid.ravel() for grid in np.meshgrid(around, up))
    normals = np.stack([np.cos(slope) * np.sin(angle), np.sin(slope), np.cos(slope) * np.cos(angle)], axis=-1)
    centre = np.where(slope < 0, radius, height - radius)
    positions = radius * normals + np.stack([0 * centre, centre, 0 * centre], axis=-1)
    uvs = np.stack([angle / (2 * np.pi), 1 - positions[:, 1] / height], axis=-1)
    palette_indices, weights = _stacked_weights(positions[:, 1] / height)
    return Mesh(
        name="capsule",
        material=material or Material(),
        positions=positions.astype(np.float32),
        normals=normals.astype(np.float32),
        uvs=uvs.astype(np.float32),
        palette_indices=palette_indices,
        weights=weights,
        indices=_grid_indices(segments, rings),
    )


def flat_box(material: Material | None = None, size: float = 1.0) -> Mesh:
    """Return a flat-shaded box on y = 0 with eight shared vertices. Each face's provoking vertices have its normal.

    The box is rigid: it is bound to palette entry 0.
    """
    faces = {(1, 0, 0): "1375", (-1, 0, 0): "0462", (0, 1, 0): "2673", (0, -1, 0): "0154", (0, 0, 1): "4576"}
    faces[(0, 0, -1)] = "0231"
    positions, normals, indices = [], [], []
    for normal, corners in faces.items():
        a, b, c, d = (len(positions) + k for k in range(4))
        for corner in map(int, corners):
            positions.append([(corner & 1) - 0.5, corner >> 1 & 1, (corner >> 2 & 1) - 0.5])
            normals.append(normal)
        indices += [a, b, c, a, c, d]
    count = len(positions)
    weights = np.zeros((count, 4), np.float32)
    weights[:, 0] = 1
    return Mesh(
        name="box",
        material=material or Material(),
        positions=size * np.array(positions, np.float32),
        normals=np.array(normals, np.float32),
        uvs=np.zeros((count, 2), np.float32),
        palette_indices=np.zeros((count, 4), np.uint16),
        weights=weights,
        indices=np.array(indices, np.uint32),
        flat=True,
    )


def identity_palettes(actor_count: int, palette_count: int = 3) -> np.ndarray:
    """Return palettes that leave a mesh in its bind pose."""
    return np.tile(affine.IDENTITY, (actor_count, palette_count, 1, 1))


def random_palettes(rng: np.random.Generator, actor_count: int, palette_count: int) -> np.ndarray:
    """Return palettes with rotations, non-uniform scales and small offsets."""
    shape = (actor_count, palette_count)
    rotation = quaternion.normalize(rng.normal(size=(*shape, 4)))
    scale = rng.uniform(0.6, 1.6, (*shape, 3))
    return affine.compose(rng.normal(0, 0.3, (*shape, 3)), rotation, scale).astype(np.float32)


def instances_at(translations: np.ndarray, scale: float = 1.0) -> np.ndarray:
    """Return instances [actor_count, 12] at `translations` [actor_count, 3], without tint and rotation."""
    instances = np.zeros((len(translations), 12), np.float32)
    instances[:, :3] = translations
    instances[:, 3] = scale
    instances[:, 7:] = 1
    return instances


def random_instances(rng: np.random.Generator, actor_count: int) -> np.ndarray:
    """Return instances with random position, scale, rotation and tint."""
    instances = instances_at(rng.normal(0, 5, (actor_count, 3)))
    instances[:, 3] = rng.uniform(0.5, 2, actor_count)
    instances[:, 4:8] = quaternion.normalize(rng.normal(size=(actor_count, 4)))
    instances[:, 8:11] = rng.uniform(0, 1, (actor_count, 3))
    return instances


def take_picture(
    renderer: Renderer,
    crowds: list[CrowdDraw],
    camera: OrbitCamera | None = None,
    size: tuple[int, int] = (160, 120),
    lighting: Lighting | None = None,
    ground: GroundStyle | None = GroundStyle(),  # noqa: B008 (frozen)
) -> np.ndarray:
    """Draw into a new target and return the picture."""
    camera = camera or OrbitCamera(distance=6.0)
    with renderer.target(*size) as target:
        renderer.draw(target, View.of(camera, target.aspect), lighting or Lighting(), ground, crowds)
        return target.read_pixels()


def _stacked_weights(height: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return palette indices and weights that change smoothly over three joints at relative heights 0, 0.5 and 1."""
    place = np.clip(2 * height, 0, 2)
    lower = np.minimum(place.astype(int), 1)
    palette_indices = np.zeros((len(height), 4), np.uint16)
    palette_indices[:, 0], palette_indices[:, 1] = lower, lower + 1
    weights = np.zeros((len(height), 4), np.float32)
    weights[:, 1] = place - lower
    weights[:, 0] = 1 - weights[:, 1]
    return palette_indices, weights


def _grid_indices(segments: int, rings: int) -> np.ndarray:
    column, row = np.meshgrid(np.arange(segments), np.arange(rings - 1))
    a = (row * segments + column).ravel()
    b = (row * segments + (column + 1) % segments).ravel()
    quads = [a, b, b + segments, a, b + segments, a + segments]
    return np.stack(quads, axis=-1).astype(np.uint32).ravel()
