"""Comparison of the pass `flow` and of velocities with the motion between two pictures of a camera."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.verifying.camera import Reals, apart_on_picture, project, rays, rotation_matrix
from ecs_anim.verifying.findings import Findings, Rule
from ecs_anim.verifying.pictures import Check, Picture

STATIC = (1, 2, 4, 5, 6)  # classes of surfaces that do not move: ground, wall, closed door, block, seat
SAMPLES = 64  # number of pixels of an actor
POLE = 0.2  # sine of the angle to the pole of a panorama
SINCE = Rule("flow_since against the time of the previous picture", 0, "s")
FIRST = Rule("known flow in the first picture of a seed", 0, "px")
STANDS = Rule("flow of static surfaces against the motion of the camera", 0.5, "px")
MOVES = Rule("flow of actors against the motion of their joints, as a share of the motion + 2 px", 0.25)
VELOCITY = Rule("velocities against positions", 0.02, "m/s")


class MotionCheck(Check):
    """Comparison of pictures with the previous picture of the same camera and seed."""

    def __init__(self, findings: Findings) -> None:
        self._findings, self._seed = findings, -1
        self._before: dict[str, Picture] = {}  # of the present seed, by camera

    def add(self, picture: Picture) -> None:
        """Compare a picture with the previous picture of its camera."""
        label = picture.label
        if label["seed"] != self._seed:
            self._seed, self._before = label["seed"], {}
        before = self._before.get(label["camera"])
        if "flow" in picture.passes:
            self._check_flow(picture, before)
        if before is not None and label["frame"] == before.label["frame"] + 1:
            self._check_velocities(picture, before)
        self._before[label["camera"]] = Picture(label, picture.place, {})

    def _check_flow(self, picture: Picture, before: Picture | None) -> None:
        since, flow = picture.label["flow_since"], picture.passes["flow"]
        if before is None:
            self._findings.measure(FIRST, int(np.isfinite(flow).all(axis=-1).sum()), picture.place)
            self._findings.require(SINCE, since is None, picture.place)
            return
        time = before.label["time"]
        self._findings.measure(SINCE, np.inf if since is None else abs(since - time), picture.place)
        if {"ids", "classes", "depth"} <= picture.passes.keys():
            self._check_surfaces(picture, before)

    def _check_surfaces(self, picture: Picture, before: Picture) -> None:
        label, passes = picture.label, picture.passes
        origins, ahead = rays(label)
        points = origins + ahead * passes["depth"][..., None].astype(np.float64)
        known = np.isfinite(passes["flow"]).all(axis=-1) & np.isfinite(passes["depth"]) & _is_steady(label)[:, None]
        static = np.isin(passes["classes"], STATIC) & known
        errors = _errors(points[static], before, np.argwhere(static), passes["flow"][static])[0]
        self._findings.measure(STANDS, float(np.nanmax(errors, initial=0)), picture.place)
        earlier = {actor["id"]: actor for actor in before.label["actors"]}
        for actor in picture.shown:
            own = np.argwhere((passes["ids"] == actor["id"]) & known)
            if actor["id"] in earlier and len(own):
                own = own[:: -(-len(own) // SAMPLES)]
                moved = _moved(points[*own.T], actor, earlier[actor["id"]])
                errors, lengths = _errors(moved, before, own, passes["flow"][*own.T])
                share = float(np.nanmedian(errors) / (np.nanmedian(lengths) + 2))
                self._findings.measure(MOVES, share, picture.of(actor))

    def _check_velocities(self, picture: Picture, before: Picture) -> None:
        earlier = {actor["id"]: actor for actor in before.label["actors"]}
        duration = picture.label["time"] - before.label["time"]
        for actor in picture.label["actors"]:
            if actor["velocity"] is not None and actor["id"] in earlier:
                moved = np.subtract(actor["position"], earlier[actor["id"]]["position"]) / duration
                self._findings.measure(VELOCITY, float(np.abs(moved - actor["velocity"]).max()), picture.of(actor))


def _is_steady(label: dict[str, Any]) -> NDArray[np.bool_]:
    """Return for each row of a picture whether small shifts cause only small changes of flow.

    Near the poles of a panorama, they cause large changes.
    """
    rows = np.arange(label["height"]) + 0.5
    is_panorama = label["view"]["model"] == "equirectangular"
    return np.asarray((np.sin(np.pi * rows / label["height"]) > POLE) | (not is_panorama))


def _errors(points: Reals, before: Picture, cells: NDArray[np.intp], flow: Reals) -> tuple[Reals, Reals]:
    """Return the error of the flow [n] [pixel] and the length of the expected flow [n] [pixel].

    `points` [n, 3] are the earlier positions of the surfaces at the pixels `cells` [n, 2] (row, column).
    """
    then, _ = project(before.label, points)
    here = cells[:, ::-1].astype(np.float64) + 0.5
    expected = apart_on_picture(before.label, here, then)
    told = apart_on_picture(before.label, here, here - flow)
    return np.linalg.norm(told - expected, axis=-1), np.linalg.norm(expected, axis=-1)


def _moved(points: Reals, actor: dict[str, Any], earlier: dict[str, Any]) -> Reals:
    """Return the earlier positions of points [n, 3] on the skin of an actor.

    Each point moves with the nearest joint.
    """
    now, then = (np.array(own["joints"]["positions"]) for own in (actor, earlier))
    turns, earlier_turns = (rotation_matrix(np.array(own["joints"]["rotations"])) for own in (actor, earlier))
    nearest = np.linalg.norm(points[:, None] - now, axis=-1).argmin(axis=1)
    local = np.einsum("nba,nb->na", turns[nearest], points - now[nearest])
    return then[nearest] + np.einsum("nab,nb->na", earlier_turns[nearest], local)
