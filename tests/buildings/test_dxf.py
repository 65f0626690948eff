"""Buildings in DXF. The builder writes the drawings as text. The expected shapes are its rectangles."""

import json
import math
import sys

import pytest
import shapely

from ecs_anim.buildings.read import BuildingOptions, read_building
from ecs_anim.commands.command_line import cli
from tests.builders.buildings import dxf, dxf_block, dxf_drawing, dxf_insert, dxf_line, dxf_polyline, ring

pytest.importorskip("ezdxf")


def read(text, **options):
    return read_building(text, BuildingOptions(**options))


@pytest.mark.parametrize(("scale", "unit"), [(1, 6), (1000, 4), (1 / 0.0254, 1)])
def test_layers_state_levels_and_kinds(scale, unit):
    found = read(dxf_drawing(scale, unit))
    ground, first = found.tables["levels"]
    assert (ground["name"], ground["height"], first["name"], first["height"]) == ("0", 0.0, "1", 3.4)
    for level in (ground, first):
        assert shapely.from_wkt(level["area"]).symmetric_difference(shapely.box(0, 0, 20, 10)).area < 1e-4
    walls = shapely.get_parts(shapely.from_wkt(ground["walls"]))
    lines = [own for own in walls if own.geom_type == "LineString"]
    assert sum(own.length for own in lines) == pytest.approx(8 + 6 - 1.2, abs=0.05)
    (column,) = [own for own in walls if own.geom_type == "Polygon"]
    turned = shapely.Polygon([(17 + 0.25 * math.sqrt(2) * dx, 2 + 0.25 * math.sqrt(2) * dy) for dx, dy in SIDES])
    assert column.symmetric_difference(turned).area < 1e-4
    assert shapely.from_wkt(first["walls"]).equals(shapely.LineString([(14, 0.01), (14, 4)]))
    (stairs,) = found.tables["stairs"]
    assert stairs["foot"] == {"at": pytest.approx([10.2, 5.5]), "level": "0"}
    assert stairs["heading_degrees"] == pytest.approx(90)
    assert found.ignored == {"lines on the layer 'DIMENSIONS'": 1}


SIDES = ((1, 0), (0, 1), (-1, 0), (0, -1))


def test_the_scene_can_replace_levels_and_kinds_of_layers():
    text = dxf(dxf_polyline("PLAN EG", ring(0, 0, 9, 9)[:-1]) + dxf_polyline("STAIRS", ring(1, 1, 2, 2)[:-1]))
    layers = {"PLAN EG": ("ground", "open"), "STAIRS": (None, None)}
    found = read(text, layers=layers, heights={"ground": 1.5})
    (level,) = found.tables["levels"]
    assert (level["name"], level["height"]) == ("ground", 1.5)
    assert found.ignored == {"lines on the layer 'STAIRS'": 1}
    with pytest.raises(ValueError, match="the drawing has no lines on the layer 'NO'"):
        read(text, layers={"NO": ("ground", "open")})


def test_open_lines_that_enclose_an_area_and_arcs_are_floors():
    sides = [(own, other) for own, other in zip(ring(0, 0, 6, 4), ring(0, 0, 6, 4)[1:], strict=False)]
    lines = "".join(dxf_line("B1-FLOOR", *side) for side in sides)
    circle = "0\nCIRCLE\n8\nL2-FLOOR\n10\n0\n20\n0\n40\n3\n"
    found = read(dxf(lines + circle))
    assert found.floors["-1"].equals(shapely.box(0, 0, 6, 4))
    assert found.floors["2"].area == pytest.approx(math.pi * 9, rel=0.01)


@pytest.mark.parametrize(
    ("layer", "level"), [("A-FLOR-EG", "0"), ("GROUND_FLOOR", "0"), ("1OG FLOOR", "1"), ("2UG-SLAB", "-2")]
)
def test_words_of_layers_state_the_level(layer, level):
    found = read(dxf(dxf_polyline(layer, ring(0, 0, 9, 9)[:-1])))
    assert [own["name"] for own in found.tables["levels"]] == [level]


def test_faults_are_one_line():
    floor = dxf_polyline("FLOOR", ring(0, 0, 9, 9)[:-1])
    again = dxf_block("A", dxf_insert("A", "0", 1, 0))
    for text, options, message in [
        (dxf(floor, unit=0), {}, r"must state a unit of length .*coordinates = "),
        (dxf(floor), {"unit": "degrees"}, "coordinates of DXF must be"),
        (dxf(floor)[:60] + "x\n", {}, "must be valid DXF"),
        (dxf(dxf_polyline("FLOOR", ring(1e6, 0, 9, 9)[:-1])), {}, "within 16384 m"),
        (dxf(floor, unit=4), {}, r"the floors are only 0\.009 m long .* Set coordinates"),
        (
            dxf(dxf_polyline("PLAN", ring(0, 0, 9, 9)[:-1])),
            {},
            r"no level with a floor \(left out: 1 x lines on the layer 'PLAN'\)\. .* layers of \[building\]",
        ),
        (dxf(dxf_line("FLOOR", (0, 0), (9, 0))), {}, r"left out: 1 x open lines that enclose no area"),
        (dxf(dxf_insert("A", "FLOOR", 0, 0), again), {}, "nested|no level with a floor|must contain"),
    ]:
        with pytest.raises(ValueError, match=message) as caught:
            read(text, **options)
        assert "\n" not in str(caught.value)


def test_without_ezdxf_the_message_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "ezdxf", None)
    with pytest.raises(ValueError, match=r"pip install 'ecs-anim\[dxf\]'"):
        read(dxf_drawing())


def test_inspect_shows_the_levels_of_a_drawing(tmp_path, capsys):
    (tmp_path / "house.dxf").write_text(dxf_drawing())
    with pytest.raises(SystemExit) as ended:
        cli(["inspect", str(tmp_path / "house.dxf"), "--json"])
    assert ended.value.code == 0
    assert [own["name"] for own in json.loads(capsys.readouterr().out)["levels"]] == ["0", "1"]
