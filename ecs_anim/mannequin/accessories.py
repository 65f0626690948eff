"""Accessories of people: hats, bags, coats, and more hair. Each accessory is a closed mesh around the mannequin.

A figure moves the points of an accessory in the same way as the points of the body. If a figure does not wear an
accessory, all its vertices are on the bones inside the body. Points are in metres in the bind pose.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple, dataclass, replace

import numpy as np

from ecs_anim.mannequin import body
from ecs_anim.mannequin import proportions as P
from ecs_anim.mannequin.arrays import Array
from ecs_anim.mannequin.figures import FigureShape, HairStyle, Skirt
from ecs_anim.mannequin.shapes import curve, smooth_step
from ecs_anim.mannequin.skirt import skirt_mesh, skirt_points
from ecs_anim.mannequin.tubes import band, oval, stack, tube
from ecs_anim.mannequin.warp import CRANIUM, warped
from ecs_anim.mannequin.weights import skin_weights

Piece = tuple[Array, Array]  # points [n, 3] and triangles [m, 3]
Tube = tuple[str, str, Array, str | None]  # accessory, colour, rings, and the joint that moves it; None = the skin
AXES_Y = np.array([(0, 1, 0), (1, 0, 0), (0, 0, 1)], float)  # axis upwards; radii in x and z
AXES_Z = np.array([(0, 0, 1), (1, 0, 0), (0, 1, 0)], float)  # axis forwards; radii in x and y
UPPER_SIDE = np.array([-P.ARM_DIRECTION[1], P.ARM_DIRECTION[0], 0.0])  # direction across the left arm
AXES_ARM = np.array([P.ARM_DIRECTION, UPPER_SIDE, (0, 0, 1)])
REACH = P.UPPER_ARM + P.FOREARM  # [m], from the shoulder to the wrist
ROUND, STEPS = (14, 8, 6, 4), (18, 9)  # points of a ring and of the path of a strap, for each level of detail
DETAILED = 2  # number of levels of detail with straps, pockets, collars and cuffs, and with all rings of tubes
STRAP, STRAP_LIFT = (0.034, 0.010), 0.007  # [m], width and thickness of a strap; distance of its middle from the body
COAT_LIFT = 0.014  # [m], distance of a coat from the body
COAT_SKIRT = Skirt(hem=0.53, width=0.187, depth=0.105)


@dataclass(frozen=True)
class Wear:
    """A set of accessories that an actor wears, and its relative frequency."""

    parts: tuple[str, ...]
    share: float

    def on(self, figure: FigureShape) -> tuple[str, ...]:
        """Return the accessories that fit the hair of a figure."""
        return tuple(part for part in self.parts if figure.hair in FITTING.get(part, (figure.hair,)))


# The hair styles under some accessories.
FITTING: Mapping[str, Sequence[HairStyle]] = {"curls": ("short", "full", "bob"), "ponytail": ("bun",)}
# The number of sets has no common divisor with the number of outfits of a figure (2 or 6). Therefore, variant numbers
# contain all combinations of sets and outfits.
WEARS = (
    Wear((), 0.36),
    Wear(("cap", "backpack"), 0.12),
    Wear(("hat", "handbag"), 0.09),
    Wear(("backpack", "curls"), 0.12),
    Wear(("coat", "ponytail"), 0.12),
    Wear(("beanie", "coat"), 0.08),
    Wear(("shoulder bag", "ponytail", "curls"), 0.11),
)


@dataclass(frozen=True)
class Part:
    """One material of one accessory: a closed mesh on the mannequin."""

    accessory: str
    color: str  # name of a colour in `accessory_paint`
    points: Array  # [n, 3]
    triangles: Array  # [m, 3]
    joints: Array  # [n, 4]
    weights: Array  # [n, 4]
    hidden: Array  # [n, 3], points inside the body for figures without the accessory
    skirt: Callable[[FigureShape], Array] | None = None  # points of a part that follows the hips
    lined: int = 0  # number of the last points, which have the colour "lining"


def worn(figure: FigureShape, found: Sequence[Part]) -> Array:
    """Return the points [n, 3] of all parts on a figure."""
    points, joints, weights = (
        np.concatenate([getattr(own, k) for own in found]) for k in ("points", "joints", "weights")
    )
    shares = {name: np.where(joints == number, weights, 0).sum(axis=1) for number, name in enumerate(P.JOINTS)}
    moved = warped(figure, points, shares)
    ends = np.cumsum([len(own.points) for own in found])
    for own, end in zip(found, ends, strict=True):
        if own.skirt is not None:
            moved[end - len(own.points) : end] = own.skirt(figure)
    return moved


def parts(level: int, positions: Array, triangles: Array) -> list[Part]:
    """Return the parts of all accessories at one level of detail.

    `positions` [n, 3] and `triangles` [m, 3] are the mesh of the body, which coats follow.
    """
    n = ROUND[min(level, len(ROUND) - 1)]
    tubes = [
        *((name, name, rings, "Head") for name, rings in _hats(n).items()),
        ("curls", "hair", _curls(n), "Head"),
        ("ponytail", "hair", _ponytail(n), "Head"),
        ("backpack", "bag", _box(n, (-0.265, -0.095), (0.0, 1.235), (0.150, 0.215)), None),
        ("shoulder bag", "bag", _box(n, (-0.255, -0.155), (0.10, 0.92), (0.145, 0.105)), "Hips"),
        ("handbag", "handbag", _handbag(n), "LeftHand"),
    ]
    if level < DETAILED:
        tubes += _details(n, STEPS[level])
    else:
        tubes = [(accessory, color, rings[1::2], joint) for accessory, color, rings, joint in tubes]
    return [
        *(_part(a, color, tube(rings), joint) for a, color, rings, joint in tubes),
        *_coat(level, positions, triangles),
    ]


def _details(n: int, steps: int) -> list[Tube]:
    """Return the tubes of the finer levels of detail: straps, handles, pockets, collars, cuffs and belts."""
    cuff, other = _cuff(n), np.array([-1, 1, 1])
    straps = [(accessory, _strap(path, steps)) for accessory, path in STRAPS]
    return [
        *((accessory, "strap", rings, None) for accessory, rings in straps),
        ("backpack", "pocket", _box(n, (-0.305, -0.250), (0.0, 1.145), (0.110, 0.095)), None),
        ("handbag", "strap", _handle(), "LeftHand"),
        ("coat", "collar", _rings(COLLAR, AXES_Y, oval(n)), "Spine2"),
        ("coat", "collar", _rings(BELT, AXES_Y, oval(2 * n, 2.3)), None),
        ("coat", "collar", _strap(PLACKET, steps, COAT_LIFT + 0.002), None),
        *(("coat", "collar", rings, None) for rings in (cuff, cuff * other)),
    ]


def _part(accessory: str, color: str, piece: Piece, joint: str | None = None) -> Part:
    """Return a part that follows one joint, or the skin below the part."""
    points, triangles = piece
    if joint is None:
        joints, weights = skin_weights(points)
    else:
        rows = len(points), 1
        joints, weights = np.tile([P.INDEX[joint], 0, 0, 0], rows), np.tile([1.0, 0, 0, 0], rows)
    return Part(accessory, color, points, triangles, joints, weights, _hidden(joints, weights))


def _hidden(joints: Array, weights: Array) -> Array:
    """Return one point [n, 3] inside the body for each vertex. The point stays inside in all poses.

    The point is the position of the last joint in the chain of joints that move the vertex. All these joints move this
    position equally. If joints of both sides move the vertex, the point is at the hips.
    """
    used = np.where(weights > 0.02, joints, 0)
    names = np.array([name[0] for name in P.JOINTS])[used]
    both = (names == "L").any(axis=1) & (names == "R").any(axis=1)
    return P.POSITIONS[np.where(both, P.INDEX["Hips"], used.max(axis=1))]


def _rings(sections: Sequence[Sequence[float]], axes: Array, ring: Array) -> Array:
    """Return rings around an axis. A section is a position, two radii, and the centre of the second radius."""
    return stack(np.array([(at, first, second, 0.0, middle) for at, first, second, middle in sections]), axes, ring)


def _hats(n: int) -> Mapping[str, Array]:
    """Return the rings of a cap with a visor, a hat with a brim, and a beanie."""
    crown = [(1.768, 0.020, 0.026), (1.758, 0.058, 0.072), (1.732, 0.080, 0.101), (1.690, 0.0885, 0.111)]
    tall = [(1.782, 0.030, 0.038), (1.778, 0.064, 0.080), (1.735, 0.080, 0.102), (1.692, 0.0885, 0.111)]
    brim = [(1.680, 0.160, 0.180), (1.674, 0.158, 0.178), (1.684, 0.080, 0.100)]
    roll = [(1.686, 0.099, 0.121), (1.664, 0.097, 0.119), (1.664, 0.080, 0.100)]
    visor = [(1.687, 0.089, 0.111), (1.681, 0.089, 0.111), (1.680, 0.080, 0.100)]
    sections = {"hat": tall + brim, "beanie": crown + roll, "cap": crown + visor}
    found = {name: _rings([(*own, CRANIUM[2]) for own in rows], AXES_Y, oval(n)) for name, rows in sections.items()}
    edge = found["cap"][4:6]
    front = np.clip((edge[..., 2] - CRANIUM[2]) / 0.111, 0, 1) ** 2
    edge += front[..., None] * np.array([0, -0.020, 0.080])
    return found


def _curls(n: int) -> Array:
    """Return the rings of a ball of curly hair that leaves the face free."""
    sections = [
        (1.80, 0.03, 0.03),
        (1.785, 0.085, 0.09),
        (1.74, 0.125, 0.13),
        (1.68, 0.135, 0.135),
        (1.62, 0.115, 0.11),
    ]
    rings = _rings([(*own, -0.030) for own in [*sections, (1.59, 0.05, 0.05)]], AXES_Y, oval(n))
    rings[..., 2] = np.where(rings[..., 1] < 1.70, np.minimum(rings[..., 2], 0.012), rings[..., 2])
    return rings


def _ponytail(n: int) -> Array:
    top = [(1.720, 0.014, 0.012, -0.070), (1.70, 0.030, 0.026, -0.085), (1.62, 0.036, 0.032, -0.135)]
    return _rings([*top, (1.50, 0.030, 0.024, -0.150), (1.40, 0.012, 0.010, -0.145)], AXES_Y, oval(max(n // 2, 4)))


def _box(n: int, ends: tuple[float, float], middle: tuple[float, float], radii: tuple[float, float]) -> Array:
    """Return the rings of a box with round edges between two z. `middle` and `radii` are in x and y."""
    low, high = ends
    edge = 0.22 * (high - low)
    sections = [(low, 0.86), (low + edge, 1.0), (high - edge, 1.0), (high, 0.86)]
    rows = np.array([(z, scale * radii[0], scale * radii[1], *middle) for z, scale in sections])
    return stack(rows, AXES_Z, oval(n, 4.0))


def _handbag(n: int) -> Array:
    """Return the rings of a bag along the axis of the left arm, below the fist."""
    sections = [(0.19, 0.030, 0.120), (0.21, 0.042, 0.135), (0.40, 0.060, 0.160), (0.42, 0.048, 0.150)]
    return P.LEFT_POINTS["Arm"] + _rings([(REACH + at, *radii, 0.0) for at, *radii in sections], AXES_ARM, oval(n, 4.0))


def _handle() -> Array:
    """Return the rings of the handle of a handbag. The fingers of the left hand bend around its upper end."""
    # Rows: position on the axis of the arm from the wrist, towards the thumb, towards the back of the hand [m].
    keys = np.array(
        [
            (0.21, -0.075, -0.006),
            (0.150, -0.050, -0.036),
            (0.128, 0.0, -0.036),
            (0.150, 0.050, -0.036),
            (0.21, 0.075, -0.006),
        ]
    )
    along, forward, back = np.split(keys, 3, axis=1)
    path = P.LEFT_POINTS["Arm"] + (REACH + along) * P.ARM_DIRECTION + forward * (0, 0, 1.0) + back * UPPER_SIDE
    return band(path, np.tile(UPPER_SIDE, (len(path), 1)), 0.014, 0.014)


def _cuff(n: int) -> Array:
    sections = [(REACH + at, r, r + 0.003, 0.0) for at, r in ((-0.055, 0.054), (0.0, 0.051), (-0.004, 0.028))]
    return P.LEFT_POINTS["Arm"] + _rings(sections, AXES_ARM, oval(max(n // 2, 4)))


# Sections of a collar, and of the belt that covers the seam between the upper part of a coat and its skirt [m].
COLLAR = [
    (1.44, 0.105, 0.085, -0.024),
    (1.49, 0.092, 0.083, -0.026),
    (1.53, 0.066, 0.069, -0.022),
    (1.525, 0.05, 0.05, -0.022),
]
BELT = [(1.025, 0.150, 0.105, 0), (1.027, 0.182, 0.134, 0), (1.072, 0.176, 0.130, 0), (1.074, 0.145, 0.100, 0)]
# Points on the paths of the straps of backpacks and shoulder bags, and of the seam at the front of a coat [m].
SHOULDER = [
    (0.085, 1.38, -0.13), (0.088, 1.46, -0.07), (0.09, 1.49, 0.0), (0.095, 1.42, 0.09), (0.115, 1.28, 0.13),
    (0.140, 1.16, 0.08), (0.150, 1.10, -0.03), (0.12, 1.08, -0.10),
]  # fmt: skip
SLING = [
    (0.12, 0.98, -0.16), (0.02, 1.20, -0.14), (-0.08, 1.44, -0.10), (-0.105, 1.49, 0.0), (-0.07, 1.40, 0.10),
    (0.02, 1.25, 0.13), (0.11, 1.08, 0.10), (0.165, 1.00, 0.0), (0.13, 0.95, -0.15),
]  # fmt: skip
STRAPS = (("backpack", SHOULDER), ("backpack", [(-x, y, z) for x, y, z in SHOULDER]), ("shoulder bag", SLING))
PLACKET = [(0.0, 1.47, 0.07), (0.0, 1.30, 0.13), (0.0, 1.05, 0.12)]


def _strap(path: Sequence[tuple[float, float, float]], steps: int, lift: float = STRAP_LIFT) -> Array:
    """Return the rings of a strap on the surface of the body, along a curve through the points of `path`."""
    keys = np.array([(number, *point) for number, point in enumerate(path)], float)
    points = curve(keys, np.linspace(0, len(path) - 1, steps))
    for _ in range(2):
        points = points - body.normals(points) * (body.body(points) - lift)[:, None]
    return band(points, body.normals(points), *STRAP)


def _coat(level: int, positions: Array, triangles: Array) -> list[Part]:
    """Return the main parts of a coat: the skin of trunk and arms, moved outwards, and a skirt."""
    along, _ = body.arm_coordinates(body.on_left(positions))
    arm, height = (np.abs(positions[:, 0]) > 0.20) & (along > 0), positions[:, 1]
    covered = np.where(arm, along < REACH - 0.015, (height > 0.985) & (height < 1.50))
    lift, moved = COAT_LIFT * np.where(arm, 1.0, smooth_step(height, 1.0, 1.05)), positions.copy()
    moved[covered] += lift[covered, None] * body.normals(positions[covered])
    shell = _closed(moved, triangles[covered[triangles].all(axis=1)])
    skirt = skirt_mesh(level)

    def hips(figure: FigureShape) -> Array:
        wide = replace(figure, hips=1.06 * figure.hips, waist=1.1 * figure.waist, skirt=_over(figure.skirt))
        return skirt_points(skirt, wide)

    usual = hips(FigureShape("usual", 0.0, 1.0))
    hidden = _hidden(skirt.joints, skirt.weights)
    skin = usual, skirt.triangles, skirt.joints, skirt.weights, hidden
    below = Part("coat", "coat", *skin, hips, skirt.inside)
    return [_part("coat", "coat", shell), below]


def _over(skirt: Skirt | None) -> Skirt:
    """Return the skirt of a coat over the skirt of a figure."""
    hem, width, depth = astuple(skirt) if skirt else (np.inf, 0.0, 0.0)
    wider = max(COAT_SKIRT.width, width + COAT_LIFT), max(COAT_SKIRT.depth, depth + COAT_LIFT)
    return Skirt(min(COAT_SKIRT.hem, hem - COAT_LIFT), *wider)


def _closed(points: Array, triangles: Array) -> Piece:
    """Return the triangles with only their points, and a fan of triangles over each hole."""
    points, welded = np.unique(np.round(points, 6), axis=0, return_inverse=True)
    corners = welded.reshape(-1)[triangles]
    corners = corners[(corners != np.roll(corners, 1, axis=1)).all(axis=1)]
    used, flat = np.unique(corners, return_inverse=True)
    corners, points = flat.reshape(-1, 3), points[used]
    edges = np.concatenate([corners[:, [0, 1]], corners[:, [1, 2]], corners[:, [2, 0]]])
    codes, opposite = edges @ (len(points), 1), edges @ (1, len(points))
    hole = edges[~np.isin(codes, opposite)]
    loop = np.arange(len(points))
    for _ in hole:  # each round moves the smallest number of a loop over one more edge
        np.minimum.at(loop, hole, loop[hole].min(axis=1, keepdims=True))
    starts, number = np.unique(loop[hole[:, 0]], return_inverse=True)
    middles = np.array([points[hole[number == own, 0]].mean(axis=0) for own in range(len(starts))])
    fans = np.column_stack([hole[:, ::-1], len(points) + number])
    return np.concatenate([points, middles]), np.concatenate([corners, fans])
