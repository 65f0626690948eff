"""The texture of a person. The alpha channel is the strength of the actor's tint, which only tops take."""

from functools import cache

import numpy as np
from PIL import Image

from ecs_anim.anny.body_places import Places
from ecs_anim.anny.garments import SHOE, Garment, inside
from ecs_anim.anny.hair import hair_edge
from ecs_anim.anny.outfits import Outfit
from ecs_anim.anny.package import read_data
from ecs_anim.anny.texels import CAP, PARTS, SIZE, texel_places
from ecs_anim.mannequin import proportions as P
from ecs_anim.mannequin.arrays import Array
from ecs_anim.mannequin.outfits import IRISES, LIPS
from ecs_anim.mannequin.paint import IRIS
from ecs_anim.mannequin.patterns import PATTERNS
from ecs_anim.mannequin.pigments import BLACK, mixed
from ecs_anim.mannequin.shapes import smooth_step
from ecs_anim.support.images import decode_image

EYE = np.array([0.0301, 1.6525])  # [m], x and y of the left pupil on the mean body
EYE_RADII = (0.0026, 0.0062)  # [m], of pupil and iris
EDGE = 3  # [texel], by which the picture of a tube is larger than its part
SEAM, SHADE = 0.006, 0.03  # [m], breadth of a hem, and of the shadow below a hem
PATTERNED = 0.7  # brightness of the darker colour of a pattern
WHITE = (232, 228, 222)  # of eyes


def painted(outfit: Outfit, rng: np.random.Generator) -> Array:
    """Return the texture of a person with an outfit, [SIZE, SIZE, 4] u8."""
    at, is_eye = texel_places()
    folds = _folds(rng)
    colors = np.tile(np.array(outfit.skin, float), (SIZE * SIZE, 1))
    tint = np.zeros(SIZE * SIZE)
    _paint_face(colors, outfit, at)
    edge = hair_edge(outfit.style, at.points, at.over_hairline)
    _blend(colors, np.array(outfit.hair) * (0.82 + 0.36 * _strands()), smooth_step(edge, -0.003, 0.004))
    for own in outfit.garments:
        _paint_garment(colors, tint, own, at, folds)
    _paint_eyes(colors, outfit, at, is_eye)
    picture = np.column_stack([colors, tint]).reshape(SIZE, SIZE, 4)
    _paint_parts(picture, outfit, folds)
    return np.clip(picture + 0.5, 0, 255).astype(np.uint8)


def _blend(colors: Array, color: Array, share: Array) -> None:
    colors += share[:, None] * (color - colors)


def _folds(rng: np.random.Generator) -> Array:
    """Return a brightness [SIZE * SIZE] with soft folds: about 1."""
    coarse = rng.normal(0, 1, (24, 40)).astype(np.float32)
    picture = Image.fromarray(coarse).resize((SIZE, SIZE), Image.Resampling.BICUBIC)
    return 1 + 0.045 * np.asarray(picture, np.float64).ravel()


