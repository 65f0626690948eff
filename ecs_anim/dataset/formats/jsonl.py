"""The format `jsonl`: one line of JSON for each picture, and the schema of a line."""

import json

from ecs_anim.dataset.formats.output import Output
from ecs_anim.dataset.output import LABELS, SCHEMA
from ecs_anim.dataset.plan import Plan
from ecs_anim.labels.coco import Label
from ecs_anim.labels.schema import json_schema


class JsonLines:
    """Writer of labels.jsonl."""

    def __init__(self, plan: Plan, output: Output) -> None:
        self._file = output.begin(LABELS)
        output.write(SCHEMA, (json.dumps(json_schema(), indent=1) + "\n").encode())

    def add(self, label: Label) -> None:
        """Write a line."""
        self._file.write((json.dumps(label) + "\n").encode())

    def finish(self) -> None:
        """Do nothing: each line is already written."""
