"""The preset `vary = "wild"`: random values for light, weather, surfaces, camera and clothes of any scene."""

from collections.abc import Iterable
from typing import Any

from ecs_anim.scenes.crowds import CrowdModel
from ecs_anim.scenes.schema import OneOfModel, SceneModel
from ecs_anim.scenes.schema_ground import BlocksGround
from ecs_anim.scenes.schema_sky import SKYLINE

LIGHT_KEYS = ("sun_strength", "sky_strength", "sun_color", "zenith_color", "horizon_color")
LIGHTS: tuple[tuple[float, float, str, str, str], ...] = (
    (1.0, 1.0, "#fff5e6", "#7caadd", "#dfe7ef"),  # clear
    (1.15, 0.8, "#ffe2bd", "#5f93d6", "#e6dccb"),  # low sun
    (0.25, 2.1, "#f4f6ff", "#aab4c0", "#d5d9dd"),  # overcast
    (0.05, 2.3, "#eef2ff", "#8e99a6", "#aab2ba"),  # dark clouds
    (0.7, 1.4, "#fff1dd", "#8fb3d9", "#f0ead9"),  # haze
    (0.9, 0.7, "#ffc58f", "#4f6ea8", "#f0b98a"),  # evening
    (0.05, 0.5, "#c6d2ff", "#0b1020", "#1a2233"),  # night
)
LAMP_HEIGHT = 5.0  # [m], above the highest level
# Lamps of a night. The light of a lamp ends before the next lamp, so that dark floor is between lamps.
LAMPS = (
    {"spacing": 14.0, "reach": 12.0, "color": "#ffc98a", "strength": 1.3},
    {"spacing": 24.0, "reach": 17.0, "color": "#e6ecff", "strength": 1.0},
)
SKIES = (None, {"image": SKYLINE}, {"image": SKYLINE})
FOGS = ([25.0, 180.0], [60.0, 400.0], [40.0, 250.0], [8.0, 75.0])  # [m]
FLOORS = ("paving", "asphalt", "tiles", "planks", "bricks", "concrete")
FLOOR_COLORS = ("#c4c0ba", "#8e9287", "#6f7175", "#b0865c", "#9c6a54", "#d8d4c6", "#5d6a73", "#a9a28c")
LINE_COLORS = ("#a29f9a", "#6d6a66", "#4d4c4b", "#d5cfc4")
WALLS = ("plain", "bricks", "concrete", "tiles", "planks")
WALL_COLORS = ("#dcd7ce", "#b5653f", "#8f9aa0", "#d9c9a4", "#6f7f6a", "#efe9df", "#54606e")
TINTS = (
    ("#e9e4d8", "#b9c3cc", "#5f7d9b", "#3f556f", "#7f9a86", "#d9c08c", "#a9574a", "#8a7593", "#4f4a4c"),
    ("#17181b", "#2a3344", "#45484d", "#6d7278", "#8b5e3c", "#3d4a3f", "#5a2f33"),
    ("#f4f4f2", "#e2d9c8", "#cfd8de", "#dcd3ea", "#d5e0cd"),
    ("#d9352b", "#f0b429", "#1f77c9", "#2d9b57", "#8a3fb0", "#f26b21", "#f5f5f0", "#1b1d22"),
)
MOVES = ((0.0, 0.0, 0.0), (0.6, 0.2, 0.0), (-0.6, -0.2, 0.0), (0.0, 0.5, 0.6), (0.0, -0.4, -0.6))  # [m]
FURNITURE = (0.0, 0.0, 0.015, 0.04)  # props per square metre
# Factors on the shares of figures by age, build and skin tone
SHARES: tuple[dict[str, float], ...] = (
    {},
    {"child": 4.0, "dark_skin": 3.0},
    {"old": 3.0, "light_skin": 3.0},
    {"young": 3.0, "medium_skin": 2.0},
    {"child": 8.0, "old": 2.0, "slim": 2.0},
    {"stout": 3.0, "dark_skin": 2.0},
)


