"""`ecs-anim view` shows any file that the program can read."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.rig import Rig
from ecs_anim.commands.outputs import tell_pictures
from ecs_anim.commands.plan import Plan, each_given, picture_output
from ecs_anim.commands.run import RunOptions, run_scene
from ecs_anim.commands.snapshots import scene_of_snapshot
from ecs_anim.commands.walk import WalkOptions, walk_file
from ecs_anim.gl.device.context import display_available
from ecs_anim.rigs.exposed import Part, exposed, in_bind_pose, with_bones
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.contact_marks import with_contact_marks
from ecs_anim.scenes.plan_views import plan_scene
from ecs_anim.scenes.rig_pictures import render
from ecs_anim.scenes.rigs import MODEL_NAMES, clips_of, load_model
from ecs_anim.scenes.shipped import shipped_scenes
from ecs_anim.scenes.studio import Studio, height_of, is_plausible, studio_of
from ecs_anim.support.captions import with_caption
from ecs_anim.support.files import WrongType, file_type
from ecs_anim.support.known_types import Family
from ecs_anim.support.pictures import frame_rate_for, save_png
from ecs_anim.support.terminal import print_note
from ecs_anim.systems.filming import Pace, film
from ecs_anim.systems.queries import stage_of

MOMENT = 0.4  # time of the pose in a picture of a clip, as a share of the clip's duration
WANTED = "model, motion, bake, recording, plan, scene or snapshot"


@dataclass(frozen=True)
class ViewOptions:
    """The options of the command."""

    file: str
    clips: tuple[str, ...] = ()  # names; empty = all clips
    part: Part | Literal["contacts"] = "surface"
    bind_pose: bool = False
    size: tuple[int, int] | None = None  # [pixels]; None = 1280 x 720, or the size of the scene's camera
    seconds: float | None = None  # length of a film; None = all clips once
    fps: int | None = None  # [1/s]; None = the rate of the file format
    out: Path | None = None  # None = a window, or without a display a picture

    @property
    def pixels(self) -> tuple[int, int]:
        """The size of pictures of models."""
        return self.size or (1280, 720)

    @property
    def picture(self) -> Path | None:
        """The path of the pictures, or None if the command opens a window."""
        if self.out is None and display_available():
            return None
        return self.out or Path(f"{Path(self.file).stem}.png")


def view_file(options: ViewOptions) -> None:
    """Execute `ecs-anim view`. Raises InputError for wrong input."""
    family = _family(options.file)
    if family in _OF_MODELS:
        _view_model(options, _OF_MODELS[family](options.file))
        return
    rule = "{option} needs a model, a motion or a bake. Leave out {option}"
    given = {"--clip": options.clips, "--show": options.part != "surface", "--bind-pose": options.bind_pose}
    Plan(problems=tuple(each_given(given, rule))).check()
    _OF_WORLDS[family](options)


def _family(name: str) -> Family:
    """Return the family of file types of a file.

    `name` is the path of a file, or the name of a built-in model or of a shipped scene.
    """
    if name in MODEL_NAMES:
        return "model"
    if name in shipped_scenes():
        return "scene"
    found = file_type(Path(name))
    family: Family = "scene" if found.family == "toml" else found.family
    if family not in _OF_MODELS and family not in _OF_WORLDS:
        raise WrongType(Path(name), found, WANTED)
    return family


def _load_model(name: str) -> Rig:
    return load_model(name)


def _load_bake(name: str) -> Rig:
    from ecs_anim.bake.file import load_bake
    from ecs_anim.scenes.baked_rigs import rig_of

    return rig_of(load_bake(name))


def _view_model(options: ViewOptions, rig: Rig) -> None:
    path = options.picture
    outputs = () if path is None else picture_output(path, options.pixels, options.fps)
    films = {"--fps": options.fps, "--seconds": options.seconds} if path is None or path.suffix == ".png" else {}
    both = options.bind_pose and options.clips
    problems = [
        *each_given(films, "{option} needs a film. Name a film with --out"),
        *(["--bind-pose must not be given with --clip. Leave out one of these options"] if both else []),
    ]
    Plan((options.file,), outputs, tuple(problems)).check()
    clips = (
        [] if options.bind_pose or not rig.clips else [clip.name for clip in clips_of(rig, options.file, options.clips)]
    )
    shown = _exposed(in_bind_pose(rig) if options.bind_pose else rig, options.part)
    _tell_size(options.file, rig if rig.meshes else shown)
    if path is None:
        _show(options, studio_of(shown, clips, options.pixels[0] / options.pixels[1]))
    elif path.suffix.lower() == ".png":
        save_png(path, _sheet(options, shown, clips))
        tell_pictures(path, asked=options.out is not None)
    else:
        _film(options, path, studio_of(shown, clips, options.pixels[0] / options.pixels[1]))


def _exposed(rig: Rig, part: Part | Literal["contacts"]) -> Rig:
    if part != "contacts":
        return exposed(rig, part)
    return with_contact_marks(rig if rig.meshes else with_bones(rig))


def _sheet(options: ViewOptions, rig: Rig, clips: list[str]) -> NDArray[np.uint8]:
    """Return a picture with one pose of each clip, or of the rest pose if there are no clips."""
    if not clips:
        return render(rig, options.pixels)
    shown = [rig.clips[name] for name in clips]
    poses = [rig.posed(clip.sample(clip.start + MOMENT * clip.duration)) for clip in shown]
    return render(poses, options.pixels, captions=clips)


def _film(options: ViewOptions, path: Path, studio: Studio) -> None:
    """Write a film that shows all clips one after the other. Each picture shows the name of its clip."""
    with load_scene(studio.scene) as world:
        rate = stage_of(world).frame_rate
        fps = options.fps or frame_rate_for(path, rate)
        pace = Pace.of(options.seconds or studio.seconds, fps, 1.0, rate)
        film(
            world,
            pace,
            path,
            size=options.pixels,
            addition=lambda frame, seconds: with_caption(frame, studio.clip_at(seconds)),
        )
    tell_pictures(path, asked=True)


def _show(options: ViewOptions, studio: Studio) -> None:
    from ecs_anim.commands.window import show_in_window

    with load_scene(studio.scene) as world:
        show_in_window(world, options.pixels, None, text=lambda: studio.clip_at(world.time))


def _tell_size(file: str, rig: Rig) -> None:
    """If the height of a model is implausible in metres, print a note that suggests the key `height`."""
    if not is_plausible(rig):
        height = height_of(rig)
        print_note(
            f"{file}: the model is {height:.3g} m tall, if its unit is the metre. In a scene, set the height of the "
            "model in metres: height = 1.7 fits an adult person"
        )


def _view_scene(options: ViewOptions) -> None:
    run_scene(_run_options(options, options.file))


def _view_snapshot(options: ViewOptions) -> None:
    """Show the world of a snapshot. The scene that the snapshot names must still exist."""
    path = Path(options.file)
    run_scene(_run_options(options, scene_of_snapshot(path), path))


def _run_options(options: ViewOptions, scene: str, snapshot: Path | None = None) -> RunOptions:
    """Return the options with which `ecs-anim run` shows the scene. If the user requests a picture, the picture shows
    the first frame.
    """
    path = options.picture
    is_picture = path is not None and path.suffix.lower() == ".png"
    return RunOptions(
        scene,
        frames=1 if is_picture else None,
        seconds=options.seconds,
        size=options.size,
        out=path,
        fps=options.fps,
        from_snapshot=snapshot,
    )


def _view_recording(options: ViewOptions) -> None:
    walk_file(
        WalkOptions(Path(options.file), size=options.pixels, seconds=options.seconds, fps=options.fps, out=options.out)
    )


def _view_plan(options: ViewOptions) -> None:
    """Show the walls of a plan from above, with a person for scale."""
    path = options.picture
    Plan((options.file,), () if path is None else picture_output(path, options.pixels, options.fps)).check()
    with load_scene(plan_scene(Path(options.file), options.pixels[0] / options.pixels[1])) as world:
        if path is None:
            from ecs_anim.commands.window import show_in_window

            show_in_window(world, options.pixels, None)
            return
        rate = stage_of(world).frame_rate
        pace = Pace.of(options.seconds or 1 / rate, options.fps or frame_rate_for(path, rate), 1.0, rate)
        film(world, pace, path, size=options.pixels)
    tell_pictures(path, asked=options.out is not None)


_OF_MODELS: dict[Family, Callable[[str], Rig]] = {
    "model": _load_model,
    "json": _load_model,
    "motion": _load_model,
    "bake": _load_bake,
}
_OF_WORLDS: dict[Family, Callable[[ViewOptions], None]] = {
    "scene": _view_scene,
    "snapshot": _view_snapshot,
    "trajectories": _view_recording,
    "plan": _view_plan,
}
