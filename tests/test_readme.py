"""The README's examples run."""

import re
from pathlib import Path

import pytest

from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.loader import parse_scene, shipped_scenes

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text("utf-8")
SCENES = re.findall(r"```toml\n(.*?)```", README, re.DOTALL)


@pytest.mark.parametrize("text", [text for text in SCENES if "[[crowds]]" in text])
def test_scenes_in_the_readme_run(text):
    rigs = "" if "[rigs" in text else '[rigs.people]\nmodel = "mannequin"\n'
    with load_scene(parse_scene(rigs + text, "README.md", ROOT), actors=20, threads=1) as world:
        for _ in range(5):
            world.step(1 / 60)


def test_the_readme_shows_every_scene_that_ships():
    for scene in shipped_scenes():
        assert f"`{scene}`" in README


def test_pictures_that_the_readme_shows_are_there():
    for picture in re.findall(r"\]\(([\w/.-]+\.png)\)", README):
        assert (ROOT / picture).is_file(), picture


def test_help_names_every_scene_that_ships():
    from ecs_anim.commands.command_line import cli

    for scene in shipped_scenes():
        assert scene in (cli.help or "")
