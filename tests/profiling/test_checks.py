"""`ecs-anim validate`: checks as they are run, and that their measures notice what is wrong."""

import json
from math import inf, nan

import numpy as np
import pytest
from PIL import Image

from ecs_anim.profiling.validation import checks
from ecs_anim.profiling.validation.checks import CHECKS, chosen_checks, findings, watch
from ecs_anim.profiling.validation.checks_plot import recorded_clouds
from ecs_anim.profiling.validation.crowd_measures import Watched
from ecs_anim.profiling.validation.finding import Finding
from ecs_anim.scenes.loader import read_scene
from ecs_anim.scenes.shipped import CHECKS_FOLDER, shipped_checks, shipped_scenes
from ecs_anim.support.errors import InputError
from tests.helpers import EXHAUSTIVE
from tests.test_cli import assert_one_line, ecs_anim

TIMES = np.arange(0.0, 60.1, 0.1)


def measured(name, crowds, **reactions):
    """Return the findings of a check by name, for people at given places."""
    (check,) = chosen_checks([name])
    return {found.name: found for found in check.measure(Watched(TIMES, crowds, reactions))}


def walking(speed, begin=(0.0, 0.0), people=1):
    """Return positions of one person, or of a few in a line, going east."""
    x = begin[0] + speed * TIMES[:, None] - np.arange(people)
    return np.stack([x, np.full_like(x, begin[1])], axis=-1)


def leaving(seconds):
    """Two people, of whom one leaves half-way, and the other then."""
    people = np.zeros((len(TIMES), 2, 2))
    for person, when in enumerate((seconds / 2, seconds)):
        people[when <= TIMES, person] = nan
    return people


def is_held(found):
    """Whether it is within its bounds."""
    return found.holds


def test_checks_have_scenes_that_ship_apart_from_the_others():
    assert {f"{CHECKS_FOLDER}/{check.scene}" for check in CHECKS} == set(shipped_checks())
    assert not set(shipped_checks()) & set(shipped_scenes())
    for name in shipped_checks():
        assert all(crowd.steering for crowd in read_scene(name).model.crowds)


def test_names_that_are_no_checks_are_told():
    with pytest.raises(InputError, match="no check 'dense'.*density"):
        chosen_checks(["dense"])


def test_the_time_of_a_corridor_is_that_of_40_m():
    (found,) = measured("corridor", {"people": walking(1.0)}).values()
    assert found.value == pytest.approx(40.0, abs=0.11)
    assert (found.least, found.most) == (26.0, 34.0)


@pytest.mark.parametrize("faster", [1.0, 1.1, 0.9])
def test_the_times_of_stairs_are_those_of_their_10_m(faster):
    speeds = {"up": 0.61 * faster, "down": 0.694 * faster}
    found = measured("stairs", {name: walking(speed) for name, speed in speeds.items()})
    for name, speed in speeds.items():
        own = found[f"stairs {name}, seconds"]
        assert own.value == pytest.approx(10.0 / speed, abs=0.11)
        assert (own.least <= own.value <= own.most) == (faster == 1.0)


def test_those_who_set_off_early_late_or_never_are_seen():
    drawn = np.array([12.0, 25.02, 40.0])

    def beside(*late):
        x = np.maximum(TIMES[:, None] - drawn - late, 0.0)
        people = np.stack([x, np.zeros_like(x)], axis=-1)
        return measured("reaction", {"people": people}, people=drawn)[
            "reaction, error of premovement times, frames"
        ].value

    assert beside(0.0, 0.0, 0.0) <= 1.0 + 1e-9  # a look is each 0.1 s here
    assert beside(0.0, 0.5, 0.0) == pytest.approx(5.0, abs=1.01)
    assert beside(0.0, 0.0, -0.5) == pytest.approx(5.0, abs=1.01)
    assert beside(0.0, 0.0, 50.0) == inf


def test_reaction_times_that_may_not_be_drawn_are_seen():
    found = measured("reaction", {"people": walking(1.0, people=2)}, people=np.array([9.0, 101.0]))
    least, most = (
        found["reaction, shortest premovement time, seconds"],
        found["reaction, longest premovement time, seconds"],
    )
    assert least.value == 9.0 < least.least == 10.0
    assert most.value == 101.0 > most.most == 100.0


