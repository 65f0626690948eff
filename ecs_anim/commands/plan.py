"""The plan of a command: its input files, its output files, and the rules that the options of the user break.

`Plan.check` checks the plan.
"""

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from pathlib import Path

from ecs_anim.dataset.output import names_in
from ecs_anim.scenes.loader import SceneFile, read_scene
from ecs_anim.scenes.named_files import named_paths
from ecs_anim.support.errors import Faults, InputError
from ecs_anim.support.pictures import require_film_rate, require_film_size, require_output, require_writable
from ecs_anim.support.plotting import check_plot_path
from ecs_anim.view.label_passes import LabelPass
from ecs_anim.view.pass_files import require_pass_output

Check = Callable[[Path], object]  # raises InputError if the file cannot be written


@dataclass(frozen=True)
class Output:
    """A file or a folder that a command writes."""

    option: str  # name of the option for this output
    path: Path
    checks: tuple[Check, ...]


Outputs = tuple[Output, ...]


@dataclass(frozen=True)
class Plan:
    """The inputs and outputs of one call of a command, and an error line for each rule that the options break."""

    inputs: tuple[Path | str, ...] = ()
    outputs: Outputs = ()
    problems: tuple[str, ...] = ()

    def check(self) -> None:
        """Raise InputError with a line for each problem with options or files, such as two outputs with one path."""
        found = [*self.problems]
        for output in self.outputs:
            found += self._problems_of(output)
        for one, other in combinations(self.outputs, 2):
            if _is_same(one.path, other.path):
                both = f"{one.option} and {other.option}"
                found.append(f"{one.path}: {both} must be different files. Name another file for one of them")
        if found:
            raise InputError(*dict.fromkeys(found))

    def _problems_of(self, output: Output) -> list[str]:
        if any(_is_same(output.path, own) for own in self.inputs):
            return [f"{output.path}: {output.option} must not name an input file. Name another file"]
        found: list[str] = []
        for check in output.checks:
            try:
                check(output.path)
            except InputError as error:
                found += error.problems
        return found


def read_planned(plan: Plan, source: str) -> SceneFile:
    """Read the scene `source`, add the files that the scene names to the inputs of the plan, check the plan, and return
    the scene.

    Raises one InputError with all problems of the scene and of the plan.
    """
    with Faults() as faults:
        with faults.kept():
            scene = read_scene(source)
            plan = replace(plan, inputs=(*plan.inputs, source, *named_paths(scene).values()))
        with faults.kept():
            plan.check()
    return scene


def each_given(options: Mapping[str, object], rule: str) -> tuple[str, ...]:
    """Return the text `rule` for each option that the user gave.

    In each returned text, the name of the option replaces `{option}`.
    """
    given = [option for option, value in options.items() if not (value is None or value is False or value == ())]
    return tuple(rule.format(option=option) for option in given)


def file_output(option: str, path: Path | str | None, *checks: Check) -> Outputs:
    """Return an output for the file at `path` with the additional checks `checks`.

    If `path` is None or "-", return no output.
    """
    return () if path is None or str(path) == "-" else (Output(option, Path(path), (*checks, require_writable)),)


def folder_output(path: Path) -> Outputs:
    """Return an output for the folder at `path`. The folder can already exist."""
    return (Output("--out", path, (names_in,)),)


def plot_output(path: Path | None) -> Outputs:
    """Return an output for the plot at `path`. A plot needs the `plot` extra."""
    return () if path is None else (Output("--plot", path, (check_plot_path, require_writable)),)


def picture_output(path: Path, size: tuple[int, int] | None, fps: int | None) -> Outputs:
    """Return an output for a picture, a film or a folder at `path`.

    `size` [pixel] or `fps` [1/s] is None if the user did not give the option.
    """
    return (Output("--out", path, (require_output, *_film_checks(size, fps))),)


def pass_outputs(paths: Mapping[LabelPass, Path], size: tuple[int, int] | None, fps: int | None) -> Outputs:
    """Return the outputs for the paths of label passes."""
    return tuple(
        Output(f"--pass {kind.name}", path, (partial(require_pass_output, kind=kind), *_film_checks(size, fps)))
        for kind, path in paths.items()
    )


def require_ending(path: Path, endings: Iterable[str], problem: str) -> None:
    """Raise InputError with the text `problem` if the path has none of the endings `endings`."""
    if path.suffix.lower() not in endings:
        raise InputError(f"{path}: {problem}")


def _film_checks(size: tuple[int, int] | None, fps: int | None) -> tuple[Check, ...]:
    of_size = () if size is None else (partial(require_film_size, size=size, place="--size"),)
    return of_size if fps is None else (*of_size, partial(require_film_rate, rate=fps, place="--fps"))


def _is_same(one: Path | str, other: Path | str) -> bool:
    """Return whether two paths name one and the same file. The file need not exist."""
    if os.path.exists(one) and os.path.exists(other):
        return os.path.samefile(one, other)
    return os.path.realpath(one) == os.path.realpath(other)
