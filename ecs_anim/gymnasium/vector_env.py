"""CrowdVectorEnv: many environments as rooms of one world."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.gymnasium.library import gymnasium
from ecs_anim.gymnasium.navigation import Navigation
from ecs_anim.gymnasium.scenes import scene_with_robot
from ecs_anim.gymnasium.settings import Settings
from ecs_anim.gymnasium.sights import People
from ecs_anim.gymnasium.spaces import action_space, observation_space
from ecs_anim.scenes.loader import Source
from ecs_anim.scenes.rooms import Rooms, rooms
from ecs_anim.support.arguments import number
from ecs_anim.support.errors import InputError

AutoresetMode = gymnasium.vector.AutoresetMode
MOST = 1_000_000  # environments
Observed = dict[str, NDArray[Any]]


class RoomCrowds:
    """The people of many environments, which are rooms of one world."""

    def __init__(self, made: Rooms) -> None:
        self.world, self._rooms = made.world, made

    def step(self, dt: float) -> None:
        """Advance all rooms by `dt` [s]."""
        self._rooms.step(dt)

    def people(self) -> People:
        """Return the people of all rooms."""
        own = self._rooms
        return People(*(column.astype(np.float64) for column in (own.positions, own.velocities, own.radii)))

    def begin(self, rows: NDArray[np.intp], seeds: Sequence[int]) -> None:
        """Start rooms again."""
        self._rooms.reset(rows, seeds)


class CrowdVectorEnv(gymnasium.vector.VectorEnv):  # type: ignore[misc]  # mypy knows no class of the extra
    """Many independent copies of `CrowdEnv` as rooms of one world, as a vector environment of Gymnasium.

        import gymnasium, ecs_anim.gymnasium

        envs = gymnasium.make_vec("ecs_anim/Crowd-v0", num_envs=1000)

    The keyword arguments are those of `CrowdEnv`, without pictures. `autoreset_mode` is a mode of Gymnasium. An episode
    equals an episode of `CrowdEnv` with the same seed and the same actions, to the bit. Raises the same errors as
    `CrowdEnv`, and InputError for scenes that rooms do not support (docs/rooms.md).
    """

    def __init__(
        self,
        scene: Source | None = None,
        num_envs: int = 1,
        *,
        autoreset_mode: Any = AutoresetMode.NEXT_STEP,
        **settings: Any,
    ) -> None:
        said = Settings(scene, **settings)
        if said.draws:
            raise InputError(
                "a vector environment draws no pictures, because all rooms are at the same place. Leave out the"
                " observation 'camera' and render_mode, or use vectorization_mode='sync'."
            )
        num_envs = int(number("num_envs", num_envs, 1, MOST))
        made = scene_with_robot(said)
        self._mode = AutoresetMode(autoreset_mode)
        self.metadata = {"render_modes": [], "autoreset_mode": self._mode}
        self.rooms = rooms(made, num_envs, seeds=np.zeros(num_envs, np.int64))  # as `CrowdEnv`
        self.num_envs = num_envs
        self._navigation = Navigation(RoomCrowds(self.rooms), made.model.agents[0].name, said)
        self.single_action_space, self.single_observation_space = action_space(), observation_space(said)
        batched = gymnasium.vector.utils.batch_space
        self.action_space = batched(self.single_action_space, num_envs)
        self.observation_space = batched(self.single_observation_space, num_envs)
        self._rngs = [np.random.default_rng() for _ in range(num_envs)]
        self._ended = np.zeros(num_envs, np.bool_)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observed, dict[str, Any]]:
        """Start all episodes, and return the first observations and an empty dict.

        The seed of the environment i is `seed` + i, or `seed[i]`. With the mode `DISABLED`, `options["reset_mask"]`
        [env] selects the environments that start again.
        """
        mask = np.ones(self.num_envs, np.bool_) if not options else options.get("reset_mask", np.ones(1, np.bool_))
        rows = np.flatnonzero(np.broadcast_to(mask, self.num_envs))
        seeds = (
            [*seed]
            if isinstance(seed, Sequence)
            else [seed if seed is None else seed + i for i in range(self.num_envs)]
        )
        if len(seeds) != self.num_envs:
            raise ValueError(f"reset needs one seed for each of the {self.num_envs} environments (got {len(seeds)}).")
        for row in rows.tolist():
            if seeds[row] is not None:
                self._rngs[row] = gymnasium.utils.seeding.np_random(seeds[row])[0]
        self._begin(rows)
        self._ended[rows] = False
        return self._navigation.observe(), {}

    def step(
        self, actions: Any
    ) -> tuple[Observed, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Apply the actions [env, 2] for a step.

        For environments whose episode ends, `info["metrics"]` contains the metrics. With the mode `SAME_STEP`, they are
        in `info["final_info"]`.
        """
        before = self._ended.copy()
        outcome = self._navigation.step(np.where(before[:, None], 0.0, actions))
        terminated, truncated = outcome.terminated & ~before, outcome.truncated & ~before
        self._ended = terminated | truncated
        infos: dict[str, Any] = {}
        if self._ended.any():
            infos = _masked({"metrics": _masked(outcome.metrics, self._ended)}, self._ended)
        if self._mode is AutoresetMode.NEXT_STEP:
            self._begin(np.flatnonzero(before))
        elif self._mode is AutoresetMode.SAME_STEP and self._ended.any():
            infos = self._final(infos)
        return self._navigation.observe(), np.where(before, 0.0, outcome.reward), terminated, truncated, infos

    def close_extras(self, **_: Any) -> None:
        """Close the rooms."""
        self.rooms.close()

    def _final(self, infos: dict[str, Any]) -> dict[str, Any]:
        """Start the ended episodes again, and return the infos with their last observations."""
        ended, last = self._ended.copy(), self._navigation.observe()
        final = np.full(self.num_envs, None, object)
        for row in np.flatnonzero(ended).tolist():
            final[row] = {name: column[row] for name, column in last.items()}
        self._begin(np.flatnonzero(ended))
        self._ended[:] = False
        return _masked({"final_obs": final, "final_info": infos}, ended)

    def _begin(self, rows: NDArray[np.intp]) -> None:
        """Start the episodes of the environments `rows`."""
        if len(rows):
            self._navigation.begin(rows, [self._rngs[row] for row in rows.tolist()])


def _masked(values: dict[str, Any], mask: NDArray[np.bool_]) -> dict[str, Any]:
    """Return infos of some environments in the form of Gymnasium: a mask `_key` for each key."""
    masked: dict[str, Any] = {}
    for name, value in values.items():
        is_real = isinstance(value, np.ndarray) and value.dtype == np.float64
        masked[name], masked[f"_{name}"] = (np.where(mask, value, 0.0) if is_real else value), mask.copy()
    return masked
