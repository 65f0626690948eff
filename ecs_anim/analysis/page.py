"""The HTML page of a report. The page contains all figures and tables, and loads nothing."""

import base64
import csv
import io
from collections.abc import Iterable, Sequence
from html import escape
from importlib.resources import files

from ecs_anim.analysis import plots
from ecs_anim.analysis.densities import CUT_OFF
from ecs_anim.analysis.egress import EXIT_HEAD, PERSON_HEAD, EgressRun, exit_rows, person_rows
from ecs_anim.analysis.flows import Crossings
from ecs_anim.analysis.samples import WINDOW
from ecs_anim.analysis.service import SPACE
from ecs_anim.analysis.study import Run, Study
from ecs_anim.analysis.validation import LEAST, comparisons
from ecs_anim.systems.egress import Egress

MEASURES = {  # names of the rows in the table, by key in `Run.summary`
    "people": "people",
    "seconds": "duration [s]",
    "mean_speed_m_s": "mean speed [m/s]",
    "median_density_per_m2": "density, median [1/m²]",
    "p95_density_per_m2": "density, 95th percentile [1/m²]",
    "departed": "departed people",
    "mean_egress_seconds": "egress time, mean [s]",
    "p95_egress_seconds": "egress time, 95th percentile [s]",
    "last_egress_seconds": "egress time of the last person [s]",
}

Cell = str | float | int | None
Row = Sequence[Cell]


def report_page(study: Study) -> str:
    """Return the page of a study as HTML.

    Maps and curves of single runs show the first run. The page of a building shows all floors of the first run.
    """
    style = files(__package__).joinpath("report.css").read_text("utf-8")
    shown = study.runs if study.runs[0].floor else study.runs[0].by_floor
    maps = (section for run in shown for section in _maps(run))
    curves = (section for run in shown for section in _curves(run, study))
    parts = [_head(study), *_player(study), *maps, _counts(study), *curves, *_stairs(study), *_egress(study)]
    body = "".join([*parts, *_validation(study), _provenance(study)])
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(study.title)}: report</title>\n<style>\n{style}</style>\n</head>\n"
        f"<body>\n<main>\n{body}</main>\n</body>\n</html>\n"
    )


def _head(study: Study) -> str:
    description = f"<p>{escape(study.description)}</p>\n" if study.description else ""
    runs = [*study.runs, *study.runs[0].floors]
    rows = [(text, *(run.summary[name] for run in runs)) for name, text in MEASURES.items()]
    return f"<h1>{escape(study.title)}</h1>\n{description}" + _section(
        "Summary",
        "Densities are Voronoi densities. An egress time is the time from the start until a person departs.",
        _table("summary", ("measure", *(run.name for run in runs)), rows),
    )


def _player(study: Study) -> Iterable[str]:
    if study.player is not None:
        yield _section("Player", study.player.text, study.player.html)


def _maps(run: Run) -> Iterable[str]:
    cells, people = run.cells, run.people
    walls = "" if people.has_walls else " The recording has no walls, so the area is a rectangle around all positions."
    outside = f" {cells.outside:,} positions are outside of the walls and have no density." if cells.outside else ""
    yield _section(
        _title("Paths", run), "The paths of all people. Thick lines are measured lines.", plots.map_of_paths(run)
    )
    yield _section(
        _title("Density", run),
        "The map shows the mean Voronoi density over time. A cell of a person ends at walls and at a distance of"
        f" {CUT_OFF:g} m.{walls}{outside}",
        plots.map_of_densities(run),
    )
    limits = [(level, f"{space:g} m²" if space else "less", share) for (level, space), share in _levels(run)]
    yield _section(
        _title("Level of service", run),
        "The levels of service for walkways (Fruin 1971) classify the space per person. The map shows the level of the"
        " mean density. The table shows the fraction of the people's time at each level.",
        plots.map_of_levels(run) + _table("level-of-service", ("level", "least space", "fraction of time"), limits),
    )

    yield _section(
        _title("Speed and flow", run),
        "The maps show means over time. The flow at a place is the density times the speed. Larger cells have larger"
        " weights in these means.",
        plots.map_of_speeds(run) + plots.map_of_flows(run),
    )


