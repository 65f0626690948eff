"""The model of people: one mesh for each level of detail, with one figure and one texture for each person."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ecs_anim.anny import hair, skirt
from ecs_anim.anny.base import base
from ecs_anim.anny.clothed import below_skirt, dressed, with_shoe_normals
from ecs_anim.anny.fit import fitted
from ecs_anim.anny.mesh import Level, finest, levels, usual_vertices, weights
from ecs_anim.anny.outfits import Outfit, random_outfit
from ecs_anim.anny.paint import painted
from ecs_anim.anny.persons import Person, random_person
from ecs_anim.anny.shape import body_points
from ecs_anim.assets.figures import SKIN_TONES, Figure, MeshFigures
from ecs_anim.assets.mesh import Material, Mesh, Texture
from ecs_anim.assets.rig import Rig
from ecs_anim.gltf.load import load_rig
from ecs_anim.mannequin import PATH
from ecs_anim.mannequin import proportions as P
from ecs_anim.mannequin.arrays import Array
from ecs_anim.rigs.people import entries_of
from ecs_anim.rigs.surfaces import face_normal_sums


@dataclass(frozen=True)
class Dressed:
    """A person with an outfit."""

    person: Person
    outfit: Outfit
    vertices: Array  # [v, 3], [m], body, tube of hair, tube of the skirt
    normals: Array  # [v, 3], unit
    texture: Array  # [SIZE, SIZE, 4] u8


def dressed_person(rng: np.random.Generator) -> Dressed:
    """Return a random person with a random outfit."""
    person = random_person(rng)
    outfit = random_outfit(person, rng)
    vertices = _surface(fitted(base(), body_points(person)), outfit)
    return Dressed(person, outfit, vertices, _normals(vertices), painted(outfit, rng))


def _surface(body: Array, outfit: Outfit) -> Array:
    own = outfit.skirt
    hem = own.hem if own is not None and not own.is_open else None
    skin = hair.with_hair(dressed(body, outfit.garments, hem), outfit.style)
    if own is None:
        tube = np.tile(skirt.HIDDEN, (2 + skirt.ROWS * skirt.COUNT, 1))
    else:
        tube = skirt.skirt_tube(skin, own.top, own.hem, own.ease, own.flare, is_open=own.is_open)
        if not own.is_open:
            skin = below_skirt(skin, own.top)
    return np.concatenate([skin, hair.hair_tube(skin, outfit.style), tube])


def _normals(vertices: Array) -> Array:
    full = finest()
    corners = full.vertices[full.triangles]
    sums = face_normal_sums(vertices, corners, corners)
    length = np.linalg.norm(sums, axis=1, keepdims=True)
    normals = np.where(length > 0, sums / np.maximum(length, 1e-15), (0.0, 1.0, 0.0))
    return with_shoe_normals(skirt.with_smooth_top(normals), vertices)


def random_people(count: int, seed: int, advance: Callable[[int], object]) -> Rig:
    """Return a rig of random people. A seed has the same first people for each `count`.

    The function `advance` receives the number of people that are complete since its last call. Raises InputError
    without the package anny or the package fast-simplification.
    """
    levels()  # raises InputError before the first person
    people = []
    for number in range(count):
        people.append(dressed_person(np.random.default_rng([seed, number])))
        advance(1)
    return people_model(load_rig(PATH, name="people"), people)


def people_model(mannequin: Rig, people: Sequence[Dressed]) -> Rig:
    """Return a rig with the skeleton and the clips of the mannequin, and with one figure for each person."""
    texture = Texture(np.stack([own.texture for own in people]), repeat=False)
    material = Material("people", texture=texture)
    entries = np.array([entries_of(mannequin.skeleton)[name] for name in P.JOINTS], np.uint16)
    joints, shares = weights()
    usual = usual_vertices(), _normals(usual_vertices())

    def mesh(number: int, level: Level) -> Mesh:
        at = level.vertices
        shapes = ([own.vertices[at] for own in people], [own.normals[at] for own in people])
        offsets = (np.stack(own) - mean[at] for own, mean in zip(shapes, usual, strict=True))
        return Mesh(
            f"people_{number}",
            material,
            usual[0][at].astype(np.float32),
            usual[1][at].astype(np.float32),
            level.uvs.astype(np.float32),
            entries[joints[at]],
            shares[at].astype(np.float32),
            level.triangles.astype(np.uint32).ravel(),
            level=number,
            figures=MeshFigures(*(own.astype(np.float32) for own in offsets)),
        )

    meshes = tuple(mesh(number, level) for number, level in enumerate(levels()))
    return replace(mannequin, name="people", meshes=meshes, figures=tuple(map(_figure, range(len(people)), people)))


def _figure(number: int, own: Dressed) -> Figure:
    person = own.person
    name = " ".join(word for word in (person.build, person.sex, str(number + 1)) if word != "average")
    height = float(np.ptp(own.vertices[: len(base().vertices), 1]))
    size = person.stature * (1 + P.SOLE / P.STATURE) / height
    tones = (SKIN_TONES[own.outfit.tone],)
    return Figure(name, size, 1.0, person.age, build=person.build, skin_tones=tones)
