"""`ecs-anim walk`: a file of trajectories, and no scene."""

import json

import numpy as np
import pytest
from PIL import Image

import ecs_anim as ea
from ecs_anim.components.appearance import Appearance
from ecs_anim.components.movers import Movers
from ecs_anim.components.transforms import Transforms
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.loader import parse_scene
from ecs_anim.scenes.walked import TINTS, busiest, middle_of
from ecs_anim.systems.queries import stage_of
from ecs_anim.systems.speed_tints import TintBySpeed, path_speeds
from ecs_anim.trajectories import recording
from tests.helpers import EXHAUSTIVE, TRAJECTORIES, needs_trajectories, some
from tests.test_cli import NO_DISPLAY, assert_one_line, ecs_anim

SCENE = """
[rigs.people]
model = "mannequin"
[[crowds]]
rig = "people"
body = {{}}
trajectories = {{ file = "{file}", unit = "cm" }}
"""
LINE = "POLYGON ((-2 -3, 12 -3, 12 6, -2 6, -2 -3))"


@pytest.fixture
def people(tmp_path):
    rows = ["id,time_s,x_m,y_m"]
    for person, speed in ((4, 1.2), (9, 0.5)):
        rows += [f"{person},{k / 5:.1f},{speed * k / 5:.3f},{person / 3:.3f}" for k in range(51)]
    path = tmp_path / "people.csv"
    path.write_text("\n".join(rows) + "\n", "utf-8")
    return path


