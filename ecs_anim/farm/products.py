"""Products of tasks: states, pictures, trajectories, data sets, measures; each from a world of its own."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, assert_never

from ecs_anim.dataset.folder import Folder
from ecs_anim.dataset.output import file_digest, write_data, write_file
from ecs_anim.dataset.task import do_task as draw_dataset
from ecs_anim.ecs.world import World
from ecs_anim.farm.folder import FarmFolder
from ecs_anim.farm.measures import density_figures, feet_figures, flow_figures, profile_figures
from ecs_anim.farm.plan import Task, dataset_key
from ecs_anim.scenes.starting import Start, open_world, skip_to
from ecs_anim.support.pictures import png_bytes
from ecs_anim.systems.cameras import cameras
from ecs_anim.systems.rendering import forget_pictures, render
from ecs_anim.systems.trajectory_saving import save_trajectories


@dataclass
class Made:
    """The products of a task: files with digests, None for files that vary from run to run; figures for the table."""

    folder: Path
    files: dict[str, str | None] = field(default_factory=dict)
    varying: dict[str, str] = field(default_factory=dict)  # digests of those others, as they are this time
    figures: dict[str, Any] = field(default_factory=dict)

    def write(self, name: str, data: bytes) -> None:
        """A file."""
        self.files[name] = write_file(self.folder / name, data)

    def write_data(self, name: str, data: object) -> None:
        """A file of plain data."""
        self.files[name] = write_data(self.folder / name, data)

    def take(self, name: str) -> None:
        """Register a file that other code has written."""
        self.files[name] = file_digest(self.folder / name)

    def take_varying(self, name: str) -> None:
        """A file that is not always the same."""
        self.files[name], self.varying[name] = None, file_digest(self.folder / name)


@dataclass(frozen=True)
class Way:
    """How a worker makes worlds."""

    folder: FarmFolder
    threads: int | None
    allow_code: bool

    def world(self, task: Task) -> World:
        """A task's world at its first frame: from the state that was saved there, or else by steps."""
        if task.states is None:
            start, seed = Start(task.frames.start), task.seed
            return open_world(task.scene, start, seed=seed, threads=self.threads, allow_code=self.allow_code)
        snapshot = self.folder.of_task(task.states) / state_name(task.frames.start)
        return open_world(task.scene, Start(snapshot=snapshot), threads=self.threads, allow_code=self.allow_code)


def state_name(frame: int) -> str:
    """The file of a world at a frame."""
    return f"frame_{frame:09d}.npz"


def make(task: Task, made: Made, way: Way) -> None:
    """Make what a task is to make. Raises InputError as what is made does."""
    match task.kind:
        case "states":
            _save_states(task, made, way)
        case "pictures":
            _draw(task, made, way)
        case "trajectories":
            _save_trajectories(task, made, way)
        case "dataset":
            _draw_dataset(task, way)
        case "feet":
            with way.world(task) as world:
                _tell(made, "feet", feet_figures(world, task.frames))
        case "density":
            with way.world(task) as world:
                _tell(made, "density", density_figures(world, task.frames))
        case "flow":
            with way.world(task) as world:
                _tell(made, "flow", flow_figures(world, task.frames, task.options["lines"]))
        case "profile":
            _profile(task, made, way)
        case _:
            assert_never(task.kind)


def _save_states(task: Task, made: Made, way: Way) -> None:
    """States have no digest: they hold what poses have cost of late, beside what decides how the world goes on."""
    with way.world(task) as world:
        for frame in task.options["saved"]:
            skip_to(world, frame)
            world.save(made.folder / state_name(frame))
            made.take_varying(state_name(frame))


def _draw(task: Task, made: Made, way: Way) -> None:
    """CAMERA/FRAME.png."""
    with way.world(task) as world:
        has_others = bool(cameras(world))
        for frame in task.frames:
            skip_to(world, frame)
            for camera in task.options["cameras"]:
                forget_pictures(world)  # which ones were drawn before depends on where the film was cut
                picture = render(world, task.options["size"], camera if has_others else None)
                made.write(picture_name(camera, frame), png_bytes(picture))


def picture_name(camera: str, frame: int) -> str:
    """The file of a picture."""
    return f"{camera}/{frame:06d}.png"


def _save_trajectories(task: Task, made: Made, way: Way) -> None:
    name = f"trajectories.{task.options['ending']}"
    with way.world(task) as world:
        with save_trajectories(world, made.folder / name, sample_rate=task.options["sample_rate"]) as saved:
            skip_to(world, task.frames[-1])
        made.take(name)
        made.figures = {"samples": saved.samples}


def _draw_dataset(task: Task, way: Way) -> None:
    """Into the data set's own folder, which knows by itself what of it is there."""
    assert task.dataset is not None
    folder = dataset_folder(task, way.folder)
    if not folder.is_joined():
        own = task.dataset.task_of(task.seed)
        draw_dataset(task.scene, folder, own, threads=way.threads, allow_code=way.allow_code)


def dataset_folder(task: Task, folder: FarmFolder) -> Folder:
    """Where the data set is that a task draws a seed of."""
    assert task.dataset is not None
    return Folder(folder.dataset(dataset_key(task.dataset)), task.dataset)


def _profile(task: Task, made: Made, way: Way) -> None:
    """Figures that tell of time have no digest; that all was simulated as elsewhere tells the one of the poses."""
    figures, report = profile_figures(task, threads=way.threads, allow_code=way.allow_code)
    made.write_data("poses.json", {"poses_hash": report["poses_hash"]})
    write_data(made.folder / "profile.json", report)
    made.take_varying("profile.json")
    made.figures = figures


def _tell(made: Made, name: str, figures: Mapping[str, Any]) -> None:
    """Figures as a file of their own, and by their full names for the table."""
    made.write_data(f"{name}.json", figures)
    made.figures = {f"{name}.{key}": value for key, value in figures.items()}
