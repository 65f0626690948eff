"""The function `save_dataset`.

The function plans a data set, draws the pictures task by task, and joins the results.
"""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from ecs_anim.dataset.folder import Folder
from ecs_anim.dataset.join import join
from ecs_anim.dataset.label_formats import USUAL_FORMATS, BodyModel, DepthFormat, FlowFormat, Format, Segmentation
from ecs_anim.dataset.plan import make_plan
from ecs_anim.dataset.task import do_task
from ecs_anim.scenes.loader import SceneFile, Source, scene_of
from ecs_anim.scenes.vary import with_preset
from ecs_anim.support.arguments import width_and_height
from ecs_anim.support.checked import checked
from ecs_anim.support.progress import progress_told
from ecs_anim.support.reuse import Reuse
from ecs_anim.view.label_passes import USUAL_NAMES, PassName

FRAMES = range(120)


@checked
def save_dataset(
    source: Source | SceneFile,
    path: str | os.PathLike[str],
    *,
    seeds: range | Sequence[int] | None = None,
    frames: range | Sequence[int] = FRAMES,
    cameras: Sequence[str] | None = None,
    passes: Sequence[PassName] = USUAL_NAMES,
    formats: Sequence[Format] = USUAL_FORMATS,
    size: tuple[int, int] | None = None,
    actors: int | None = None,
    split: Sequence[float] | None = None,
    segmentation: Segmentation = "rle",
    depth_format: DepthFormat = "npz",
    flow_format: FlowFormat = "npz",
    poses: BodyModel | None = None,
    vary: Literal["wild"] | None = None,
    shard: tuple[int, int] | None = None,
    parts: Sequence[str | os.PathLike[str]] = (),
    threads: int | None = None,
    allow_code: bool = False,
) -> Path:
    """Write a data set into a folder: pictures for each seed, frame and camera, with labels for the actors.

        ea.save_dataset("station", "people", seeds=range(100), frames=range(0, 600, 30), size=(640, 360))

    `load_scene` describes the arguments `source`, `actors`, `threads` and `allow_code`. `capture` describes the
    arguments `size` and `passes`. The default of `seeds` is the seed of the scene. A frame number counts the steps of
    the world. `cameras` are names of cameras, and the default is all cameras of the scene. If a scene has no named
    camera, it has one default camera with the name "camera". `formats` are the label formats: "jsonl", "coco",
    "motchallenge", "yolo", "yolo_segment", "yolo_pose", "panoptic", "kitti", "webdataset" and "parquet".
    `segmentation` ("rle" or "polygons") is the form of masks in COCO files. `depth_format` ("npz", "exr" or "png") and
    `flow_format` ("npz", "flo" or "kitti") are file formats of these passes. `split` contains the shares of the seeds
    for training, validation and (optional) test, such as (0.8, 0.1, 0.1). With `poses` "smplx", labels also contain the
    SMPL-X poses of humanoids. With `vary` "wild", each seed also varies light, surfaces, cameras and clothes.
    With `shard` (1, 4), the function draws only the first of four parts of the seeds, and writes no label files. In a
    later call without `shard`, `parts` are the folders of all parts, whose pictures the function adds to the data set.
    docs/datasets.md describes the files.

    If a run stopped, call the function again with the same folder. After the second call, the folder contains the same
    files as after an uninterrupted run. Returns the folder's path. Raises InputError for disk errors, for a folder with
    other content, and for names that the scene does not have. Raises the errors of `load_scene` and `capture`. Raises
    ValueError or TypeError for other invalid arguments.
    """
    scene = with_preset(source if isinstance(source, SceneFile) else scene_of(source), vary)
    plan = make_plan(
        scene,
        seeds=seeds,
        frames=frames,
        cameras=cameras,
        passes=passes,
        formats=formats,
        size=None if size is None else width_and_height("size", size),
        actors=actors,
        split=split,
        segmentation=segmentation,
        depth_format=depth_format,
        flow_format=flow_format,
        poses=poses,
    )
    folder = Folder(Path(path), plan)
    tasks = [*plan.tasks()] if shard is None else plan.shard(*shard)
    folder.require_free()
    if not folder.is_whole():
        with folder.locked():
            folder.reopen()
            for part in parts:
                folder.add_part(Path(part))
            with Reuse().shared(), progress_told(len(tasks) * len(plan.frames), "drawing") as advance:
                for task in tasks:
                    do_task(scene, folder, task, threads=threads, allow_code=allow_code, advance=advance)
            if shard is None:
                join(folder)
    if shard is None:
        folder.finish()
    return folder.path
