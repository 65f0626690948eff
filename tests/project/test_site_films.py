"""Films of the site: the gallery shows each scene, and a film is drawn once per scene and drawing code."""

import os
import re
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from ecs_anim.scenes.shipped import shipped_scenes
from tests.helpers import EXHAUSTIVE
from tests.project.documents import ROOT

SMALL = {"size": (96, 54), "seconds": 0.5, "fps": 20}


@pytest.fixture
def films(generators, tmp_path, monkeypatch):
    """Return the module that draws films, with an empty folder for films."""
    import films

    monkeypatch.setattr(films, "FOLDER", tmp_path / "films")
    return films


def test_the_gallery_has_a_section_with_picture_and_scene_file_per_scene(films, generators):
    page = generators.as_gallery((ROOT / "docs/shipped-scenes.md").read_text("utf-8"))
    sections = dict(re.findall(r"^### (\w+)\n(.*?)(?=^##|\Z)", page, re.DOTALL | re.MULTILINE))
    assert sorted(sections) == shipped_scenes()
    assert "| scene |" not in page
    for scene, section in sections.items():
        assert f'<img src="films/{scene}-' in section
        assert f"```toml\n{(ROOT / 'scenes' / scene).with_suffix('.toml').read_text('utf-8')}```" in section


def test_pictures_have_the_sizes_in_the_table_of_moments(films):
    for line in (ROOT / "docs/scenes/moments.txt").read_text("utf-8").splitlines():
        scene, _, size, picture = line.split()
        assert "{}x{}".format(*Image.open(ROOT / picture).size) == size
        assert films.scene_films()[scene].picture == picture


@EXHAUSTIVE
def test_a_film_shows_the_scene_from_its_moment_and_is_drawn_once(films):
    av = pytest.importorskip("av", reason="the video extra is not installed")
    film = replace(films.scene_films()["single"], **SMALL)
    films.draw(film)
    with av.open(film.path) as file:
        pictures = [frame.to_ndarray(format="rgb24").astype(int) for frame in file.decode(video=0)]
        assert float(file.duration) / av.time_base == pytest.approx(0.5)
    assert [picture.shape for picture in pictures] == [(54, 96, 3)] * 10
    shown = np.asarray(Image.open(ROOT / film.picture).resize(film.size)).astype(int)
    difference = [np.abs(picture - shown).mean() for picture in pictures]
    assert difference[0] == min(difference) < 6, "the first picture is the picture of the documents"
    assert np.abs(np.asarray(Image.open(film.poster)).astype(int) - pictures[0]).mean() < 6
    os.utime(film.path, (1, 1))
    films.draw(film)
    assert film.path.stat().st_mtime == 1


def test_a_change_of_scene_settings_or_drawing_code_is_another_film(films, tmp_path, monkeypatch):
    files = ["scenes/single.toml", "scenes/single.csv", "ecs_anim/gl/sky.glsl", "ecs_anim/view/lens.py"]
    others = ["scenes/plaza.toml", "ecs_anim/gl/__pycache__/sky.pyc", "ecs_anim/steering/goals.py"]
    monkeypatch.setattr(films, "ROOT", tmp_path)
    for name in files + others:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("before")
    film = films.Film("single", "single", 60, "docs/scenes/single.png")

    def path():
        films._digest_of_drawing.cache_clear()
        return film.path

    before = path()
    for name in others:
        (tmp_path / name).write_text("after")
        assert path() == before, name
    seen = {before, replace(film, frame=61).path}
    for name in files:
        (tmp_path / name).write_text("after")
        seen.add(path())
    films._digest_of_drawing.cache_clear()
    assert len(seen) == 2 + len(files)
