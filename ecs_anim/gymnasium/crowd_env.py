"""CrowdEnv: an environment with one robot among the people of a scene."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.world import World
from ecs_anim.gymnasium.library import gymnasium
from ecs_anim.gymnasium.navigation import Navigation
from ecs_anim.gymnasium.scenes import CAMERA, scene_with_robot
from ecs_anim.gymnasium.settings import Settings
from ecs_anim.gymnasium.sights import People
from ecs_anim.gymnasium.spaces import action_space, observation_space
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.loader import Source
from ecs_anim.systems.capturing import capture
from ecs_anim.systems.observing import observe
from ecs_anim.systems.rendering import render

if TYPE_CHECKING:
    from ecs_anim.gymnasium.screen import Screen

SIZE = (640, 360)  # [pixel], size of the pictures of `render`
ONLY = np.zeros(1, np.intp)


class OneCrowd:
    """The people of a single environment."""

    def __init__(self, world: World, posed: bool) -> None:
        self.world, self._posed = world, posed

    def step(self, dt: float) -> None:
        """Advance the world by `dt` [s]."""
        self.world.step(dt, posed=self._posed)

    def people(self) -> People:
        """Return the people that are present."""
        found = observe(self.world)
        return People(found.position[None], found.velocity[None], found.radius[None])

    def begin(self, rows: NDArray[np.intp], seeds: Sequence[int]) -> None:
        """Start the world again."""
        self.world.reset(seed=seeds[0])


class CrowdEnv(gymnasium.Env):  # type: ignore[misc]  # mypy knows no class of the extra
    """A robot among the people of a scene, as an environment of Gymnasium.

        import gymnasium, ecs_anim.gymnasium

        env = gymnasium.make("ecs_anim/Crowd-v0", scene="crossing", observations=("state", "lidar"))

    `scene` is a source as for `load_scene`, by default a hall with twenty people. `render_mode` is None, "human" or
    "rgb_array". docs/gymnasium.md describes the other keyword arguments, the spaces, the rewards and the metrics.
    Raises InputError if the scene is invalid or if no window can be opened, and ValueError or TypeError for an invalid
    argument.
    """

    metadata = {"render_modes": ["human", "rgb_array"], "render_fps": 10}  # noqa: RUF012  Gymnasium's name

    def __init__(self, scene: Source | None = None, **settings: Any) -> None:
        said = Settings(scene, **settings)
        made = scene_with_robot(said)
        self.render_mode, self._settings = said.render_mode, said
        self._screen: Screen | None = None
        self.metadata = {**self.metadata, "render_fps": round(1 / said.step_seconds)}
        self.world = load_scene(made, seed=0)  # the area of starts and goals must not depend on the seed of the scene
        self._navigation = Navigation(OneCrowd(self.world, said.draws), made.model.agents[0].name, said)
        self.action_space, self.observation_space = action_space(), observation_space(said)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        """Start an episode, and return the first observation and an empty dict. `options` have no effect."""
        super().reset(seed=seed)
        self._navigation.begin(ONLY, [self.np_random])
        if self._settings.draws:
            self.world.step(0.0)
        self._show()
        return self._observed(), {}

    def step(self, action: Any) -> tuple[dict[str, NDArray[Any]], float, bool, bool, dict[str, Any]]:
        """Apply an action for a step. At the end of an episode, the last dict contains the `metrics`."""
        outcome = self._navigation.step(np.asarray(action)[None])
        self._show()
        ends, late = bool(outcome.terminated[0]), bool(outcome.truncated[0])
        metrics = {name: float(value[0]) for name, value in outcome.metrics.items()}
        return self._observed(), float(outcome.reward[0]), ends, late, {"metrics": metrics} if metrics else {}

    def render(self) -> NDArray[np.uint8] | None:
        """Return a picture of the scene's camera, [height, width, 3] u8. In other render modes, return None."""
        return render(self.world, SIZE) if self.render_mode == "rgb_array" else None

    def close(self) -> None:
        """Close the world, and the window of the render mode "human"."""
        if self._screen is not None:
            self._screen.close()
        self.world.close()

    def _show(self) -> None:
        """Show the present state in the window of the render mode "human"."""
        if self.render_mode == "human":
            from ecs_anim.gymnasium.screen import Screen  # other render modes need no window

            self._screen = self._screen or Screen(self.world, SIZE, self._settings.step_seconds)
            self._screen.show()

    def _observed(self) -> dict[str, NDArray[Any]]:
        found = {name: rows[0] for name, rows in self._navigation.observe().items()}
        if "camera" in self._settings.observations:
            found["camera"] = capture(self.world, [CAMERA], ["rgb"])[0].images["rgb"]
        return found
