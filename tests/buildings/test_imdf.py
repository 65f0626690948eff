"""IMDF archives against one GeoJSON text with the same features, and archives that the reader rejects."""

import io
import json
import zipfile

import pytest

from ecs_anim.buildings.read import BuildingOptions, read_building
from ecs_anim.support.archives import MOST_MEMBERS
from tests.builders.buildings import collection, feature, imdf_archive, imdf_features, in_degrees
from tests.helpers.command import ecs_anim

OTHER = feature(None, {"category": "postal"}, feature_type="address")  # the reader does not need this feature
SCENE = """
[building]
file = "mall.zip"
[rigs.people]
model = "mannequin"
[[crowds]]
rig = "people"
count = 4
layout = { kind = "grid", spacing = 1.0, center = [4.0, 2.0], level = "Ground" }
"""


def read(data, **options):
    return read_building(data, BuildingOptions(**options))


def packed(files, **packing):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", **packing) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return data.getvalue()


@pytest.mark.parametrize("folder", ["", "mall/"])
@pytest.mark.parametrize("features", [imdf_features(), in_degrees(imdf_features())], ids=["metres", "degrees"])
def test_an_archive_is_the_same_building_as_its_features_in_one_text(features, folder):
    joined = read(collection([own for own in features if own["feature_type"] != "venue"]))
    found = read(imdf_archive([*features, OTHER], folder))
    assert found.tables == joined.tables
    assert found.areas == joined.areas
    assert found.ignored == {}
    assert [own["name"] for own in found.tables["levels"]] == ["Ground", "First"]
    assert len(found.tables["stairs"]) == len(found.tables["lifts"]) == 1


@pytest.mark.exhaustive
def test_commands_read_an_archive(tmp_path):
    (tmp_path / "mall.zip").write_bytes(imdf_archive(imdf_features()))
    (tmp_path / "mall.toml").write_text(SCENE)
    shown = json.loads(ecs_anim("inspect", str(tmp_path / "mall.zip"), "--json").stdout)
    assert [own["name"] for own in shown["levels"]] == ["Ground", "First"]
    assert ecs_anim("check", str(tmp_path / "mall.toml")).returncode == 0


LEVELS = collection([own for own in imdf_features() if own["feature_type"] == "level"])
WHOLE = imdf_archive(imdf_features(), compression=zipfile.ZIP_STORED)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (packed({"unit.geojson": LEVELS}), "the archive must contain the file level.geojson"),
        (packed({"level.geojson": LEVELS, "unit.geojson": "{"}), "'unit.geojson': the file must be JSON"),
        (packed({"level.geojson": "[]"}), "'level.geojson': a building must be a GeoJSON object"),
        (packed({"level.geojson": '{"type": "FeatureCollection", "features": [1]}'}), "'level.geojson': features.0."),
        (packed({"level.geojson": b"\xff\xfe"}), "'level.geojson' must be UTF-8 text"),
        (packed({"level.geojson": LEVELS}, compression=zipfile.ZIP_LZMA), "the usual compression"),
        (packed({"level.geojson": LEVELS} | {f"{n}": "" for n in range(MOST_MEMBERS)}), "at most 1,000 files"),
        (WHOLE[:-60], "the file must be a valid zip archive"),
        (WHOLE.replace(b'"ordinal": 1', b'"ordinal": 2'), "the file must be a valid zip archive .*CRC"),
    ],
)
def test_wrong_archives_are_rejected_in_one_line(data, says):
    with pytest.raises(ValueError, match=says):
        read(data)


def test_an_archive_unpacks_only_to_the_limit_of_a_plan(monkeypatch):
    """Blanks compress well: 300 kB become a few hundred bytes. An archive that states a smaller size is damaged."""
    bomb = packed({"level.geojson": " " * 300_000 + LEVELS}, compression=zipfile.ZIP_DEFLATED)
    assert len(bomb) < 3000
    assert read(bomb).tables["levels"]
    monkeypatch.setenv("ECS_ANIM_LIMIT_PLAN_BYTES", "200000")
    with pytest.raises(ValueError, match="have 300,... bytes of plan, but the limit is 200,000"):
        read(bomb)
    size = (300_000 + len(LEVELS)).to_bytes(4, "little")
    with pytest.raises(ValueError, match="the file must be a valid zip archive"):
        read(bomb.replace(size, (1000).to_bytes(4, "little")))