@pytest.mark.parametrize("gap", [0.5, 1.0])
def test_stairs_that_hold_nobody_up_are_seen(gap):
    def through(gap):
        """Return positions: people enter the corridor every half second and reach its stairs `gap` seconds apart."""
        entered, up = 0.5 * np.arange(40), 15.0 + gap * np.arange(40)
        x = np.where(TIMES[:, None] > up, 18.0, np.where(TIMES[:, None] > entered, 1.0, -1.0))
        return np.stack([x, np.zeros_like(x)], axis=-1)

    found = measured("congestion", {"stairs": through(gap), "level": through(0.5)})
    for name in (
        "congestion, inflow minus flow upstairs, people per second",
        "congestion, level flow minus flow upstairs, people per second",
    ):
        assert found[name].value == pytest.approx(2.0 - 1 / gap, abs=0.02)
        assert is_held(found[name]) == (gap == 1.0)


def test_a_hall_is_left_when_nobody_is_in_it():
    found = measured("halls", {"four exits": leaving(10.0), "two exits": leaving(30.0)})
    assert found["halls, seconds with four exits"].value == pytest.approx(10.0, abs=0.11)
    ratio = found["halls, time with two exits divided by time with four"]
    assert ratio.value == pytest.approx(3.0, abs=0.05)
    assert (ratio.least, ratio.most) == (1.6, 2.4)
    stuck = measured("halls", {"four exits": leaving(10.0), "two exits": leaving(100.0)})
    assert stuck["halls, time with two exits divided by time with four"].value == inf


@pytest.mark.parametrize(("corner", "holds"), [(20.0, True), (9.0, False), (31.0, False), (100.0, False)])
def test_people_who_come_round_a_corner_too_soon_or_late_are_seen(corner, holds):
    rooms = {"short": leaving(10.0), "corner": leaving(corner), "long": leaving(30.0)}
    found = measured("corners", {f"{room}, {n} people": left for room, left in rooms.items() for n in (50, 250)})
    for people in (50, 250):
        assert is_held(found[f"corners, seconds round the corner, {people} people"]) == holds


def test_rooms_that_nobody_leaves_do_not_hold():
    rooms = {f"{room}, {n} people": leaving(100.0) for room in ("short", "corner", "long") for n in (50, 250)}
    found = measured("corners", rooms)
    assert not is_held(found["corners, seconds of the long corridor, 50 people"])


def test_corners_are_means_of_runs_with_seeds_of_their_own(monkeypatch):
    def seen(scene, seconds, look, seed, poses):
        asked.append(seed)
        rooms = {"short": 10.0, "corner": 20.0 + 6 * len(asked), "long": 30.0 + len(asked)}
        return Watched(TIMES, {f"{room}, {n} people": leaving(own) for room, own in rooms.items() for n in (50, 250)})

    asked = []
    monkeypatch.setattr(checks, "watch", seen)
    (corner,) = (own for own in findings(chosen_checks(["corners"]), 7) if "corner, 250" in own.name)
    assert asked[0] == 7
    assert len({*asked}) == 3
    assert (corner.value, corner.least, corner.most) == pytest.approx((32.0, 10.0, 32.0), abs=0.11)


def gone(path, seconds):
    """Return positions along paths [people, points, 2] at constant rate, and NaN from `seconds` on."""
    path = np.asarray(path, float)
    share = np.clip(TIMES / seconds, 0, 1) * (path.shape[1] - 1)
    low = np.minimum(share.astype(int), path.shape[1] - 2)
    people = path[:, low] + (share - low)[:, None] * (path[:, low + 1] - path[:, low])
    people[:, seconds <= TIMES] = nan
    return people.swapaxes(0, 1)


@pytest.mark.parametrize(
    ("many", "few", "holds"), [(3, 0, [True, True]), (0, 0, [False, True]), (8, 1, [False, False])]
)
def test_those_who_leave_by_another_exit_are_counted(many, few, holds):
    def leaving_by(further):
        ends = [34.0] * further + [-4.0] * (10 - further)
        return gone([[[8.0, 10.0], [end, 10.0]] for end in ends], 50.0)

    found = measured("choice", {"many": leaving_by(many), "a few": leaving_by(few)})
    shares = [found[f"choice, share through the farther exit, {name}"] for name in ("many", "a few")]
    assert [own.value for own in shares] == [many / 10, few / 10]
    assert [is_held(own) for own in shares] == holds
    assert found["choice, share that leaves, many"].value == 1.0


