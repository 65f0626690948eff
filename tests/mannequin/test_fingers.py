"""The hands of people: five fingers in the finest mesh, with space between them, for every figure."""

import numpy as np
import pytest

from ecs_anim.assets.mesh import Mesh
from ecs_anim.assets.rig import Rig
from ecs_anim.levels.posed import PosedLevels
from ecs_anim.mannequin.figures import FIGURES
from ecs_anim.scenes.rigs import load_model
from ecs_anim.view.cull_view import MARGIN, PIXEL_ERROR
from tests.mannequin.test_gait import _inside

FIGURE_NAMES = [own.name for own in FIGURES]
TIP_DISTANCE = 0.015  # [m], smallest distance between two finger tips
SKIN = 0.0008  # [m], distance of compared points from the skin
HAND_LENGTH = 0.108 * 1.73  # [m] (Drillis and Contini 1966)


@pytest.fixture(scope="module")
def people() -> Rig:
    return load_model("people")


def _hand(rig: Rig, mesh: Mesh, side: str) -> np.ndarray:
    """Which vertices move only with a hand."""
    (joint,) = [k for k, name in enumerate(rig.skeleton.joint_names) if name == f"{side}Hand"]
    entry = list(rig.skeleton.skin_joints).index(joint)
    return ((mesh.palette_indices == entry) * mesh.weights).sum(axis=1) > 0.999


def _tips(mesh: Mesh, hand: np.ndarray) -> np.ndarray:
    """Points [n, 3] of a hand that are farther from the arm than all their neighbours on the mesh."""
    points, flat = np.unique(mesh.positions[hand].astype(float), axis=0, return_inverse=True)
    number = np.full(len(hand), -1)
    number[hand] = flat.reshape(-1)
    triangles = number[mesh.indices.reshape(-1, 3)]
    triangles = triangles[(triangles >= 0).all(axis=1)]
    wrist = points[np.argsort(np.abs(points[:, 0]))[:6]].mean(axis=0)
    away = np.linalg.norm(points - wrist, axis=1)
    farthest = away.copy()
    for a, b in ((0, 1), (1, 2), (2, 0)):
        np.maximum.at(farthest, triangles[:, a], away[triangles[:, b]])
        np.maximum.at(farthest, triangles[:, b], away[triangles[:, a]])
    tips: list[np.ndarray] = []
    for k in np.argsort(-away):
        apart = all(np.linalg.norm(points[k] - tip) > TIP_DISTANCE for tip in tips)
        if away[k] == farthest[k] and away[k] > HAND_LENGTH / 3 and apart:
            tips.append(points[k])
    return np.array(tips)


@pytest.mark.parametrize("side", ["Left", "Right"])
@pytest.mark.parametrize("figure", FIGURE_NAMES)
def test_each_hand_has_a_thumb_and_four_fingers(people: Rig, figure: str, side: str) -> None:
    mesh = people.level(0)[0].of_figure(FIGURE_NAMES.index(figure))
    tips = _tips(mesh, _hand(people, mesh, side))
    assert len(tips) == 5
    thumb, *fingers = tips[np.argsort(-tips[:, 2])]
    assert thumb[1] > max(tip[1] for tip in fingers), "the thumb is shorter"
    middle = max(fingers, key=lambda tip: abs(tip[0]) - tip[1])
    assert any(tip[2] > middle[2] for tip in fingers), "a finger is between the thumb and the longest finger"


@pytest.mark.parametrize("level", [1, 2, 3])
def test_distant_hands_are_simple(people: Rig, level: int) -> None:
    (mesh,) = people.level(level)
    hand = _hand(people, mesh, "Left")
    assert hand[mesh.indices.reshape(-1, 3)].all(axis=1).sum() < 60


@pytest.mark.parametrize("figure", ["man", "stout man", "young woman", "girl"])
def test_no_finger_enters_another_finger(people: Rig, figure: str) -> None:
    """Points slightly outside of the skin of a hand are outside of the body; points slightly below are inside."""
    mesh = people.level(0)[0].of_figure(FIGURE_NAMES.index(figure))
    points, hand = mesh.positions.astype(float), _hand(people, mesh, "Left")
    corners = mesh.indices.reshape(-1, 3)
    own = points[corners[hand[corners].all(axis=1)]]
    normals = np.cross(own[:, 1] - own[:, 0], own[:, 2] - own[:, 0])
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    near = corners[(np.abs(points[corners, 0]) > 0.3).all(axis=1)]
    closed = np.concatenate([points[near], _cap(points, near)])
    middles = own.mean(axis=1)
    assert _inside(middles - SKIN * normals, closed).all()
    assert not _inside(middles + SKIN * normals, closed).any()


def _cap(points: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """Triangles [n, 3, 3] that close the open borders of a part of a mesh, with a fan at each border."""
    _, welded = np.unique(points, axis=0, return_inverse=True)
    edges = triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2)
    names = welded.reshape(-1)[edges]
    known = set(map(tuple, names.tolist()))
    border = points[edges[[(b, a) not in known for a, b in names.tolist()]]]
    fans = []
    for side in (border[border[:, 0, 0] > 0], border[border[:, 0, 0] < 0]):
        middle = np.broadcast_to(side.mean(axis=(0, 1)), (len(side), 3))
        fans.append(np.stack([side[:, 1], side[:, 0], middle], axis=1))
    return np.concatenate(fans)


def test_hands_show_their_fingers_from_the_size_on_at_which_fingers_are_visible(people: Rig) -> None:
    """A hand of 40 pixels has fingers, and a hand of 8 pixels has none."""
    first = PosedLevels.of(people).errors[1]
    assert first * 40 / HAND_LENGTH > PIXEL_ERROR
    assert MARGIN * first * 8 / HAND_LENGTH < PIXEL_ERROR
