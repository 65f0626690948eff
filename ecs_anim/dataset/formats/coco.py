"""The format `coco`: instances and keypoints of all pictures, or of each split."""

from ecs_anim.dataset.formats.output import Output, paths_of_splits
from ecs_anim.dataset.output import ANNOTATIONS
from ecs_anim.dataset.plan import Plan
from ecs_anim.labels.coco import CocoFile, Label

INSTANCES, KEYPOINTS = f"{ANNOTATIONS}/instances", f"{ANNOTATIONS}/keypoints"


class Coco:
    """Writer of the COCO files."""

    def __init__(self, plan: Plan, output: Output) -> None:
        info = {"description": f"{plan.scene}, made by ecs-anim", "version": plan.versions["ecs-anim"]}
        self._files: dict[str | None, list[CocoFile]] = {}
        for name in (INSTANCES, KEYPOINTS):
            for split, path in paths_of_splits(plan, name):
                write = output.begin(path).write
                file = CocoFile(write, info, keypoints=name == KEYPOINTS, polygons=plan.polygons)
                self._files.setdefault(split, []).append(file)

    def add(self, label: Label) -> None:
        """Add a picture to the files of its split."""
        for file in self._files[label["split"]]:
            file.add(label)

    def finish(self) -> None:
        """Complete all files."""
        for files in self._files.values():
            for file in files:
                file.finish()
