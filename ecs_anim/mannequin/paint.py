"""The texture of the mannequin: pictures of the front and of the back of its body in the bind pose.

The texture contains shirt, trousers, skin, hair and shoes. The left half of the texture shows the front of the body.
The middle line of the front is at the left edge of the texture. The right half shows the back. The middle line of the
back is at the right edge. The left side and the right side of the body share all texels. The alpha channel of opaque
materials has no other use, so it contains the strength of the actor's tint. The strength of the tint is full on the
nearly white shirt, weak on the trousers, and zero on skin and hair.
"""

import io
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

import numpy as np
from PIL import Image

from ecs_anim.mannequin import body
from ecs_anim.mannequin.arrays import Array
from ecs_anim.mannequin.face_paint import face_layers, side_beard
from ecs_anim.mannequin.pigments import Color, Layer, mixed, oval
from ecs_anim.mannequin.shapes import curve
from ecs_anim.mannequin.shoe_paint import SHOE_TOP, shoe_layers

SIZE = 512  # [texel], width and height
WIDTH, HEIGHT = 0.80, 1.80  # [m], extent of one half of the texture
COARSE = 0.0125  # [m], sample spacing of the shading

SKIN, LIP, BROW = (228, 190, 164), (206, 150, 134), (112, 88, 72)
HAIR, IRIS = (94, 73, 60), (96, 66, 46)
SHIRT, TROUSERS = (240, 238, 234), (112, 117, 130)
SHOE, RUBBER = (84, 76, 72), (206, 202, 196)

HEM = 0.985  # [m], height of the hem of a shirt; above the hip joints, so that thighs do not move the hem
COLLAR = {
    "front": [(0, 1.450), (0.03, 1.459), (0.058, 1.482), (0.072, 1.515)],
    "back": [(0, 1.500), (0.04, 1.500), (0.060, 1.503), (0.072, 1.515)],
}
# [m], hanging hair covers the parts of head and neck that lie behind this depth, and below and above these heights.
HAIR_DEPTH, HAIR_TOP, FRONT_HAIR = 0.020, 1.66, 1.495
FINE = 0.003  # [m], sample spacing of the depths of head and neck
# [m], outer limit of painted hair: inside the ears, or over the ears for hanging hair.
HAIR_WIDTH, EAR_WIDTH = 0.0795, 0.095
COLLAR_TOP = 1.52  # [m]; above this height, hair covers all other layers of paint; below, only hanging hair covers them
# Parts of the texture: back and front of the body, an enlarged picture of the face, and the side of the head.
BACK, FRONT, FACE, SIDE = range(4)
CHARTS = 4  # number of parts of the texture
# [m], limits of the face: outermost x and lowest y; the point of the texture at x = 0 and the lowest y of the face
FACE_WIDTH, FACE_LOW, FACE_ORIGIN = 0.084, 1.515, (0.572, 0.02)
FACE_SCALE = 2.7  # enlargement of the face
FACE_CORNER = (0.56, 0.75)  # [m], texels further out and below show the face
# The picture of the side of the head is in the half of the back. Its horizontal axis is z.
# [m], lowest y of the side of the head; the point of the texture at z = 0 and this lowest y
SIDE_LOW, SIDE_ORIGIN = 1.50, (0.62, 1.46)
SIDE_SCALE = 1.25  # enlargement of the side of the head
SIDE_CORNER = (0.44, 1.44)  # [m], texels of the back further out and above show the side of the head
EAR, EAR_RADII = (-0.007, 1.631), (0.019, 0.029)  # [m], z and y of the centre of an ear, and its radii
SKIRT_CORNER = (0.28, 0.75)  # [m], x and y; no part of a body lies further out and below
SKIRT_SHIFT = 0.30  # [m], outward offset of a skirt's texels
SKIRT_DROP = 0.40  # [m], downward offset of a skirt's texels
LINING, LINING_TOP = 0.08, 0.12  # [m], y of the texels on the inside of a skirt, and upper edge of these texels
LINING_SHADE = 0.9  # brightness factor on the inside of a skirt
HAIRLINE: Mapping[str, list[tuple[float, float]]] = {
    "front": [(0, 1.708), (0.035, 1.706), (0.052, 1.692), (0.064, 1.662), (0.072, 1.630), (0.080, 1.625)],
    "back": [(0, 1.578), (0.045, 1.580), (0.060, 1.592), (0.075, 1.625)],
    "side": [
        (-0.110, 1.576),
        (-0.050, 1.579),
        (-0.030, 1.588),
        (-0.018, 1.604),
        (0.016, 1.612),
        (0.026, 1.628),
        (0.038, 1.655),
        (0.050, 1.695),
        (0.080, 1.709),
    ],
}


