"""The sections of a shared file without motion of actors: models, surfaces, props, light, cameras, and the appearance
of actors.
"""

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.skeleton import Skeleton
from ecs_anim.components.appearance import Appearance
from ecs_anim.components.baked import Baked
from ecs_anim.components.character import Character
from ecs_anim.components.crowd import Crowd
from ecs_anim.components.palette import Palette
from ecs_anim.components.stage import Stage
from ecs_anim.ecs.world import World
from ecs_anim.gl.device.program import defines_of
from ecs_anim.gl.picture.floor_look import surface_look
from ecs_anim.gl.picture.surface import surface_colors
from ecs_anim.ground.surface import Surface
from ecs_anim.rigs.bones import bone_meshes
from ecs_anim.rigs.props import Props
from ecs_anim.sharing.camera_tracks import Track
from ecs_anim.sharing.details import Details
from ecs_anim.sharing.looks import Looks
from ecs_anim.sharing.models import Models, Table
from ecs_anim.sharing.moving import FilmedSurfaces, described_movement
from ecs_anim.sharing.pool import Pool
from ecs_anim.sharing.targets import FilmedTargets
from ecs_anim.systems.queries import stage_of
from ecs_anim.view.camera import OrbitCamera
from ecs_anim.view.style import GroundPicture, GroundStyle
from ecs_anim.view.sun_fit import sun_axes


def scene_sections(
    world: World,
    looks: Sequence[Looks],
    surfaces: FilmedSurfaces,
    targets: FilmedTargets,
    tracks: Sequence[Track] = (),
    start: float = 0.0,
) -> dict[str, NDArray[Any]]:
    """Return a dictionary with the sections of a container that the page draws.

    `looks` contains the appearance of each crowd, in the order of the crowds of the world. `surfaces` are the surfaces
    of the scene over the time, `targets` are the balls of targets, and `tracks` are the poses of the scene's cameras.
    `start` [s] is the simulation time of the first picture. The section "scene/description" is JSON. The section
    "scene/data" contains all arrays, and "scene/images" contains all images.
    """
    pool, images = Pool(), Pool()
    description = {"time": start, **_description(world, looks, surfaces, targets, tracks, pool, images)}
    text = json.dumps(description, separators=(",", ":"))
    data = {"scene/data": pool.section(), "scene/images": images.section()}
    return {"scene/description": np.frombuffer(text.encode(), np.uint8), **data}


def _description(
    world: World,
    looks: Sequence[Looks],
    surfaces: FilmedSurfaces,
    targets: FilmedTargets,
    tracks: Sequence[Track],
    pool: Pool,
    images: Pool,
) -> Table:
    stage, models = stage_of(world), Models(pool, images)
    details = Details(models, pool)
    entities = [entity for entity, _ in world.query(Crowd)]
    crowds = [_crowd(world, entity, look, models, details, pool) for entity, look in zip(entities, looks, strict=True)]
    return {
        "title": stage.title,
        "crowds": crowds,
        "props": [_props(props, models, details, pool) for props in stage.props],
        "targets": targets.description(models, pool),
        "surfaces": _surfaces(surfaces, stage.ground or GroundStyle(), models, pool),
        "ground": _ground(stage.ground, models),
        "is_uneven": surfaces.is_uneven,
        "storeys": [*zip(stage.storeys, stage.storey_names, strict=True)],
        "light": _light(stage),
        "view": _view(stage.camera),
        "cameras": [track.description(pool) for track in tracks],
        "models": models.models,
        "images": models.images,
    }


def _crowd(world: World, entity: int, looks: Looks, models: Models, details: Details, pool: Pool) -> Table:
    character, palette, baked = world.get(entity, Character), world.find(entity, Palette), world.find(entity, Baked)
    look = world.get(entity, Appearance)
    method = palette.method if palette is not None and baked is None else "linear"
    skin, detail = details.of_crowd(world, entity, method)
    bones = None
    if look.shows_joints:
        skeleton = character.rig.skeleton
        bones = models.of_levels(skeleton, [bone_meshes(skeleton)], method)
    return {
        "method": method,
        "bind": None if method == "linear" else _bind(character.rig.skeleton, pool),
        "skin": skin,
        "bones": bones,
        "shadow_radius": look.shadow_radius,
        "detail": detail,
        "tints": _tints(looks, pool),
        "variants": pool.array(looks.variants.astype(np.uint16)),
    }


