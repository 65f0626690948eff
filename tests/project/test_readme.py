"""The page of shipped scenes is complete, and the README is short. `test_documents` runs their examples."""

from pathlib import Path

from ecs_anim.scenes.shipped import shipped_scenes

ROOT = Path(__file__).resolve().parents[2]
README, SCENES = ((ROOT / name).read_text("utf-8") for name in ("README.md", "docs/shipped-scenes.md"))
MOST_WORDS = 900


def test_the_page_of_shipped_scenes_shows_every_one():
    for scene in shipped_scenes():
        assert f"![{scene}]" in SCENES
        assert f"`{scene}`" in SCENES


def test_the_readme_is_read_in_five_minutes():
    assert len(README.split()) <= MOST_WORDS


def test_help_names_every_scene_that_ships():
    from ecs_anim.commands.command_line import cli

    for scene in shipped_scenes():
        assert scene in (cli.help or "")
