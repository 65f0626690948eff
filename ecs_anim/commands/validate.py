"""`ecs-anim validate` compares steered crowds with published measurements of people."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ecs_anim.commands.plan import Output, Plan, each_given
from ecs_anim.commands.tables import print_figures
from ecs_anim.profiling.validation.checks import chosen_checks, findings
from ecs_anim.profiling.validation.checks_plot import PLOT_NAME, draw_findings, recorded_clouds
from ecs_anim.profiling.validation.finding import Check, Finding
from ecs_anim.scenes.shipped import CHECKS_FOLDER
from ecs_anim.support.errors import InputError
from ecs_anim.support.pictures import require_writable, told
from ecs_anim.support.plotting import check_plot_path, save_plot
from ecs_anim.support.terminal import print_json, print_note


def validate(
    checks: Sequence[str],
    seed: int | None,
    json_path: str | None,
    plot_folder: Path | None,
    recorded_folder: Path | None,
    is_list: bool = False,
) -> None:
    """Execute `ecs-anim validate`. The exit code is 1 if a check fails. Raises InputError for wrong input."""
    chosen = chosen_checks(checks)
    if is_list:
        given = {"--seed": seed, "--plot": plot_folder, "--recorded": recorded_folder}
        Plan(
            problems=each_given(given, "{option} needs results of checks, but --list runs no checks. Remove --list")
        ).check()
        _list(chosen, json_path)
        return
    plot_path = None if plot_folder is None else plot_folder / PLOT_NAME
    outputs = () if plot_path is None else (Output("--plot", plot_path, (check_plot_path, _require_plot_folder)),)
    no_plot = {} if plot_folder else {"--recorded": recorded_folder}
    Plan(outputs=outputs, problems=each_given(no_plot, "{option} needs a plot. Add --plot")).check()
    clouds = {} if recorded_folder is None else recorded_clouds(recorded_folder)
    if plot_path is not None:
        _make_room(plot_path)
    found = list(findings(chosen, seed))
    if plot_path is not None:
        save_plot(draw_findings(found, clouds), plot_path)
        print_note(f"wrote {plot_path}")
    if json_path:
        print_json({"checks": [finding.as_json() for finding in found]})
    else:
        _print(found)
    if not all(finding.holds for finding in found):
        sys.exit(1)


def _list(checks: Sequence[Check], json_path: str | None) -> None:
    """Print the checks with their sources and scenes, without running them."""
    rows = [(own.name, own.source, f"{CHECKS_FOLDER}/{own.scene}", f"{own.seconds:g}") for own in checks]
    if json_path:
        names = ("name", "source", "scene", "seconds")
        print_json({"checks": [dict(zip(names, row, strict=True)) | {"seconds": float(row[-1])} for row in rows]})
    else:
        print_figures("checks", ("check", "source", "scene", ">seconds"), rows)


def _make_room(plot_path: Path) -> None:
    """Create the folder of the plot. Raises InputError if this is impossible. The command calls the function before the
    checks, because the checks take minutes.
    """
    with told(plot_path.parent):
        plot_path.parent.mkdir(parents=True, exist_ok=True)
    require_writable(plot_path)


def _require_plot_folder(path: Path) -> None:
    """Raise InputError if the path of the plot's folder is a file."""
    if os.path.exists(path.parent) and not os.path.isdir(path.parent):
        raise InputError(f"{path.parent}: --plot needs a folder, but this path is a file. Name another folder.")


def _print(found: Sequence[Finding]) -> None:
    rows = [(own.name, *map(_number, (own.value, own.least, own.most)), _holds(own), own.scene) for own in found]
    print_figures("validation", ("check", ">value", ">least", ">most", "holds", "scene"), rows)


def _number(value: Any) -> str:
    return "" if value is None else f"{value:.3g}"


def _holds(own: Finding) -> str:
    if own.least is None and own.most is None:
        return "no bounds"
    return "yes" if own.holds else "NO"
