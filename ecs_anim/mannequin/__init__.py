"""The project's own character, made by code: `python -m ecs_anim.mannequin` writes `mannequin.glb` and `people.png`."""

from pathlib import Path

PATH = Path(__file__).with_name("mannequin.glb")
LOOKS = Path(__file__).with_name("people.png")  # what people wear: a column a figure, a row a colouring