@EXHAUSTIVE
def test_a_picture_with_a_clock_and_the_scene_that_it_is_of(people, tmp_path):
    done = ecs_anim("walk", "people.csv", "--out", "p.png", "--size", "96x64", "--save-scene", "s.toml", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert Image.open(tmp_path / "p.png").size == (96, 64)
    with ea.load_scene(tmp_path / "s.toml", threads=1) as world:
        assert ea.crowd(world, "people").actor_count == 2
        world.skip(150, 1 / 60)
        np.testing.assert_allclose(ea.crowd(world, "people").positions[:, 0], [1.2 * 2.5, 0.5 * 2.5], atol=0.15)


@EXHAUSTIVE
def test_saved_scenes_keep_the_heights_of_floors(tmp_path):
    rows = ["id,time_s,x_m,y_m,level"] + [f"{p},{k / 10},{k / 10},{p},{'AB'[p]}" for k in range(30) for p in range(2)]
    (tmp_path / "people.csv").write_text("\n".join(rows), "utf-8")
    done = ecs_anim(
        *("walk", "people.csv", "--level-heights", "A=1,B=4.5", "--save-scene", "saved.toml"),
        cwd=tmp_path,
        env=NO_DISPLAY,
    )
    assert done.returncode == 0, done.stderr
    with load_scene(tmp_path / "saved.toml") as world:
        _, (transforms,) = next(world.query(Transforms))
        assert transforms.translation[:, 1].tolist() == [1.0, 4.5]
    done = ecs_anim("walk", "people.csv", "--level-heights", "A:1", "--save-scene", "x.toml", cwd=tmp_path)
    assert_one_line(done, "--level-heights", "must be the distance between two floors, such as 3.5")


@EXHAUSTIVE
def test_without_a_display_a_picture_is_written_and_told_why(people, tmp_path):
    done = ecs_anim("walk", "people.csv", "--size", "32x18", cwd=tmp_path)
    assert done.stderr.splitlines()[-1] == f"wrote people.png: {NO_DISPLAY}"
    assert "display" not in ecs_anim("walk", "people.csv", "--size", "32x18", "--out", "p.png", cwd=tmp_path).stderr


@EXHAUSTIVE
def test_a_scene_without_what_was_asked_for_says_so(people, tmp_path):
    options = "--out p.png --size 96x64 --save-scene s.toml --tint speed --follow 4"
    done = ecs_anim("walk", "people.csv", *options.split(), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "wrote s.toml without --tint speed and --follow, because these options apply only to this run" in done.stderr


@EXHAUSTIVE
def test_films_begin_and_end_when_they_are_told(people, tmp_path):
    (tmp_path / "hall.wkt").write_text(LINE, "utf-8")
    options = "--from 1.0 --seconds 0.1 --camera top --follow 9 --walls hall.wkt --out film --size 64x48"
    done = ecs_anim("walk", "people.csv", *options.split(), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert len(list((tmp_path / "film").iterdir())) == 6
    options = "--from 1.0 --seconds 0.1 --fps 20 --out slow --size 64x48"
    assert ecs_anim("walk", "people.csv", *options.split(), cwd=tmp_path).returncode == 0
    assert len(list((tmp_path / "slow").iterdir())) == 2


@EXHAUSTIVE
def test_times_of_a_file_may_be_before_zero(people, tmp_path):
    text = people.read_text("utf-8").replace(",0.0,", ",-3.0,")
    people.write_text(text, "utf-8")
    options = "--from -2.9 --seconds 0.05 --size 32x18 --out"
    done = ecs_anim("walk", "people.csv", *options.split(), "film", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert len(list((tmp_path / "film").iterdir())) == 3


@EXHAUSTIVE
def test_a_picture_is_framed_on_who_is_there_then(people, tmp_path):
    """At 10 s the faster person, at 1.2 m/s, has left the slower one behind. Otherwise no person is far away."""
    for options, where in (("--from 0", 0.0), ("--from 10", 8.5), ("", 4.25)):
        command = f"walk people.csv --out p.png --size 96x64 --save-scene s.toml {options}"
        done = ecs_anim(*command.split(), cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        with ea.load_scene(tmp_path / "s.toml", threads=1) as world:
            camera = stage_of(world).camera
            assert camera.target[0] == pytest.approx(where, abs=0.8)
            assert camera.distance < 20


def test_the_busiest_moment_is_amid_the_time_when_most_are_there(tmp_path):
    spans = [(0, 30), (10, 20), (12, 40), (35, 38), (14, 16)]
    rows = [f"{n},{time},{n},{time}" for n, span in enumerate(spans) for time in range(span[0], span[1] + 1)]
    (tmp_path / "p.csv").write_text("\n".join(["id,time_s,x_m,y_m", *rows]), "utf-8")
    assert busiest(recording(tmp_path / "p.csv")) == 15.0


@pytest.mark.parametrize(
    ("spans", "moment"),
    [
        ([(0, 24), (60, 89)], 75.0),  # everybody is away in the middle: the later time begins nearer to it
        ([(0, 24), (60, 69)], 64.5),
        ([(0, 9), (20, 29), (45, 54)], 25.0),
    ],
)
def test_the_busiest_moment_is_one_at_which_people_are_there(tmp_path, spans, moment):
    """Not amid their lifetimes; frames of a tenth of a second, and gaps longer than bodies walk through."""
    frames = [frame for first, last in spans for frame in range(first, last + 1)]
    rows = [f"{person},{2.5 * frame / 10},{frame / 10},{person}" for person in range(3) for frame in frames]
    (tmp_path / "p.csv").write_text("\n".join(["id,time_s,x_m,y_m", *rows]), "utf-8")
    assert busiest(recording(tmp_path / "p.csv")) == pytest.approx(2.5 * moment / 10, abs=0.26)


def test_a_moment_at_which_everybody_is_out_of_sight_has_no_picture(tmp_path):
    """Not for long, and so near that the camera sees them before and after: they jump."""
    rows = [
        f"{person},{k},{0.1 * k + 9 * (k > 20)},{person}" for person in range(3) for k in (*range(20), *range(26, 50))
    ]
    (tmp_path / "p.csv").write_text("\n".join(["# framerate: 10", "id,frame,x_m,y_m", *rows]), "utf-8")
    done = ecs_anim("walk", "p.csv", "--from", "2.2", "--size", "96x64", "--out", "p.png", cwd=tmp_path)
    assert_one_line(done, "p.csv: no actor is present at 2.2 s. Choose another --from, such as 3.")
    assert not (tmp_path / "p.png").exists()


@EXHAUSTIVE
def test_somebody_who_is_away_amid_the_time_is_shown_when_there(people, tmp_path):
    rows = [f"ann,{k},{0.1 * k},0" for k in (*range(20), *range(60, 70))]
    (tmp_path / "p.csv").write_text("\n".join(["# framerate: 10", "id,frame,x_m,y_m", *rows]), "utf-8")
    found = recording(tmp_path / "p.csv")
    assert middle_of(found.number_of("ann"), found) in (0.9, 1.0)
    done = ecs_anim(*["walk", "p.csv", "--follow", "ann", "--size", "96x64", "--out", "p.png"], cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    done = ecs_anim(*["walk", "p.csv", "--follow", "anna", "--size", "96x64", "--out", "p.png"], cwd=tmp_path)
    assert_one_line(
        done, "--follow anna: p.csv has no person with this id; did you mean 'ann'? choose one of the ids ann"
    )


def pixels_of(path):
    return np.asarray(Image.open(path).convert("RGB")).astype(int)


@EXHAUSTIVE
def test_somebody_is_followed_and_colours_tell_the_speed(people, tmp_path):
    """The two pictures differ mainly in the shirts. The followed person stays in the middle."""
    for name, options in (("id", ""), ("speed", "--tint speed")):
        command = f"walk people.csv --from 5 --follow 4 --size 320x240 --out {name}.png {options}"
        done = ecs_anim(*command.split(), cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    by_id, by_speed = pixels_of(tmp_path / "id.png"), pixels_of(tmp_path / "speed.png")
    apart = np.abs(by_id[40:190] - by_speed[40:190]).max(axis=-1)  # between clock and legend
    rows, columns = np.nonzero(apart > 40)  # trousers have but a touch of the tint
    assert len(rows) > 200
    assert abs(np.median(columns) - 160) < 20
    worn = np.median(by_id[40:190][rows, columns], axis=0)
    legend, counts = np.unique(by_id[190:].reshape(-1, 3), axis=0, return_counts=True)
    flat = legend[counts > 30]  # swatches, whose colours differ from all around
    tint = np.array([int(TINTS[4][k : k + 2], 16) for k in (1, 3, 5)])
    assert np.abs(flat - worn).max(axis=1).min() < 16, "the legend shows what is seen of somebody"
    assert np.abs(tint - worn).max() > 30, "which is not the tint as it is written"


@EXHAUSTIVE
def test_a_legend_lies_where_nobody_is(people, tmp_path):
    """People stand at the picture's lower edge, and one at the upper."""
    places = {1: (-10, -20), 2: (-10, 20), 3: (10, -20)}
    rows = [f"{person},{k / 10},{x},{y}" for person, (x, y) in places.items() for k in range(20)]
    (tmp_path / "p.csv").write_text("\n".join(["id,time_s,x_m,y_m", *rows]), "utf-8")
    options = ["--camera", "top", "--size", "260x360", "--tint", "speed"]
    done = ecs_anim("walk", "p.csv", *options, "--out", "p.png", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    dark = (pixels_of(tmp_path / "p.png").mean(axis=2) < 110).mean(axis=1) > 0.5  # rows, of the legend
    assert 20 < dark.sum() < 50
    assert 36 < dark.nonzero()[0].max() < 100, "above, and below the clock"


@EXHAUSTIVE
def test_who_is_followed_is_there_in_the_picture(tmp_path):
    """The picture shows the followed person, even though most people are present at another time and far away."""
    rows = [f"1,{k},{0.1 * k:.2f},0" for k in range(20)]
    rows += [f"{person},{k},{50 + person},{0.1 * k:.2f}" for person in (7, 8, 9) for k in range(100, 120)]
    (tmp_path / "p.csv").write_text("\n".join(["# framerate: 10", "id,frame,x_m,y_m", *rows]), "utf-8")
    pictures = []
    for options in ("", "--tint speed"):
        done = ecs_anim(*f"walk p.csv --follow 1 --size 320x240 --out p.png {options}".split(), cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        pictures.append(pixels_of(tmp_path / "p.png")[40:190])
    _, columns = np.nonzero((pictures[0] != pictures[1]).any(axis=-1))
    assert len(columns) > 200
    assert abs(np.median(columns) - 160) < 20


def test_who_asks_for_a_scene_gets_no_picture_besides(people, tmp_path):
    done = ecs_anim("walk", "people.csv", "--save-scene", "s.toml", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert {path.name for path in tmp_path.iterdir()} == {"people.csv", "s.toml"}


def test_speeds_of_paths_are_how_far_they_go_in_a_second(people):
    text = f"""
        [rigs.people]
        model = "mannequin"
        [[crowds]]
        name = "people"
        rig = "people"
        body = {{}}
        trajectories = {{ file = "{people.name}", smooth_seconds = 0.0 }}
        """
    colors = ("#000000", "#ffffff")
    tints = TintBySpeed((0.0, 2.0), colors)
    scene = parse_scene(text, "s.toml", people.parent)
    with load_scene(scene, threads=1, systems=[(tints, "before", "dispatch")]) as world:
        (_, (movers, appearance)) = next(world.query(Movers, Appearance))
        for step in range(120):
            world.step(1 / 60)
            for now in (-3.0, step / 60, 9.0):
                np.testing.assert_allclose(path_speeds(movers.paths, movers.path, now), [1.2, 0.5], rtol=0.02)
        np.testing.assert_allclose(appearance.tint[:, :3].T, 3 * [[0.6, 0.25]], rtol=0.03)


@EXHAUSTIVE
def test_the_report_is_json(people, tmp_path):
    done = ecs_anim("walk", "people.csv", "--report", "--seconds", "8", "--json", "-", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert (found["people"], found["seconds"], found["format"]) == (2, 8.0, "CSV")
    assert list(found["report"]) == ["raw", "smoothed", "grounded"]
    for own in found["report"].values():
        assert [row["from"] for row in own["classes"]] == [0.0, 0.1, 0.3, 0.8, 1.6]
        assert own["leg_stretch_max"] <= 1
    bodies = found["report"]["grounded"]
    assert bodies["leg_stretch_max"] <= 0.995
    assert bodies["root_error_m_p95"] < 0.01
    assert [bodies[f"steps_by_{name}"] for name in ("sway", "speed", "prior")] == [0, 0, 1]  # 5 Hz show none
    (speed, cadence), *_ = bodies["cadence_hz"][-1:]
    assert cadence == pytest.approx(np.sqrt(speed / 0.39), rel=0.15)  # the walk ratio (Sekiya and others 1996)


def test_a_rate_at_which_nobody_is_seen_is_told_as_the_cause(people, tmp_path):
    people.write_text(people.read_text("utf-8").replace("time_s", "frame").replace(".", ""), "utf-8")
    options = ("--sample-rate", "0.001", "--from", "700")
    done = ecs_anim("walk", "people.csv", *options, "--out", "x.png", cwd=tmp_path)
    told = "At 0.001 frames per second, the file has people from 0 s to 100000 s. Change --from or --sample-rate"
    assert_one_line(done, "people.csv: no person is present within 0.5 s of", told)


@EXHAUSTIVE
def test_a_time_when_nobody_is_there_has_no_picture_and_may_have_a_report(people, tmp_path):
    later = people.read_text("utf-8").replace(
        "\n9,", "\n9,1"
    )  # the slower one is there from 10.0 to 19.8 s, and at 110.0 s
    people.write_text(later, "utf-8")
    assert_one_line(ecs_anim("walk", "people.csv", "--from", "50", "--out", "x.png", cwd=tmp_path), "no person")
    assert not (tmp_path / "x.png").exists()
    done = ecs_anim("walk", "people.csv", "--from", "9", "--seconds", "2", "--report", "--json", "-", cwd=tmp_path)
    assert done.returncode == 0, done.stderr


@needs_trajectories
@pytest.mark.parametrize(
    "options",
    some(["corner_traj.txt --unit m", "uo-050-180-180.txt --unit cm --sample-rate 16"], "corner_traj.txt --unit m"),
)
@EXHAUSTIVE
def test_feet_of_recorded_people_do_not_slide_and_their_knees_do_not_pop(options, tmp_path):
    name, *rest = options.split()
    done = ecs_anim("walk", str(TRAJECTORIES / name), *rest, "--report", "--seconds", "8", "--json", "-", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)["report"]["grounded"]
    assert found["knee_pops"] == 0
    assert found["leg_stretch_max"] <= 0.995
    classes = [row for row in found["classes"] if row["steps"] >= 10]
    assert classes
    for row in classes:
        assert row["slide_mm_p95"] < 5


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--json", "-"], "--json needs figures. Add --report"),
        (["--from", "99"], "--from must be 0 s to 10 s, the time range of"),
        (["--follow", "3"], "no person with this id; choose one of the ids 4 to 9"),
        (["--camera", "below"], "must be one of side, top (got 'below')"),
        (["--save-scene", "x.txt"], "the name of a scene file must end in .toml"),
        (["--unit", "yard"], "must be one of m, cm"),
        (["--rig", "nobody.glb"], "nobody.glb"),
        (["--walls", "no.wkt"], "no.wkt"),
        (["--rig", "nobody.glb", "--save-scene", "s.toml"], "nobody.glb"),
        (["--out", "x.bmp"], ".bmp"),
        (["--fps", "24"], "--fps: pictures have no frame rate"),
        (["--fps", "60", "--out", "x.gif"], "at most 50 frames per second"),
    ],
)
def test_mistakes_are_one_line_and_nothing_is_left_behind(people, tmp_path, options, said):
    done = ecs_anim("walk", "people.csv", *options, *([] if "--out" in options else ["--out", "x.png"]), cwd=tmp_path)
    assert_one_line(done, said)
    assert [path.name for path in tmp_path.iterdir()] == ["people.csv"]


def test_who_is_too_far_away_to_be_drawn_is_told(people, tmp_path):
    people.write_text(people.read_text("utf-8").replace(",1.333", ",5600001.333"), "utf-8")
    said = "actors must be at most 16384 m from the origin"
    assert_one_line(ecs_anim("walk", "people.csv", "--out", "x.png", cwd=tmp_path), said)
    assert ecs_anim("inspect", "people.csv", cwd=tmp_path).returncode == 0


@EXHAUSTIVE
@pytest.mark.parametrize("words", ["inspect people.csv", "walk people.csv --save-scene s.toml", "check s.toml"])
def test_a_unit_other_than_the_file_s_is_told_once(people, tmp_path, words):
    if "check" in words:
        (tmp_path / "s.toml").write_text(SCENE.format(file=people), "utf-8")
    option = "" if "check" in words else "--unit cm"
    done = ecs_anim(*words.split(), *option.split(), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    told = f"ecs-anim: warning: {people}: unit = 'cm' replaces 'm', the value of the file or its format. "
    assert done.stderr.count(told) == 1


def test_what_the_file_does_not_say_is_asked_for(people, tmp_path):
    people.write_text(people.read_text("utf-8").replace("time_s,x_m,y_m", "time,x,y"), "utf-8")
    assert_one_line(ecs_anim("walk", "people.csv", cwd=tmp_path), "--unit")


@EXHAUSTIVE
def test_a_time_too_far_from_the_first_sample_is_told_with_its_file(tmp_path):
    rows = [
        f"{person},{start + k / 5},{k / 5},{person}"
        for person, start in ((1, 0), (2, 5e10), (3, 5e10))
        for k in range(20)
    ]
    (tmp_path / "far.csv").write_text("id,time_s,x_m,y_m\n" + "\n".join(rows) + "\n")
    done = ecs_anim("walk", "far.csv", "--out", "p.png", "--size", "32x18", cwd=tmp_path)
    assert done.returncode == 2
    line = done.stderr.splitlines()[-1]
    assert line.startswith("ecs-anim: far.csv: to 5e+10 s after its first sample: 3,000,000,000,")
    assert "steps, but the limit is 1,000,000,000. Cut the file, or raise ECS_ANIM_LIMIT_STEPS" in line
    assert not (tmp_path / "p.png").exists()