@pytest.mark.parametrize(("long", "short", "holds"), [(4, 0, True), (3, 0, False), (4, 1, False)])
def test_stairs_that_are_not_the_quicker_way_and_are_taken_are_seen(long, short, holds):
    def over(count, low):
        stairs = [[2, low + 2], [10, low + 2], [20, low + 2], [28, low + 2]]
        floor = [[2, low + 2], [2, low + 17], [28, low + 17], [28, low + 2]]
        return gone([stairs] * count + [floor] * (4 - count), 100.0)

    found = measured("detour", {"long detour": over(long, 0), "short detour": over(short, 24)})
    names = [f"detour, share over the stairs, {name} detour" for name in ("long", "short")]
    assert [found[name].value for name in names] == [long / 4, short / 4]
    assert all(is_held(found[name]) for name in names) == holds


@pytest.mark.parametrize(("down", "holds"), [(0.6, True), (0.4, False)])
def test_people_that_are_slower_down_than_up_stairs_are_seen(down, holds):
    def file(speed, sign, apart):
        """Return positions of people in a row on stairs, `apart` metres from each other."""
        y = sign * (speed * TIMES[:, None] - 10 - apart * np.arange(60))
        return np.stack([np.zeros_like(y), y], axis=-1)

    for apart, density in ((0.44, 1.5), (0.333, 2.0)):  # people in the row on 3.5 m times 1.5 m
        crowds = {"crowd up": file(0.5, 1, apart), "crowd down": file(down, -1, apart)}
        found = measured("stair_speeds", crowds)[f"stair_speeds, m/s down at {density:g} a square metre"]
        assert (found.value, found.least) == pytest.approx((down, 0.5), abs=1e-6)
        assert is_held(found) == holds


@pytest.mark.parametrize(("gap", "holds"), [(1.0, True), (0.8, False)])
def test_wider_stairs_with_a_smaller_flow_are_seen(gap, holds):
    def file(apart):
        y = -(0.5 * TIMES[:, None] - 0.5 * apart * np.arange(100) + 0.5)
        return np.stack([np.zeros_like(y), y], axis=-1)

    gaps = {"1 m": 1.2, "1.2 m": 1.2, "1.4 m": gap, "1.6 m": 0.8, "1.8 m": 0.9}
    found = measured("stair_widths", {name: file(own) for name, own in gaps.items()})
    assert found["stair_widths, people per second over 1 m"].value == pytest.approx(1 / 1.2, abs=0.02)
    ratio = found["stair_widths, flow over 1.8 m divided by flow over 1.4 m"]
    assert ratio.value == pytest.approx(gap / 0.9, abs=0.02)
    assert is_held(ratio) == holds


@pytest.mark.parametrize(("people", "holds"), [(4, True), (5, False)])
def test_too_many_people_in_a_lift_are_seen(people, holds):
    crowd = np.concatenate([leaving_at(x, 40.0) for x in [10.0] * people + [1.0] * (12 - people)], axis=1)
    crowd[:, :, 1] = np.where(np.isnan(crowd[:, :, 1]), nan, 14.0)
    found = measured("lift", {"one person": leaving_at(1.0, 30.0), "crowd": crowd})
    assert found["lift, most people in the car"].value == people
    assert is_held(found["lift, most people in the car"]) == holds
    assert is_held(found["lift, seconds of one person"])
    assert not is_held(
        measured("lift", {"one person": leaving_at(1.0, 50.0), "crowd": crowd})["lift, seconds of one person"]
    )


@EXHAUSTIVE
def test_a_lift_leaves_no_person_of_a_crowd_behind():
    found = list(findings(chosen_checks(["lift"]), 1))
    assert all(own.holds for own in found), found


def test_a_parameter_that_makes_people_faster_where_it_should_not_is_seen():
    rooms = {"as usual": leaving(20.0), "slower": leaving(30.0), "late": leaving(15.0)}
    found = measured("parameters", rooms)
    slower, late = (found[f"parameters, time divided by the usual time, {name}"] for name in ("slower", "late"))
    assert slower.value == pytest.approx(1.5, abs=0.02)
    assert is_held(slower)
    assert not is_held(late)


def test_a_long_passage_that_takes_less_time_is_seen():
    found = measured("passages", {"near goal": leaving(20.0), "far goal": leaving(30.0), "long passage": leaving(24.0)})
    far = found["passages, time with a goal 9 m behind the passage divided by this time"]
    long = found["passages, time with a passage of 5 m divided by time with 0.2 m"]
    assert (far.value, long.value) == pytest.approx((1.5, 0.8), abs=0.02)
    assert (is_held(far), is_held(long)) == (True, False)


def test_what_never_happened_is_null_in_json():
    never = Finding("hall, seconds", inf, None, 60.0, "checks/hall")
    assert never.as_json() == {
        "name": "hall, seconds",
        "holds": False,
        "value": None,
        "least": None,
        "most": 60.0,
        "scene": "checks/hall",
    }


