"""Draw the films of the site into `build/films`.

`python docs/films.py` draws the film of the front page. With `--all`, the program also draws the film of each shipped
scene. The name of a film contains a hash of the scene, the drawing code and the settings of the film. If a film
with the present hash exists, the program does not draw the film again. If something that the hash does not include has
changed, remove `build/films` to draw all films again. The program needs the extra `video` and OpenGL.
"""

import hashlib
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from PIL import Image

import ecs_anim as ea
from ecs_anim.ecs.world import World
from ecs_anim.support.pictures import encoder_for

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "build/films"
DRAWING_CODE = ("ecs_anim/gl", "ecs_anim/view", "ecs_anim/mannequin")
STEP_RATE = 60  # [1/s]
POSTER_QUALITY = 80  # quality of JPEG, up to 100
CODEC = {"crf": "27", "preset": "slow", "x264-params": "cpu-independent=1"}


@dataclass(frozen=True)
class Film:
    """A film of a shipped scene. The film begins at the frame number `frame` of the scene."""

    name: str
    scene: str
    frame: int
    picture: str  # a PNG file of the repository, relative to ROOT
    size: tuple[int, int] = (480, 270)
    seconds: float = 4.0
    fps: int = 20
    camera: tuple[tuple[str, Any], ...] = ()  # changes of the main camera of the scene

    @property
    def path(self) -> Path:
        """The path of the MP4 file. The file exists if the program has drawn the film."""
        digest = hashlib.sha256(repr((self, CODEC)).encode() + _digest_of_drawing())
        for path in sorted((ROOT / "scenes").glob(f"{self.scene}.*")):
            digest.update(path.read_bytes())
        return FOLDER / f"{self.name}-{digest.hexdigest()[:12]}.mp4"

    @property
    def poster(self) -> Path:
        """The path of the first picture of the film: a JPEG file beside the MP4 file."""
        return self.path.with_suffix(".jpg")


# People walk past the fountain of the plaza. The camera is at the height of a raised hand.
FRONT = Film(
    "front",
    "plaza",
    900,
    "docs/plaza.png",
    (800, 450),
    5.0,
    30,
    (
        ("target", (0.0, 0.7, 0.0)),
        ("distance", 13.0),
        ("azimuth_degrees", 170.0),
        ("elevation_degrees", 6.0),
        ("vertical_fov_degrees", 34.0),
    ),
)


@cache
def scene_films() -> dict[str, Film]:
    """Return the film of each scene in `docs/scenes/moments.txt`, by the name of the scene."""
    lines = (ROOT / "docs/scenes/moments.txt").read_text("utf-8").splitlines()
    moments = [line.split() for line in lines]
    return {scene: Film(scene, scene, int(frame), picture) for scene, frame, _, picture in moments}


def draw(film: Film) -> None:
    """Draw a film if its file does not exist. First, delete outdated files of this film (other hashes)."""
    path = film.path
    if path.exists():
        return
    for outdated in FOLDER.glob(f"{film.name}-*"):
        outdated.unlink()
    FOLDER.mkdir(parents=True, exist_ok=True)
    print(f"drawing {path.name}", flush=True)
    with ea.load_scene(film.scene) as world:
        world.skip(film.frame, 1 / STEP_RATE)
        _write(film, world, path)


def _write(film: Film, world: World, path: Path) -> None:
    """Write an MP4 file that browsers can play during the download.

    `path` exists only after the file is complete.
    """
    partial = path.with_suffix(".partial")
    av = encoder_for(path)
    with ea.Renderer(film.size) as renderer, av.open(partial, "w", "mp4", options={"movflags": "faststart"}) as file:
        stream = file.add_stream("libx264", rate=film.fps, options=CODEC)
        stream.width, stream.height = film.size
        stream.pix_fmt = "yuv420p"
        for number in range(round(film.seconds * film.fps)):
            picture = renderer.render(world, dict(film.camera) or None)
            if number == 0:
                Image.fromarray(picture).save(film.poster, quality=POSTER_QUALITY)
            file.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
            world.skip(STEP_RATE // film.fps, 1 / STEP_RATE)
        file.mux(stream.encode(None))
    partial.replace(path)


@cache
def _digest_of_drawing() -> bytes:
    paths = [path for folder in DRAWING_CODE for path in (ROOT / folder).rglob("*") if path.is_file()]
    digest = hashlib.sha256()
    for path in sorted(path for path in paths if "__pycache__" not in path.parts):
        digest.update(path.read_bytes())
    return digest.digest()


if __name__ == "__main__":
    for wanted in (FRONT, *(scene_films().values() if "--all" in sys.argv[1:] else ())):
        draw(wanted)
