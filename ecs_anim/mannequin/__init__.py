"""The mannequin: a character that this package generates from code.

The command `python -m ecs_anim.mannequin` writes the model to `mannequin.glb`, and the textures of all outfits to
`people.png`.
"""

from pathlib import Path

PATH = Path(__file__).with_name("mannequin.glb")
# The picture with the textures of all outfits. Each figure has a column, and each colour set has a row.
LOOKS = Path(__file__).with_name("people.png")
