"""Buildings in IFC. The expected shapes are the prisms of the builder."""

import sys

import pytest
import shapely

from ecs_anim.buildings.read import BuildingOptions, read_building

pytest.importorskip("ifcopenshell")

from tests.builders.ifc_files import IfcHouse, ifc_house  # this module imports ifcopenshell


@pytest.fixture(scope="module")
def house():
    return ifc_house()


def read(text, **options):
    return read_building(text, BuildingOptions(**options))


def test_slabs_walls_and_doors_become_levels(house):
    found = read(house)
    ground, first = found.tables["levels"]
    assert (ground["name"], ground["height"], first["name"], first["height"]) == ("Ground", 0.0, "First", 3.4)
    for level, area in ((ground, 200.0), (first, 200.0)):
        assert shapely.from_wkt(level["area"]).symmetric_difference(shapely.box(0, 0, 20, 10)).area < 1e-3
        walls = shapely.from_wkt(level["walls"])
        expected = shapely.box(8, 4, 8.2, 6).union(shapely.box(8, 7.2, 8.2, 10))
        assert walls.symmetric_difference(expected).area < 1e-3
        assert found.floors[level["name"]].area == pytest.approx(area)
    assert [door["name"] for door in ground["doors"]] == ["Door 0", "Main entrance"]
    assert found.areas["Main entrance"][1] == "Ground"
    assert shapely.from_wkt(found.areas["Shop"][0]).symmetric_difference(shapely.box(0, 4, 8, 10)).area < 1e-3


def test_stairs_lead_from_their_lower_end(house):
    (stairs,) = read(house).tables["stairs"]
    assert stairs["name"] == "East stairs"
    assert stairs["foot"] == {"at": pytest.approx([11.8, 3.0]), "level": "Ground"}
    assert (stairs["to"], stairs["width"]) == ("First", pytest.approx(1.6))
    assert stairs["heading_degrees"] == pytest.approx(90)


def test_a_lift_stops_at_all_storeys_in_its_shaft(house):
    (lift,) = read(house).tables["lifts"]
    assert lift["stops"] == ["Ground", "First"]
    assert lift["at"] == pytest.approx([18.0, 7.1])


def test_spaces_are_the_floor_of_storeys_without_slabs():
    house = IfcHouse([("Ground", 0.0)])
    for x in (0, 5.2):
        house.add("IfcSpace", 0, house.prism((x, 0, 5, 4), 0, 3), Name="room")
    house.add("IfcDoor", 0, house.prism((5, 1, 0.2, 1), 0, 2))
    area = read(house.file.to_string(), origin=(5.1, 0.0)).floors["Ground"]
    assert area.bounds == pytest.approx((-5.1, 0, 5.1, 4))
    assert area.area == pytest.approx(40.2)


def test_faults_are_one_line(house):
    for text in ("ISO-10303-21;\nnothing", house.replace("IFC4", "IFC9")):
        with pytest.raises(ValueError, match="IFC|no level with a floor") as caught:
            read(text)
        assert "\n" not in str(caught.value)
    with pytest.raises(ValueError, match="within 16384 m"):
        read(house, origin=(1e6, 0.0))


def test_without_ifcopenshell_the_message_names_the_extra(monkeypatch, house):
    monkeypatch.setitem(sys.modules, "ifcopenshell", None)
    with pytest.raises(ValueError, match=r"pip install 'ecs-anim\[ifc\]'"):
        read(house)
