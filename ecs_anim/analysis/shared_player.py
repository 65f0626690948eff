"""The 3D player in a report. The player is a shared page (see `ecs-anim share`) inside an HTML frame."""

from dataclasses import dataclass

from ecs_anim.sharing.frames import frame_of


@dataclass(frozen=True)
class Player:
    """The shared page of the first run, or the reason why the report has no player."""

    page: str = ""  # HTML of the shared page; empty = no player
    seconds: float = 0.0  # duration of the shared page
    ankle_mm_mean: float | None = None  # [mm], mean error of ankles; None = no body has feet
    reason: str = ""  # one sentence; empty = the report has a player

    @property
    def text(self) -> str:
        """The text above the player."""
        if not self.page:
            return self.reason
        error = "" if self.ankle_mm_mean is None else f" The mean error of ankles is {self.ankle_mm_mean:.1f} mm."
        size = f"Its data are {len(self.page) / 1e6:.1f} MB of this page."
        return f"The player shows the first {self.seconds:g} s of the first run in 3D. {size}{error}"

    @property
    def html(self) -> str:
        """The frame with the player."""
        return f'<div class="player">{frame_of(self.page, "Player of the first run")}</div>' if self.page else ""