@cache
def _strands() -> Array:
    """Return a value [SIZE * SIZE, 1] of strands of hair, 0 to 1."""
    rng = np.random.default_rng(1)
    rows = Image.fromarray(rng.random((SIZE // 2, 24)).astype(np.float32)).resize((SIZE, SIZE))
    return np.asarray(rows, np.float64).reshape(-1, 1)


@cache
def _lips() -> Array:
    """Return a mask [SIZE * SIZE] of the lips, 0 to 1."""
    picture = Image.fromarray(decode_image(read_data("textures/mpfb_lips.jpg"))[..., 0]).resize((SIZE, SIZE))
    return np.asarray(picture, np.float64).ravel() / 255


def _paint_face(colors: Array, outfit: Outfit, at: Places) -> None:
    x, y, z = at.left.T
    face = (at.head > 0.5) & (z > 0.05)
    blush = face * np.exp(-(((x - 0.045) / 0.018) ** 2) - ((y - 1.615) / 0.02) ** 2)
    _blend(colors, np.array(mixed(outfit.skin, LIPS, 0.5)), 0.3 * blush)
    _blend(colors, np.array(mixed(outfit.skin, LIPS, 0.45)), _lips())
    socket = face * np.exp(-(((x - EYE[0]) / 0.02) ** 2) - ((y - EYE[1] - 0.006) / 0.011) ** 2)
    _blend(colors, np.array(mixed(outfit.skin, (70, 44, 40), 0.4)), 0.6 * socket)
    arc = 1.6715 + 0.004 * np.cos((x - 0.034) / 0.024) - 0.06 * np.maximum(x - 0.045, 0)
    brow = (
        face
        * smooth_step(-np.abs(y - arc), -0.0055, -0.002)
        * smooth_step(x, 0.009, 0.017)
        * smooth_step(-x, -0.056, -0.044)
    )
    _blend(colors, np.array(mixed(outfit.hair, outfit.skin, 0.15)), 0.85 * brow)
    lid = face & (np.abs(y - EYE[1] - 0.0055) < 0.0022) & (np.abs(x - EYE[0]) < 0.016)
    _blend(colors, np.array(BLACK), 0.6 * lid)
    if outfit.beard:
        jaw = smooth_step(-y, -1.607, -1.59) * smooth_step(y, 1.53, 1.548) * smooth_step(z, 0.028, 0.045)
        lip = smooth_step(np.abs(y - 1.5965), 0.007, 0.003) * (x < 0.03) * (z > 0.09)
        bare = np.maximum(_lips(), smooth_step(y, 1.575, 1.59) * (x > 0.03) * (x < 0.05))
        _blend(colors, np.array(outfit.hair), outfit.beard * (at.head > 0.5) * np.maximum(jaw, lip) * (1 - bare))


def _paint_eyes(colors: Array, outfit: Outfit, at: Places, is_eye: Array) -> None:
    x, y, z = at.left.T
    distance = np.sqrt((x - EYE[0]) ** 2 + (y - EYE[1]) ** 2)
    front = is_eye & (z > 0.085)
    colors[is_eye] = WHITE
    colors[front & (distance < EYE_RADII[1])] = IRISES.get(outfit.hair, IRIS)
    colors[front & (distance < EYE_RADII[0])] = BLACK


def _paint_garment(colors: Array, tint: Array, own: Garment, at: Places, folds: Array) -> None:
    depth = inside(own, at)
    is_cloth = own.thickness > 0
    below = smooth_step(depth, -SHADE, 0) * (depth < 0) * is_cloth * (own.kind != "feet")
    colors *= (1 - 0.28 * below)[:, None]
    color = np.array(own.color, float)
    shade = (folds if is_cloth else np.ones(len(depth))) * (1 - 0.16 * (np.abs(depth - SEAM) < 0.0025) * is_cloth)
    if own.pattern:
        x, y, z = at.left.T
        shade = np.where(PATTERNS[own.pattern - 1](x, y, z > 0), PATTERNED * shade, shade)
    covered = smooth_step(depth, -0.0015, 0.0015)
    _blend(colors, color * shade[:, None], covered)
    if own.high == SHOE:
        _paint_laces(colors, at, covered)
    tint += covered * ((255.0 if own.kind == "top" else 0.0) - tint)


def _paint_laces(colors: Array, at: Places, covered: Array) -> None:
    """Paint the laces of shoes."""
    _, y, z = at.points.T
    ankle = P.LEFT_POINTS["Foot"]
    laces = (
        (np.abs(at.left[:, 0] - ankle[0]) < 0.018) & (z - ankle[2] > 0.045) & (np.mod(z, 0.016) < 0.006) & (y > 0.05)
    )
    _blend(colors, np.array(mixed(WHITE, BLACK, 0.35)), 0.8 * covered * laces * (z - ankle[2] < 0.1))


def _paint_parts(picture: Array, outfit: Outfit, folds: Array) -> None:
    """Paint the tubes of hair and skirt."""
    hair = _rows("hair")
    strands = _strands().reshape(SIZE, SIZE).T[hair]
    picture[hair] = np.append(outfit.hair, 0)
    picture[hair][..., :3] *= (0.82 + 0.36 * strands)[..., None]
    if outfit.skirt is not None:
        rows = _rows("skirt")
        v, u = np.indices(picture[rows].shape[:2])
        shade = folds.reshape(SIZE, SIZE)[rows] * (
            1 - 0.1 * (not outfit.skirt.is_open) * np.sin(u * np.pi * 14 / u.max()) ** 2
        )
        shade *= np.where(v / v.max() > CAP + 0.02, 0.3, 1 - 0.2 * (np.abs(v / v.max() - CAP + 0.04) < 0.012))
        if outfit.skirt.pattern:
            pattern = PATTERNS[outfit.skirt.pattern - 1](
                u / u.max() * 1.1, 1.05 - 0.6 * v / v.max(), np.full(u.shape, True)
            )
            shade = np.where(pattern & (outfit.skirt.pattern != 6), PATTERNED * shade, shade)
        if outfit.skirt.is_open:
            from_front = np.minimum(u, u.max() - u) / u.max()
            shade = np.where(np.abs(from_front - 0.012) < 0.006, 0.6 * shade, shade)
        picture[rows] = np.append(outfit.skirt.color, 255)
        picture[rows][..., :3] *= shade[..., None]


def _rows(name: str) -> tuple[slice, slice]:
    left, right, top, bottom = (round(own * SIZE) for own in PARTS[name])
    return slice(top - EDGE, bottom + EDGE), slice(left - EDGE, right + EDGE)