def test_somebody_in_a_wall_is_seen():
    inside, outside = walking(0.1, (1.0, 1.0)), walking(0.1, (1.0, 2.5))
    assert measured("corner", {"people": inside})["corner, samples of actors in a wall"].value == 0
    assert measured("corner", {"people": outside})["corner, samples of actors in a wall"].value == len(TIMES)


def test_a_passage_that_lets_more_out_than_in_is_seen():
    y = np.minimum(1.0 * (TIMES[:, None] - 0.5 * np.arange(40)), 100.0)
    even = np.stack([np.zeros_like(y), y], axis=-1)
    faster = np.where(y > 0, y * (1 + np.arange(40) / 20), y)  # the later the faster through it
    found = measured("jam", {"people": even})
    assert abs(found["jam, inflow minus outflow, people per second"].value) < 0.01
    found = measured("jam", {"people": np.stack([np.zeros_like(y), faster], axis=-1)})
    assert found["jam, inflow minus outflow, people per second"].value < -0.05


def test_those_who_take_another_exit_are_seen():
    east, north = walking(1.0, people=3), walking(0.0, (6.0, 5.0), 3)
    found = measured("exits", {"to the east exit": east, "to the north exit": north})
    assert found["to the east exit, share"].value == 1.0
    assert found["to the north exit, share"].value == 0.0


@EXHAUSTIVE
def test_the_command_prints_findings_and_plots_them(tmp_path):
    run = ecs_anim("validate", "corridor", "corner", "--seed", "1", "--json", "-", "--plot", tmp_path / "plots")
    assert run.returncode == 0, run.stderr
    checks = json.loads(run.stdout)["checks"]
    assert [set(check) for check in checks] == [{"name", "holds", "value", "least", "most", "scene"}] * 3
    assert checks[0]["scene"] == "checks/corridor"
    assert checks[0]["holds"] is True
    assert 26 < checks[0]["value"] < 34
    assert Image.open(tmp_path / "plots/validation.png").size[0] > 1000


@EXHAUSTIVE
def test_stairs_and_reaction_times_hold_as_they_are_run():
    found = list(findings(chosen_checks(["stairs", "reaction"]), 1))
    assert [own.holds for own in found] == [True] * 5, found


@EXHAUSTIVE
def test_a_person_who_leaves_is_nowhere_and_others_stay_who_they_are():
    seen = watch("halls", 12.0, 0.5, 1)
    for positions in seen.crowds.values():
        gone = np.isnan(positions[:, :, 0])
        assert 0 < gone[-1].sum() < 200
        assert (np.diff(gone.astype(int), axis=0) >= 0).all()  # no person comes back
        moved = np.linalg.norm(np.diff(positions, axis=0), axis=-1)
        assert np.nanmax(moved) < 0.5 * 3.0  # [m] in half a second


def test_what_does_not_hold_ends_in_exit_code_1(monkeypatch, capsys):
    from ecs_anim.commands import validate

    monkeypatch.setattr(validate, "findings", lambda *_: iter([Finding("slow", 1.0, 2.0, None, "checks/x")]))
    with pytest.raises(SystemExit) as left:
        validate.validate([], None, None, None, None)
    assert left.value.code == 1
    assert "NO" in capsys.readouterr().out


def test_recorded_clouds_are_speeds_and_densities_of_files(tmp_path):
    rows = [f"{person},{k / 5:.1f},{1.2 * k / 5:.3f},{0.8 * person:.1f}" for person in range(3) for k in range(51)]
    (tmp_path / "people.csv").write_text("\n".join(["id,time_s,x_m,y_m", *rows, ""]), "utf-8")
    (tmp_path / "notes.md").write_text("{}", "utf-8")
    ((name, (density, speed)),) = recorded_clouds(tmp_path).items()
    assert name == "people.csv"
    np.testing.assert_allclose(speed, 1.2, rtol=1e-6)
    assert density.shape == speed.shape
    assert (density > 0.3).all()
    (tmp_path / "people.csv").unlink()
    with pytest.raises(InputError, match="must contain at least one readable file of trajectories"):
        recorded_clouds(tmp_path)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["corridr"], "no check 'corridr'"),
        (["corridor", "--recorded", "nowhere", "--plot", "x"], "nowhere"),
        (["corridor", "--recorded", "nowhere"], "Add --plot"),
        (["--list", "--plot", "x"], "--plot needs results of checks, but --list runs no checks. Remove --list"),
        (["--list", "--seed", "3"], "--seed needs results of checks, but --list runs no checks. Remove --list"),
        (["corridor", "--plot", __file__], "--plot needs a folder, but this path is a file"),
        (["corridor", "--plot", "/dev/null"], "/dev/null: --plot needs a folder"),
    ],
)
def test_wrong_input_is_one_line(arguments, says):
    assert_one_line(ecs_anim("validate", *arguments), says)