@dataclass(frozen=True)
class Outfit:
    """The colours of a body and its clothes, and the positions of the edges of the clothes.

    Colours are sRGB. Alpha is the strength of the tint, 0 to 255.
    """

    skin: Color = SKIN
    lip: Color = LIP
    brow: Color = BROW
    iris: Color = IRIS
    hair: Color = HAIR
    shirt: Color = SHIRT
    trousers: Color = TROUSERS
    shoe: Color = SHOE
    rubber: Color = RUBBER
    leg: Color | None = None  # colour below the cuff; None = the trousers reach the shoes
    skirt: Color | None = None
    shirt_tint: int = 255
    trousers_tint: int = 70
    skirt_tint: int = 0
    sleeve: float = 0.215  # [m], end of the sleeve on the arm's axis
    cuff: float = SHOE_TOP  # [m], height of the cuff
    # [m], lower limit of hair.
    hairline: Mapping[str, list[tuple[float, float]]] = field(default_factory=lambda: HAIRLINE)
    hair_from: float = 1.52  # [m], lowest height of hair
    beard: float = 0.0  # 0 to 1, share of the hair colour on cheeks and chin


def texture() -> bytes:
    """Return the texture of the mannequin as PNG data in RGBA, with sRGB colours."""
    return encoded(painted(Outfit(), shadings()))


def painted(outfit: Outfit, shading: Mapping[str, Array]) -> Array:
    """Return the painted pixels of an outfit, [SIZE, SIZE, 4] u8.

    `shading` is the result of the function `shadings`.
    """
    halves = [_half(outfit, "front", shading), _half(outfit, "back", shading)[:, ::-1]]
    pixels = np.concatenate(halves, axis=1)
    pixels[..., 3] = _spread_tint(pixels[..., 3])
    return np.clip(pixels + 0.5, 0, 255).astype(np.uint8)


def _spread_tint(strength: Array) -> Array:
    """Return the strengths of the tint [SIZE, SIZE], spread by one texel. Without this, the interpolation between a
    pale shirt with a tint and dark hair without a tint shows a light line.
    """
    near = np.lib.stride_tricks.sliding_window_view(np.pad(strength, 1, mode="edge"), (3, 3))
    return np.asarray(near.max(axis=(2, 3)))


def encoded(pixels: Array) -> bytes:
    """Return `pixels` as the bytes of a PNG file."""
    out = io.BytesIO()
    Image.fromarray(pixels).save(out, "PNG", optimize=True)
    return out.getvalue()


def shadings() -> Mapping[str, Array]:
    """Return the brightness of the body's surface in ambient light, [2 SIZE, SIZE], for "front" and "back".

    The brightness is a factor for the colours. The brightness does not depend on the outfit.
    """
    return {side: _shading(*_samples(side), side) for side in ("front", "back")}


