"""The built-in carriage of a train, with a piece of track. Its two doors are niches in the front, +Z."""

from ecs_anim.assets.mesh import Material
from ecs_anim.assets.rig import Rig
from ecs_anim.rigs.prop_shapes import Shape, colored_mesh, joined, prop_rig, rounded_box

PAINT, STRIPE, ROOF, GLASS, DARK, STEEL, STONE = (
    "#2f6f78",
    "#efe6d2",
    "#c9ccca",
    "#1d2a30",
    "#15181a",
    "#8d8f94",
    "#77716a",
)
HALF, DEEP = 6.0, 1.4  # [m], half of the length and of the width
FLOOR, TOP = 1.0, 3.85  # [m], heights of the floor and of the edge of the roof
DOORS = (-3.0, 3.0)  # [m], x of the middles of the doors
DOOR = 0.75  # [m], half of the width of a door
NICHE = 0.75  # [m], depth of a door


def carriage_rig() -> Rig:
    """Return a carriage. The carriage is 12 m long and 2.8 m wide. Its floor is 1 m above the ground."""
    inner = DEEP - NICHE
    parts = [
        rounded_box((-HALF, FLOOR - 0.45, -DEEP), (HALF, TOP, inner), PAINT, 0.06),
        rounded_box((-HALF + 0.1, TOP - 0.03, -DEEP + 0.12), (HALF - 0.1, TOP + 0.22, DEEP - 0.12), ROOF, 0.1),
        rounded_box((-HALF, TOP - 0.5, inner - 0.1), (HALF, TOP, DEEP), PAINT, 0.05),
        rounded_box((-HALF, FLOOR - 0.45, inner - 0.1), (HALF, FLOOR - 0.03, DEEP), DARK, 0.03),
    ]
    edges = [-HALF, *(edge for x in DOORS for edge in (x - DOOR, x + DOOR)), HALF]
    for left, right in zip(edges[::2], edges[1::2], strict=True):
        parts += _panel(left, right, inner)
    for x in DOORS:
        parts.append(rounded_box((x - DOOR, FLOOR, inner - 0.03), (x + DOOR, TOP - 0.5, inner + 0.02), DARK, 0.01))
    back = -DEEP - 0.012
    parts.append(rounded_box((-HALF + 0.5, FLOOR + 0.95, back), (HALF - 0.5, FLOOR + 2.0, back + 0.1), GLASS, 0.02))
    body = joined([*parts, *_track()]).shaded(0.0, 1.0, 0.6)
    return prop_rig("carriage", colored_mesh(Material("carriage"), body))


def _panel(left: float, right: float, inner: float) -> list[Shape]:
    """Return a piece of the front between two doors, with a window and a stripe."""
    front = DEEP + 0.012
    margin = 0.25
    return [
        rounded_box((left, FLOOR - 0.45, inner - 0.1), (right, TOP, DEEP), PAINT, 0.03),
        rounded_box((left, FLOOR + 0.62, front - 0.05), (right, FLOOR + 0.78, front), STRIPE, 0.01),
        rounded_box((left + margin, FLOOR + 0.95, front - 0.05), (right - margin, FLOOR + 2.0, front), GLASS, 0.02),
    ]


def _track() -> list[Shape]:
    """Return a bed of stones with two rails, and two bogies."""
    parts = [rounded_box((-HALF - 0.2, 0.0, -1.7), (HALF + 0.2, 0.12, 1.7), STONE, 0.03)]
    for z in (-0.72, 0.72):
        parts.append(rounded_box((-HALF - 0.2, 0.1, z - 0.04), (HALF + 0.2, 0.26, z + 0.04), STEEL, 0.01))
    for x in (-3.9, 3.9):
        parts.append(rounded_box((x - 1.1, 0.2, -1.0), (x + 1.1, 0.75, 1.0), DARK, 0.08))
    return parts