def _levels(run: Run) -> Iterable[tuple[tuple[str, float], float]]:
    return zip(SPACE.items(), (round(share, 4) for share in run.service.values()), strict=True)


def _title(text: str, run: Run) -> str:
    """Return the title of a section about one run. The title names the floor of a recording with several floors."""
    return f"{text}, floor {run.floor}" if run.floor else text


def _counts(study: Study) -> str:
    return _section("People over time", "The number of present people.", plots.curve_of_counts(study.runs))


def _curves(run: Run, study: Study) -> Iterable[str]:
    yield _section(
        _title("Speeds", run),
        f"The speed of a person is the distance between its positions {WINDOW / 2:g} s before and {WINDOW / 2:g} s"
        " after a time, divided by the time between them.",
        plots.curve_of_speeds(run),
    )
    yield _section(
        _title("Fundamental diagram", run),
        "Each point is the speed and the Voronoi density of one person at one time. The dashed line is the curve of"
        " Weidmann (1993) for walkways. Bars show the speeds of recorded people, from the 5th to the 95th"
        " percentile.",
        plots.fundamental_diagram(run),
    )
    if run.lines:
        same_floor = [own for whole in study.runs for own in whole.floors if own.floor == run.floor]
        shown = (same_floor or [run]) if run.floor else study.runs
        rows: list[Row] = [(own.name, line.name, *_figures_of(line)) for own in shown for line in own.crossings]
        yield _section(
            _title("Flow", run),
            "Right and left are seen from the first point of the line towards its second point. The flow counts both"
            " directions, from the first crossing to the last crossing.",
            plots.curve_of_crossings(run.people, run.crossings)
            + _table("flow", ("run", "line", "to the right", "to the left", "flow [1/s]", "flow [1/(m s)]"), rows),
        )


def _figures_of(line: Crossings) -> tuple[Cell, ...]:
    """Return the crossings to the right, the crossings to the left, the flow and the specific flow of a line."""
    to_right = int(line.to_right.sum())
    flow = line.per_second
    return to_right, len(line.times) - to_right, round(flow, 4), round(flow / line.length, 4)


def _stairs(study: Study) -> Iterable[str]:
    """Return the section about people on stairs, ramps, escalators and lifts."""
    rows: list[Row] = [(run.name, own.name, *_figures_of(own)) for run in study.runs for own in run.stairs]
    if rows:
        yield _section(
            "Stairs and lifts",
            "The number of people that arrive on another level. The flow counts both directions, from the first arrival"
            " to the last arrival. The specific flow is the flow divided by the width.",
            plots.curve_of_crossings(study.runs[0].people, study.runs[0].stairs)
            + _table("stairs", ("run", "connection", "up", "down", "flow [1/s]", "flow [1/(m s)]"), rows),
        )


def _egress(study: Study) -> Iterable[str]:
    if left := [run.egress for run in study.runs if run.egress is not None and run.egress.found]:
        yield _egress_over_seeds(left)
        return
    runs = [run for run in study.runs if len(run.egress_times)]
    if not runs:
        return
    rows = [
        (run.name, run.people.ids[person], round(float(run.people.departures[person] - run.people.begin), 3))
        for run in runs
        for person in run.people.departed.nonzero()[0]
    ]
    yield _section(
        "Egress",
        "The fraction of the people that have departed, over the time since the start. The dotted line is at 95 %.",
        plots.egress_distribution(runs)
        + _table("egress", ("run", "person", "egress time [s]"), rows, shown=0, about=f"{len(rows):,} egress times"),
    )