def wild(scene: SceneModel) -> dict[str, OneOfModel | tuple[float, float]]:
    """Return possible values of the scene keys that the preset varies, by scene key."""
    azimuth = scene.light.sun_azimuth_degrees
    found: dict[str, OneOfModel | tuple[float, float]] = {
        "light": _one_of(_lights(scene)),
        "light.sun_azimuth_degrees": (azimuth - 70.0, azimuth + 70.0),
        "light.sun_elevation_degrees": (14.0, 65.0),
        "light.fog": _one_of(FOGS),
        "surfaces.wall_material": _one_of(WALLS),
        "surfaces.wetness": _one_of((0.0, 0.0, 0.0, 0.4, 0.8)),
    }
    if all(map(_walks_around, scene.crowds)):
        found["furniture.density"] = _one_of(FURNITURE)
    if scene.sky is None:
        found["sky"] = _one_of(SKIES)
    if scene.ground is not None:
        found |= _floor("ground")
    if scene.walls is not None:
        found["walls.color"] = _one_of(WALL_COLORS)
    for number in range(len(scene.levels)):
        found |= {**_floor(f"levels[{number}]"), f"levels[{number}].wall_color": _one_of(WALL_COLORS)}
    return found | _cameras(scene) | _clothes(scene) | _facades(scene)


def _walks_around(crowd: CrowdModel) -> bool:
    """Return whether the actors of a crowd stand or steer. Other actors would walk through furniture."""
    clips = any(clip.moves_actor or clip.ground_speed_m_s is not None for clip in crowd.clips)
    return crowd.steering is not None or not (crowd.moves or clips)


def _lights(scene: SceneModel) -> list[dict[str, Any]]:
    """Return the tables [light] of all kinds of light. Only the nights have lamps."""
    own = {"shadows": scene.light.shadows}
    *days, night = [own | dict(zip(LIGHT_KEYS, light, strict=True)) for light in LIGHTS]
    height = max((level.height for level in scene.levels), default=0.0) + LAMP_HEIGHT
    return days + [night | {"lamps": {"height": height, **lamps}} for lamps in LAMPS]


def _floor(table: str) -> dict[str, OneOfModel | tuple[float, float]]:
    values = {"material": FLOORS, "color": FLOOR_COLORS} | ({"line_color": LINE_COLORS} if table == "ground" else {})
    return {f"{table}.{key}": _one_of(own) for key, own in values.items()}


def _cameras(scene: SceneModel) -> dict[str, OneOfModel | tuple[float, float]]:
    """Return small changes of the eyes of fixed cameras."""
    return {
        f"cameras[{number}].eye": _one_of([[eye[0] + dx, eye[1] + dy, eye[2] + dz] for dx, dy, dz in MOVES])
        for number, camera in enumerate(scene.cameras)
        if (eye := camera.eye) is not None
    }


def _clothes(scene: SceneModel) -> dict[str, OneOfModel | tuple[float, float]]:
    """Return the tints of clothes, the patterns, and the shares of ages, builds and skin tones."""
    found: dict[str, OneOfModel | tuple[float, float]] = {}
    for name, rig in scene.rigs.items():
        if rig.model == "people":
            found |= {f"rigs.{name}.{key}": _one_of((True,)) for key in ("patterns", "accessories")}
    for number, crowd in enumerate(scene.crowds):
        model = scene.rigs[crowd.rig].model if crowd.rig in scene.rigs else None
        if model in ("people", "mannequin"):
            found[f"crowds[{number}].tints"] = _one_of(TINTS)
        if model == "people" and getattr(crowd, "figures", None) is None:
            found[f"crowds[{number}].figures"] = _one_of(SHARES)
    return found


def _facades(scene: SceneModel) -> dict[str, OneOfModel | tuple[float, float]]:
    """Return the colours of houses: blocks of the ground with windows."""
    blocks = scene.ground.blocks if isinstance(scene.ground, BlocksGround) else []
    return {
        f"ground.blocks[{n}].color": _one_of(WALL_COLORS) for n, own in enumerate(blocks) if own.windows is not None
    }


def _one_of(values: Iterable[Any]) -> OneOfModel:
    return OneOfModel(one_of=list(values))