def texture_coordinates(positions: Array, chart: Array) -> Array:
    """Return the texture coordinates [n, 2] of points [n, 3] in the bind pose.

    `chart` [n] is the part of the texture that a point uses: BACK, FRONT, FACE or SIDE.
    """
    x, y = np.abs(positions[:, 0]), positions[:, 1]
    charts = [chart == FACE, chart == SIDE]
    across = [FACE_ORIGIN[0] + FACE_SCALE * x, SIDE_ORIGIN[0] + SIDE_SCALE * positions[:, 2]]
    up = [FACE_ORIGIN[1] + FACE_SCALE * (y - FACE_LOW), SIDE_ORIGIN[1] + SIDE_SCALE * (y - SIDE_LOW)]
    u, v = np.select(charts, across, x) / WIDTH / 2, 1 - np.select(charts, up, y) / HEIGHT
    return np.stack([np.where((chart == BACK) | (chart == SIDE), 1 - u, u), v], axis=-1)


def on_face(positions: Array) -> Array:
    """Return a mask [...] of the points [..., 3] that are in the enlarged picture of the face."""
    return (np.abs(positions[..., 0]) < FACE_WIDTH) & (positions[..., 1] > FACE_LOW)


def skirt_coordinates(positions: Array, inside: int) -> Array:
    """Return the texture coordinates [n, 2] of points [n, 3] on a skirt. The last `inside` points are on its inside.

    These coordinates are in an area of the texture that no part of the body uses.
    """
    x, y = SKIRT_SHIFT + np.abs(positions[:, 0]), positions[:, 1] - SKIRT_DROP
    y[-inside:] = LINING
    return np.stack([x / WIDTH / 2, 1 - y / HEIGHT], -1)


def _samples(side: str) -> tuple[Array, Array]:
    """Return the coordinates x and y [2 SIZE, SIZE] [m] on the body of the colour samples in one half of the texture.

    The half of the front also contains the enlarged picture of the face. The half of the back also contains the picture
    of the side of the head, which the function `_on_side` finds. Its samples have the coordinates of the texture.
    """
    x = (np.arange(SIZE) + 0.5) / SIZE * WIDTH
    y = HEIGHT - (np.arange(2 * SIZE) + 0.5) / (2 * SIZE) * HEIGHT
    x, y = np.meshgrid(x, y)
    face = (x > FACE_CORNER[0]) & (y < FACE_CORNER[1]) & (side == "front")
    far, high = FACE_ORIGIN
    return np.where(face, np.abs(x - far) / FACE_SCALE, x), np.where(face, (y - high) / FACE_SCALE + FACE_LOW, y)