def _egress_over_seeds(runs: Sequence[EgressRun]) -> str:
    """Return the section about egress times over all runs: their distribution for all actors, for each exit and for
    each person.
    """
    rows: list[Row] = [(run.seed, own.id, own.crowd, own.exit, *_times(own)) for run in runs for own in run.found]
    head = ("seed", "person", "crowd", "exit", "entered [s]", "pre-movement [s]", "egress time [s]")
    people = person_rows(runs)
    return _section(
        "Egress",
        "The fraction of the actors that have left, over the time since the start. The dotted line is at 95 %. Bands"
        " extend from the 5th to the 95th percentile over the seeds.",
        plots.egress_by_exit(runs)
        + _table("egress-by-exit", EXIT_HEAD, exit_rows(runs))
        + _table("egress-by-person", PERSON_HEAD, people, shown=0, about=f"{len(people):,} persons over all seeds")
        + _table("egress", head, rows, shown=0, about=f"{len(rows):,} egress times"),
    )


def _times(own: Egress) -> tuple[float, ...]:
    return tuple(round(value, 4) for value in (own.entered_s, own.premovement_s, own.egress_s))


def _validation(study: Study) -> Iterable[str]:
    rows: list[Row] = []
    for run in (floor for whole in study.runs for floor in whole.by_floor):
        for own, count in comparisons(run):
            holds = "yes" if own.holds else "no"
            rows.append((run.name, own.name, round(own.value, 4), own.least, own.most, holds, count))
    if rows:
        yield _section(
            "Validation",
            "The speeds are compared with recorded people: the limits are the 5th and the 95th percentile of their"
            f" speeds at equal densities. A density is the number of people within 1 m divided by the area. Densities"
            f" with less than {LEAST} values are left out.",
            _table("validation", ("run", "comparison", "value", "least", "most", "holds", "values"), rows),
        )


def _provenance(study: Study) -> str:
    digests = [(run.name, run.digest) for run in study.runs]
    versions = [(name, version) for name, version in study.versions.items()]
    return _section(
        "How to repeat this report",
        "The digest is the SHA-256 of ids, times and positions of a run.",
        f"<pre>{escape(study.command)}</pre>\n"
        + _table("digests", ("run", "digest"), digests)
        + _table("versions", ("program", "version"), versions),
    )


def _section(title: str, text: str, content: str) -> str:
    return f"<section>\n<h2>{escape(title)}</h2>\n<p>{escape(text)}</p>\n{content}\n</section>\n"


def _table(name: str, header: Row, rows: Sequence[Row], *, shown: int = 40, about: str = "") -> str:
    """Return a table with at most `shown` rows, and a link to all rows as CSV."""
    about = about or name.replace("-", " ")
    button = f'<a class="download" download="{name}.csv" href="{_csv(header, rows)}">'
    link = f"<p>{button}Download {escape(about)} as CSV</a></p>\n"
    if not shown:
        return link
    cut = f"<p>The table shows {shown} of {len(rows):,} rows. The CSV file has all rows.</p>\n"
    lines = "".join(f"<tr>{''.join(_cell(cell) for cell in row)}</tr>\n" for row in rows[:shown])
    head = "".join(f'<th scope="col">{escape(str(cell))}</th>' for cell in header)
    table = f'<div class="table"><table>\n<tr>{head}</tr>\n{lines}</table></div>\n'
    return table + (cut if len(rows) > shown else "") + link


def _cell(value: Cell) -> str:
    text = "-" if value is None else f"{value:,}" if isinstance(value, int) else str(value)
    kind = "" if isinstance(value, str) else ' class="number"'
    return f"<td{kind}>{escape(text)}</td>"


def _csv(header: Row, rows: Sequence[Row]) -> str:
    """Return a data URL with the table as CSV."""
    file = io.StringIO()
    csv.writer(file).writerows([header, *rows])
    return f"data:text/csv;base64,{base64.b64encode(file.getvalue().encode()).decode('ascii')}"