def crossing_rooms(seconds):
    """100 people that all come to x = 20 m after so many seconds."""
    return walking(20.0 / seconds, people=1).repeat(100, axis=1)


def test_a_corridor_that_jams_has_no_time():
    rooms = {f"eastward against {count}": crossing_rooms(10.0 + count) for count in (0, 10, 50, 100)}
    found = measured("rooms", rooms)
    assert found["rooms, seconds against 0 people"].value == pytest.approx(10.0, abs=0.11)
    assert found["rooms, seconds against 100 people"].value == inf
    rooms["eastward against 0"] = walking(0.0, people=1)
    assert not measured("rooms", rooms)["rooms, seconds against 0 people"].holds


@pytest.mark.parametrize(("slower", "holds"), [(1.0, True), (0.5, False)])
def test_groups_that_fall_apart_are_seen(slower, holds):
    pair = np.concatenate([walking(1.0), walking(slower, (0.0, 1.0))], axis=1)
    found = measured("groups", {"together": pair, "separate": pair})
    assert found["groups, largest distance, together"].value == pytest.approx(np.hypot(40 * (1 - slower), 1), abs=0.2)
    assert is_held(found["groups, largest distance, together"]) == holds
    assert is_held(found["groups, largest distance, separate"])


@pytest.mark.parametrize(("speed", "holds"), [(0.5, True), (1.5, False)])
def test_a_wheelchair_that_delays_no_person_is_seen(speed, holds):
    crowds = {"without a wheelchair": walking(1.0), "with a wheelchair": walking(2.0), "wheelchair": walking(speed)}
    ratio = measured("disabilities", crowds)["disabilities, time with a wheelchair divided by time without"]
    assert ratio.value == pytest.approx(1 / speed, abs=0.05)
    assert is_held(ratio) == holds


def leaving_at(x, seconds):
    """A person that stands at x and leaves."""
    people = np.full((len(TIMES), 1, 2), float(x))
    people[seconds <= TIMES] = nan
    return people


@pytest.mark.parametrize(("seconds", "holds"), [(6.0, True), (9.0, False)])
def test_people_that_leave_through_a_closed_exit_are_seen(seconds, holds):
    found = measured("closing", {"people": np.concatenate([leaving_at(-3, seconds), leaving_at(13, 20.0)], axis=1)})
    assert found["closing, share that leaves"].value == 1.0
    assert is_held(found["closing, people through the closed exit"]) == holds


def test_people_that_leave_by_an_exit_that_they_do_not_know_are_seen():
    crowds = {"one exit known": leaving_at(9.0, 20.0), "both exits known": leaving_at(9.0, 20.0)}
    found = measured("affiliation", crowds)
    assert not is_held(found["affiliation, share through the farther exit, one exit known"])
    assert is_held(found["affiliation, share through the farther exit, both exits known"])


def test_flows_and_speeds_of_force_models_are_measured():
    crowds = {f"{model}, alone": walking(1.0) for model in ("social force", "centrifugal force")}
    each = TIMES[:, None] - np.arange(60) / 0.9
    x = 15.2 + each
    crowds["social force, door of 1 m"] = np.stack([x, np.zeros_like(x)], axis=-1)
    crowds["centrifugal force, door of 1.2 m"] = crowds["social force, door of 1 m"]
    found = measured("forces", crowds)
    assert found["social force, seconds of the corridor"].value == pytest.approx(40.0, abs=0.11)
    assert not is_held(found["social force, seconds of the corridor"])
    assert found["social force, door of 1 m, people per second"].value == pytest.approx(0.9, abs=0.02)
    assert is_held(found["social force, door of 1 m, people per second"])


def test_the_list_names_checks_and_sources_and_runs_none():
    run = ecs_anim("validate", "--list", "--json", "-")
    assert run.returncode == 0, run.stderr
    listed = json.loads(run.stdout)["checks"]
    assert [own["name"] for own in listed] == [check.name for check in CHECKS]
    assert listed[0] == {
        "name": "corridor",
        "source": "RiMEA 1, NIST 2.1",
        "scene": "checks/corridor",
        "seconds": 40.0,
    }
    assert "RiMEA 15" in ecs_anim("validate", "--list", "corners").stdout
