"""The README shows what ships; its examples run in `test_documents`."""

from pathlib import Path

from ecs_anim.scenes.loader import shipped_scenes

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text("utf-8")


def test_the_readme_shows_every_scene_that_ships():
    for scene in shipped_scenes():
        assert f"`{scene}`" in README


def test_help_names_every_scene_that_ships():
    from ecs_anim.commands.command_line import cli

    for scene in shipped_scenes():
        assert scene in (cli.help or "")
