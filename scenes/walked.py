"""Scenes made for a file of trajectories, as text: what `ecs-anim walk` runs, and saves."""

import json
from dataclasses import dataclass
from typing import Literal

from ecs_anim.trajectories import Recording

TINTS = ("#3d6fa5", "#b5533c", "#5c946e", "#8d6a9f", "#c9a227", "#44546a", "#b86b8b", "#3f8f8a", "#7a6f4f", "#d08c4a")
View = Literal["top", "side"]
ELEVATION = {"top": 88.0, "side": 22.0}  # [degrees]
MARGIN = 0.95  # times as far as what moves is wide is the camera


@dataclass(frozen=True)
class WalkedScene:
    """What there is to be said of such a scene."""

    file: str  # paths are from the scene file's folder
    rig: str
    walls: str | None
    unit: str | None
    rate: float | None
    columns: str | None
    axes: str | None
    view: View

    def text(self, found: Recording) -> str:
        """The scene file, its camera framed on all that moves."""
        options = {
            "file": self.file,
            "unit": self.unit,
            "rate": self.rate,
            "columns": self.columns,
            "axes": self.axes,
        }
        told = ", ".join(f"{key} = {_written(value)}" for key, value in options.items() if value is not None)
        height = "height = 1.75\n" if self.rig == "mannequin" else ""
        walls = f"[walls]\nfile = {_written(self.walls)}\n\n" if self.walls else ""
        return (
            f"title = {_written(self.file)}\n\n[rigs.people]\nmodel = {_written(self.rig)}\n{height}\n"
            f"{self._camera(found)}\n{walls}"
            f'[[crowds]]\nname = "people"\nrig = "people"\ntints = {_written(list(TINTS))}\nbody = {{}}\n'
            f"trajectories = {{ {told} }}\n"
        )

    def _camera(self, found: Recording) -> str:
        low, high = found.bounds
        (x, y), (wide, deep) = (low + high) / 2, high - low
        distance = max(MARGIN * float(max(wide, 1.6 * deep)), 8.0)
        return (
            f"[camera]\ntarget = [{x:.2f}, 0.9, {-y:.2f}]\ndistance = {distance:.1f}\nazimuth_degrees = 0.0\n"
            f"elevation_degrees = {ELEVATION[self.view]}\n"
        )


def _written(value: str | float | list[str]) -> str:
    """A value as TOML has it, which is as JSON has it."""
    return json.dumps(value, ensure_ascii=False)