def _bind(skeleton: Skeleton, pool: Pool) -> Table:
    """Describe the joint positions and the outermost palette entries, which dual quaternion skinning needs."""
    places, base = skeleton.bind_places.astype(np.float32), skeleton.base_entries.astype(np.uint16)
    return {"places": pool.array(places), "base": pool.array(base)}


def _tints(looks: Looks, pool: Pool) -> Table:
    """Describe the tints of a crowd: a table of different tints, the number of each actor's first tint, and the
    tints that change.
    """
    table, numbers = np.unique(looks.tints, axis=0, return_inverse=True)
    first = {"table": pool.array(table), "numbers": pool.array(numbers.reshape(-1).astype(np.uint32))}
    if not looks.changes:
        return first | {"changes": None}
    actors, counts = ([own.actor for own in looks.changes], [len(own.rows) for own in looks.changes])
    rows = np.concatenate([own.rows for own in looks.changes])
    found = {"actors": np.array(actors, np.uint32), "counts": np.array(counts, np.uint32), "rows": rows}
    return first | {"changes": {name: pool.array(values) for name, values in found.items()}}


def _props(props: Props, models: Models, details: Details, pool: Pool) -> Table:
    return {
        "model": models.of_rig(props.model, "linear"),
        "instances": pool.array(props.instances),
        "contacts": None if props.contacts is None else pool.array(props.contacts),
        "shadow_radius": props.shadow_radius,
        "detail": details.of_props(props),
        "storey": props.storey,
    }


def _surfaces(filmed: FilmedSurfaces, style: GroundStyle, models: Models, pool: Pool) -> list[Table]:
    def described(surface: Surface, **changes: Any) -> Table:
        return _surface(surface, style, models, pool) | {"changes": None, "movement": None} | changes

    return [
        *(described(surface) for surface in filmed.standing),
        *(described(surface, changes=changes) for surface, changes in filmed.walls()),
        *(described(own, movement=described_movement(shape, rows, pool)) for own, shape, rows in filmed.moving()),
    ]


def _surface(surface: Surface, style: GroundStyle, models: Models, pool: Pool) -> Table:
    textured = surface.texture is not None and surface.uvs is not None
    columns = {"position": surface.positions, "normal": surface.normals}
    columns |= {"uv": surface.uvs} if surface.uvs is not None else {}
    columns |= {"color": surface.colors} if surface.colors is not None else {}
    color, line = surface_colors(surface, style)
    defines = defines_of(TEXTURED=textured, VERTEX_COLORS=surface.colors is not None, UNLIT=surface.unlit)
    return {
        "defines": [*defines, *_pattern(surface, style)],
        "columns": {name: pool.array(column.astype(np.float32)) for name, column in columns.items()},
        "indices": pool.array(surface.indices.astype(np.uint32).reshape(-1)),
        "tile_color": color,
        "line_color": line,
        "image": models.image(surface.texture) if textured else None,
        "is_culled": not surface.double_sided,
        "kind": surface.kind,
        "storey": surface.storey,
    }


def _pattern(surface: Surface, style: GroundStyle) -> tuple[str, ...]:
    """Return the defines of the pattern of a surface. A page does not repeat pictures on floors and walls."""
    look = surface_look(surface, style)
    if look.texture is not None:
        return ("PLAIN",)
    return (look.material.upper(), *defines_of(UPRIGHT=look.upright))


def _ground(style: GroundStyle | None, models: Models) -> Table | None:
    if style is None:
        return None
    return {
        "height": style.height,
        "color": style.color,
        "line_color": style.line_color,
        "fog_start": style.fog_start,
        "fog_end": style.fog_end,
        "plane": style.plane,
        "material": style.material.upper(),
        "picture": None if style.picture is None else _ground_picture(style.picture, models),
    }


def _ground_picture(picture: GroundPicture, models: Models) -> Table:
    return {"image": models.image(picture.texture), "rows": picture.from_world.tolist()}


def _light(stage: Stage) -> Table:
    light = stage.lighting
    colors = ("sun_color", "sky_color", "bounce_color", "zenith_color", "horizon_color")
    x, y, z = light.sun_direction
    return {
        "sun_direction": light.sun_direction,
        **{name: getattr(light, name) for name in colors},
        "shadows": light.shadows,
        "sun_axes": sun_axes((x, y, z)).tolist(),
    }


def _view(camera: OrbitCamera) -> Table:
    names = ("distance", "azimuth", "elevation", "vertical_fov", "near", "far", "min_distance", "max_distance")
    numbers = {name: float(getattr(camera, name)) for name in (*names, "min_elevation")}
    return {"target": camera.target.tolist(), **numbers, "ground_clearance": camera.ground_clearance}