def _half(outfit: Outfit, side: str, shading: Mapping[str, Array]) -> Array:
    """Return the colours and the alpha of one half of the texture, [SIZE, SIZE / 2, 4], 0 to 255.

    Each texel is the mean of 2 x 2 colour samples.
    """
    colours = _colours(outfit, *_samples(side), side)
    colours[..., :3] *= shading[side][..., None]
    return colours.reshape(SIZE, 2, SIZE // 2, 2, 4).mean(axis=(1, 3))


def _colours(outfit: Outfit, x: Array, y: Array, side: str) -> Array:
    """Return the unshaded colours and the alpha [..., 4] of samples at x >= 0 and y, in metres."""
    along, _ = body.arm_coordinates(np.stack(np.broadcast_arrays(x, y, 0.0), axis=-1))
    limb = (x > 0.20) & (along > 0.05)
    beside = _on_side(x, y) & (side == "back")
    hair = _hair(outfit, x, y, side)
    colours = np.full((*along.shape, 4), (*outfit.skin, 0), float)
    layers = [
        (hair & (y > COLLAR_TOP), (*outfit.hair, 0)),
        (limb & (along < outfit.sleeve), (*outfit.shirt, outfit.shirt_tint)),
        *((~limb & where, colour) for where, colour in _clothes(outfit, x, y, side)),
        ((x > SKIRT_CORNER[0]) & (y < SKIRT_CORNER[1]), (*(outfit.skirt or outfit.skin), outfit.skirt_tint)),
        *(face_layers(outfit, x, y) if side == "front" else []),
        (hair & (y <= COLLAR_TOP), (*outfit.hair, 0)),
    ]
    for where, colour in layers:
        colours[where] = colour
    seams = [np.where(limb, along - outfit.sleeve, 1), np.where(limb, 1, HEM - y), np.where(limb, 1, outfit.cuff - y)]
    if outfit.skirt is not None:
        colours[(x > SKIRT_CORNER[0]) & (y < LINING_TOP), :3] *= LINING_SHADE
    for below in seams:
        colours[..., :3] *= 1 - 0.22 * np.exp(-np.abs(below) / 0.004)[..., None]
    colours[beside] = _side_colours(outfit, *_side_point(x[beside], y[beside]))
    return colours


def _on_side(x: Array, y: Array) -> Array:
    """Return a mask [...] of the texels x, y [m] in the half of the back that show the side of the head."""
    return (x > SIDE_CORNER[0]) & (y > SIDE_CORNER[1])


def _side_point(x: Array, y: Array) -> tuple[Array, Array]:
    """Return the coordinates z and y [m] on the side of the head of texels x, y [m]."""
    return (x - SIDE_ORIGIN[0]) / SIDE_SCALE, (y - SIDE_ORIGIN[1]) / SIDE_SCALE + SIDE_LOW


def _side_colours(outfit: Outfit, z: Array, y: Array) -> Array:
    """Return the colours and the alpha [n, 4] of samples at z, y [m] on the side of the head: skin, beard and hair."""
    colours = np.full((len(z), 4), (*outfit.skin, 0), float)
    if outfit.beard > 0:
        colours[side_beard(z, y)] = (*mixed(outfit.skin, outfit.hair, outfit.beard), 0)
    hair = y > curve(outfit.hairline["side"], z)[..., 0]
    if outfit.hair_from >= COLLAR_TOP:
        hair &= ~oval(z, y, EAR, EAR_RADII)
    colours[hair] = (*outfit.hair, 0)
    return colours


def _hair(outfit: Outfit, x: Array, y: Array, side: str) -> Array:
    """Return a mask [...] of the samples that show hair: samples above the hairline, and the parts of head and neck
    that hanging hair covers.
    """
    hangs = outfit.hair_from < COLLAR_TOP
    width = EAR_WIDTH if hangs else HAIR_WIDTH
    hair = (y > outfit.hair_from) & (y > curve(outfit.hairline[side], x)[..., 0])
    if hangs and side == "front":
        hair |= (y > FRONT_HAIR) & (y < HAIR_TOP) & (_depths(x, y) < HAIR_DEPTH)
    return hair & (x < width)


def _depths(x: Array, y: Array) -> Array:
    """Return the coordinate z [...] [m] of the front of head and neck at points x, y [m]."""
    return _interpolated(_front(), x / FINE, (y - FRONT_HAIR) / FINE)


@cache
def _front() -> Array:
    """Return the coordinates z [m] of the front surface, [x, y], from x = 0 and y = FRONT_HAIR on, with the spacing
    FINE. Outside of the body, z is far behind it.
    """
    xs, ys = np.arange(0, EAR_WIDTH + FINE, FINE), np.arange(FRONT_HAIR, HAIR_TOP + FINE, FINE)
    depths = np.arange(0.15, -0.15, -FINE)
    inside = body.body(np.stack(np.meshgrid(xs, ys, depths, indexing="ij"), axis=-1)) < 0
    return np.where(inside.any(axis=-1), depths[inside.argmax(axis=-1)], depths[-1])


def _clothes(outfit: Outfit, x: Array, y: Array, side: str) -> list[Layer]:
    """Return the layers of paint for the clothes below the collar, without the sleeves."""
    layers: list[Layer] = [
        (y < curve(COLLAR[side], x)[..., 0], (*outfit.shirt, outfit.shirt_tint)),
        (y < HEM, (*outfit.trousers, outfit.trousers_tint)),
    ]
    if outfit.leg is not None:
        layers.append((y < outfit.cuff, (*outfit.leg, 0)))
    return layers + shoe_layers(outfit.shoe, outfit.rubber, x, y, side)


def _shading(x: Array, y: Array, side: str) -> Array:
    """Return the brightness [...] of the body's surface in ambient light at points x, y [m].

    The function interpolates the brightness from a coarse grid. The side of the head has no shading.
    """
    xs, ys = np.arange(0, WIDTH + COARSE, COARSE), np.arange(0, HEIGHT + COARSE, COARSE)
    brightness = _interpolated(_occlusion(xs, ys, side), x / COARSE, y / COARSE)
    return np.where(_on_side(x, y) & (side == "back"), 1.0, brightness)


def _interpolated(values: Array, i: Array, j: Array) -> Array:
    """Return bilinear interpolations [...] of the grid `values` at rows i and columns j, limited to the grid."""
    i, j = np.clip(i, 0, values.shape[0] - 1.001), np.clip(j, 0, values.shape[1] - 1.001)
    i0, j0 = i.astype(int), j.astype(int)
    fi, fj = i - i0, j - j0
    near = values[i0, j0] * (1 - fi) + values[i0 + 1, j0] * fi
    far = values[i0, j0 + 1] * (1 - fi) + values[i0 + 1, j0 + 1] * fi
    return near * (1 - fj) + far * fj


def _occlusion(xs: Array, ys: Array, side: str) -> Array:
    """Return the share of ambient light that reaches the surface, [x, y], 0 to 1.

    `side` is the direction of the view: "front" or "back". Points outside of the body have the value 1.

    The method is Inigo Quilez' estimate of ambient occlusion from a distance field.
    """
    sign = 1 if side == "front" else -1
    depths = np.arange(0.26, -0.22, -0.02) * sign
    columns = np.stack(np.meshgrid(xs, ys, depths, indexing="ij"), axis=-1)
    inside: Array = np.less(body.body(columns), 0)
    hit: Array = np.any(inside, axis=-1)
    surface = np.take_along_axis(columns, inside.argmax(axis=-1)[..., None, None], axis=2)[hit][:, 0]
    for _ in range(3):
        surface = surface - body.normals(surface) * body.body(surface)[:, None]
    normal = body.normals(surface)
    blocked = np.zeros(len(surface))
    for distance in (0.025, 0.05, 0.10):
        blocked += np.maximum(distance - body.body(surface + normal * distance), 0) / distance / 3
    # No occlusion on the face, because its features are too fine for these samples.
    strength = np.where(surface[:, 1] > 1.53, 0.0, 0.6)
    result = np.ones(hit.shape)
    result[hit] = 1 - strength * np.clip(blocked - 0.12, 0, 1)
    return _blur(_spread(result, hit))


def _blur(values: Array) -> Array:
    """Replace each cell by the mean of 3 x 3 cells, and repeat this step once. Return the result."""
    for _ in range(2):
        for axis in (0, 1):
            values = (np.roll(values, 1, axis) + values + np.roll(values, -1, axis)) / 3
    return values


def _spread(values: Array, known: Array, rounds: int = 4) -> Array:
    """Return `values` [x, y] with estimates for unknown cells. Each estimate is the mean of the known neighbours.

    The function repeats this step `rounds` times. Each repetition fills one more layer of unknown cells. All remaining
    unknown cells get the value 1.
    """
    values, known = np.where(known, values, 0.0), known.copy()
    for _ in range(rounds):
        total, count = np.zeros_like(values), np.zeros_like(values)
        for shift, axis in ((1, 0), (-1, 0), (1, 1), (-1, 1)):
            total += np.roll(values, shift, axis)
            count += np.roll(known, shift, axis)
        fresh = ~known & (count > 0)
        values[fresh] = total[fresh] / count[fresh]
        known |= fresh
    return np.where(known, values, 1.0)
