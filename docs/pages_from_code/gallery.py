"""Generate the film of the front page and the gallery of shipped scenes.

`docs/films.py` draws the films. If a film does not exist, the page shows a picture of the scene.
"""

import re
import shutil
from html import escape
from pathlib import Path
from typing import Any

from films import FRONT, POSTER_QUALITY, ROOT, Film, scene_films
from PIL import Image

from ecs_anim.scenes.shipped import shipped_text

PAGE = "shipped-scenes"
HEAD = "| scene | shows |\n| --- | --- |\n"
ROW = re.compile(r"^\| !\[(\w+)\]\(.*?\) \| `\1`: (.*) \|$", re.MULTILINE)


def front_film() -> str:
    """Return the film of the front page as HTML."""
    return _shown(FRONT, "People walk past a fountain on a square, stand and talk", "data-autoplay preload=auto")


def as_gallery(text: str) -> str:
    """Return the text of the page of shipped scenes, in which a section replaces each row of the table.

    The section of a scene contains the film, the description and the scene file.
    """
    return ROW.sub(lambda row: _section(*row.groups()), text.replace(HEAD, ""))


def copy_films(app: Any, error: Exception | None) -> None:
    """Copy the films, and the first picture of each film, into the site."""
    if error is not None or app.builder.format != "html":
        return
    folder = Path(app.outdir, "films")
    folder.mkdir(exist_ok=True)
    for film in (FRONT, *scene_films().values()):
        if film.path.exists():
            shutil.copy(film.path, folder)
            shutil.copy(film.poster, folder)
        else:
            picture = Image.open(ROOT / film.picture).convert("RGB").resize(film.size)
            picture.save(folder / film.poster.name, quality=POSTER_QUALITY)


def _section(scene: str, shows: str) -> str:
    film, shows = scene_films()[scene], shows[0].upper() + shows[1:]
    return (
        f"### {scene}\n\n{shows}\n\n{_shown(film, shows, 'preload=none')}\n\n"
        f"<details><summary><code>{scene}.toml</code></summary>\n\n```toml\n{shipped_text(scene)}```\n\n</details>\n"
    )


def _shown(film: Film, shows: str, options: str) -> str:
    """Return a film player in HTML. If the film does not exist, return the picture of the scene."""
    width, height = film.size
    sized, poster = f"width={width} height={height}", f"films/{film.poster.name}"
    if not film.path.exists():
        return f'<div class="film"><img src="{poster}" {sized} loading="lazy" alt="{escape(shows)}"></div>'
    return (
        f'<div class="film"><video src="films/{film.path.name}" poster="{poster}" {sized} {options}'
        f' controls muted loop playsinline aria-label="{escape(shows)}"></video></div>'
    )
