"""The project's own character, made by code: `python -m ecs_anim.mannequin` writes `mannequin.glb`."""

from pathlib import Path

PATH = Path(__file__).with_name("mannequin.glb")
