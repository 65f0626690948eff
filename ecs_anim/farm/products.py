"""Products of tasks: states, pictures, trajectories, data sets and measures. Each task has its own world."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, assert_never

from ecs_anim.dataset.folder import Folder
from ecs_anim.dataset.output import file_digest, write_data, write_file
from ecs_anim.dataset.task import do_task as draw_dataset
from ecs_anim.ecs.world import World
from ecs_anim.farm.folder import EGRESS, FarmFolder
from ecs_anim.farm.measures import density_figures, feet_figures, flow_figures, profile_figures
from ecs_anim.farm.plan import Task, dataset_key
from ecs_anim.scenes.exit_names import exit_names
from ecs_anim.scenes.starting import Start, open_world, skip_to
from ecs_anim.support.pictures import png_bytes
from ecs_anim.systems.cameras import cameras
from ecs_anim.systems.egress import egress_csv, egress_figures, run_until_empty
from ecs_anim.systems.rendering import forget_pictures, render
from ecs_anim.systems.trajectory_saving import save_trajectories


@dataclass
class Made:
    """The products of a task: files with their digests, and figures for the table.

    If the content of a file differs between runs, its digest is None.
    """

    folder: Path
    files: dict[str, str | None] = field(default_factory=dict)
    varying: dict[str, str] = field(default_factory=dict)  # digests of the files that differ between runs
    figures: dict[str, Any] = field(default_factory=dict)

    def write(self, name: str, data: bytes) -> None:
        """Write a file and register its digest."""
        self.files[name] = write_file(self.folder / name, data)

    def write_data(self, name: str, data: object) -> None:
        """Write plain data as a JSON file and register its digest."""
        self.files[name] = write_data(self.folder / name, data)

    def take(self, name: str) -> None:
        """Register the file `name` and its digest, after other code has written the file."""
        self.files[name] = file_digest(self.folder / name)

    def take_varying(self, name: str) -> None:
        """Register the file `name` without a digest, because its content differs between runs."""
        self.files[name], self.varying[name] = None, file_digest(self.folder / name)


@dataclass(frozen=True)
class Way:
    """The settings that a worker needs to build worlds."""

    folder: FarmFolder
    threads: int | None
    allow_code: bool

    def world(self, task: Task) -> World:
        """Return the world at the first frame of the task.

        The method loads the world from a saved state, or advances a new world to the first frame of the task.
        """
        if task.states is None:
            start, seed = Start(task.frames.start), task.seed
            return open_world(task.scene, start, seed=seed, threads=self.threads, allow_code=self.allow_code)
        snapshot = self.folder.of_task(task.states) / state_name(task.frames.start)
        return open_world(task.scene, Start(snapshot=snapshot), threads=self.threads, allow_code=self.allow_code)


def state_name(frame: int) -> str:
    """Return the name of the file with the state of a world at a frame."""
    return f"frame_{frame:09d}.npz"


def make(task: Task, made: Made, way: Way) -> None:
    """Make the product of a task. Raises InputError if the product cannot be made."""
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
        case "egress":
            _measure_egress(task, made, way)
        case "flow":
            with way.world(task) as world:
                _tell(made, "flow", flow_figures(world, task.frames, task.options["lines"]))
        case "profile":
            _profile(task, made, way)
        case _:
            assert_never(task.kind)


def _save_states(task: Task, made: Made, way: Way) -> None:
    """Save the states of the world.

    The files have no digests, because a state contains measured durations of pose computations. The durations differ
    between runs.
    """
    with way.world(task) as world:
        for frame in task.options["saved"]:
            skip_to(world, frame)
            world.save(made.folder / state_name(frame))
            made.take_varying(state_name(frame))


def _draw(task: Task, made: Made, way: Way) -> None:
    """Draw the pictures. The file of a picture is CAMERA/FRAME.png."""
    with way.world(task) as world:
        has_others = bool(cameras(world))
        for frame in task.frames:
            skip_to(world, frame)
            for camera in task.options["cameras"]:
                forget_pictures(world)  # otherwise a picture would depend on the earlier pictures of its task
                picture = render(world, task.options["size"], camera if has_others else None)
                made.write(picture_name(camera, frame), png_bytes(picture))


def picture_name(camera: str, frame: int) -> str:
    """Return the path of a picture in the folder of its task."""
    return f"{camera}/{frame:06d}.png"


def _save_trajectories(task: Task, made: Made, way: Way) -> None:
    name = f"trajectories.{task.options['ending']}"
    with way.world(task) as world:
        with save_trajectories(world, made.folder / name, sample_rate=task.options["sample_rate"]) as saved:
            skip_to(world, task.frames[-1])
        made.take(name)
        made.figures = {"samples": saved.samples}


def _measure_egress(task: Task, made: Made, way: Way) -> None:
    """Simulate until all actors have left. Write the egress time of each actor, and the figures for the table."""
    with way.world(task) as world:
        found = run_until_empty(world, exit_names(task.scene.model), f"{task.scene.label}: seed {task.seed}")
    made.write(EGRESS, egress_csv(found))
    _tell(made, "egress", egress_figures(found))


def _draw_dataset(task: Task, way: Way) -> None:
    """Draw the pictures for one seed into the folder of the data set.

    The folder of the data set also contains the records of finished pictures.
    """
    assert task.dataset is not None
    folder = dataset_folder(task, way.folder)
    if not folder.is_joined():
        own = task.dataset.task_of(task.seed)
        draw_dataset(task.scene, folder, own, threads=way.threads, allow_code=way.allow_code)


def dataset_folder(task: Task, folder: FarmFolder) -> Folder:
    """Return the folder of the data set to which a task belongs."""
    assert task.dataset is not None
    return Folder(folder.dataset(dataset_key(task.dataset)), task.dataset)


def _profile(task: Task, made: Made, way: Way) -> None:
    """Measure the duration of each step and write the durations to a file.

    The file has no digest, because durations vary. The file poses.json contains a hash of the poses. Repeated
    simulations give equal hashes.
    """
    figures, report = profile_figures(task, threads=way.threads, allow_code=way.allow_code)
    made.write_data("poses.json", {"poses_hash": report["poses_hash"]})
    write_data(made.folder / "profile.json", report)
    made.take_varying("profile.json")
    made.figures = figures


def _tell(made: Made, name: str, figures: Mapping[str, Any]) -> None:
    """Write figures to the file `name`.json. Register each figure for the table with the name `name`.figure."""
    made.write_data(f"{name}.json", figures)
    made.figures = {f"{name}.{key}": value for key, value in figures.items()}
