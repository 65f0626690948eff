"""The script that trains a robot, with tiny settings, and its drivers in situations with a known answer."""

from types import ModuleType

import numpy as np
import pytest

from tests.project.layout import ROOT

pytestmark = pytest.mark.exhaustive  # the import of matplotlib is slow
pytest.importorskip("gymnasium")
pytest.importorskip("matplotlib")


@pytest.fixture(scope="module")
def script() -> ModuleType:
    from importlib.util import module_from_spec, spec_from_file_location

    spec = spec_from_file_location("train_robot", ROOT / "docs/train_robot.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def seen(goal: tuple[float, float], person: tuple[float, ...]) -> dict[str, np.ndarray]:
    """Return an observation of a robot with a radius of 0.3 m that drives ahead at 1 m/s, and of one person."""
    robot = np.array([[0, 0, 0, 1, 0, 0, *goal, 0.3]], float)
    return {"robot": robot, "people": np.array([[[*person, 0.2, 1], [0] * 6]], float)}


def test_drivers_stop_and_swerve(script: ModuleType) -> None:
    free, blocked = seen((5.0, 0.0), (9.0, 0.0, 0.0, 0.0)), seen((5.0, 0.0), (0.6, 0.1, 0.0, 0.0))
    np.testing.assert_allclose(script.straight(seen((0.0, 5.0), (9.0, 0.0, 0.0, 0.0))), [[1, 1]])
    np.testing.assert_allclose(script.careful(free), [[1, 0]])
    np.testing.assert_allclose(script.careful(blocked), [[0, 0]], atol=1e-9)
    weights = np.zeros((1, 10))
    np.testing.assert_allclose(script.policy(weights)(blocked), script.straight(blocked))
    weights[0, [0, 4]] = 1.0  # slow down for people ahead, and turn away from people
    (speed, turn), (_, mirrored) = (
        script.policy(weights)(blocked)[0],
        script.policy(weights)(seen((5.0, 0.0), (0.6, -0.1, 0.0, 0.0)))[0],
    )
    assert speed < 0.5
    assert turn < 0
    assert turn == pytest.approx(-mirrored)


def test_a_tiny_training_repeats_and_draws_a_curve(
    script: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in {"ROUNDS": 2, "CANDIDATES": 3, "EPISODES": 1, "ELITE": 2, "TESTS": 2, "STARTS": 2}.items():
        monkeypatch.setattr(script, name, value)
    monkeypatch.setitem(script.TASK, "limit_seconds", 2.0)
    script.main(str(tmp_path / "curve.png"))
    told = capsys.readouterr().out.splitlines()
    assert sum(line.startswith("| trained") for line in told) == 1
    assert (tmp_path / "curve.png").stat().st_size > 5000
    weights, _ = script.train()
    assert str(weights.round(2).tolist()) in told[2]
