"""Records of finished tasks. A record is the file `task.json` beside the files of the task."""

import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from ecs_anim.farm.plan import Kind as TaskKind
from ecs_anim.support.errors import InputError
from ecs_anim.support.files import Kind, MissingFile, read_bytes

RECORD = Kind("record of a task", "json_bytes")
LARGEST = 2**63 - 1  # largest integer of the table
PART = re.compile(r"[^/\\\0]+")  # one component of a file's path


def _within(name: str) -> str:
    parts = name.split("/")
    if not all(PART.fullmatch(part) for part in parts) or {".", ".."} & {*parts}:
        raise ValueError("each file that the record of a task lists must be in the folder of the task")
    return name


FileName = Annotated[str, Field(max_length=1000), AfterValidator(_within)]
Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Whole = Annotated[int, Field(ge=-LARGEST, le=LARGEST)]
Figure = bool | Whole | float | None


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Machine(_Table):
    """The machine that did the task."""

    model_config = ConfigDict(extra="allow", strict=True, frozen=True)

    name: str
    processor: str


class Record(_Table):
    """The record of a finished task."""

    key: str
    kind: TaskKind
    seed: Whole
    frames: tuple[Whole, Whole, Whole]
    files: dict[FileName, Digest | None]  # None for a file that differs between runs
    varying: dict[FileName, Digest] = {}  # digests of the files that differ between runs
    digest: Digest  # digest of all files
    figures: dict[str, Figure]
    machine: Machine
    renderer: str | None
    seconds: Annotated[float, Field(ge=0)]

    @model_validator(mode="after")
    def _is_whole(self) -> "Record":
        if digest_of(self.files) != self.digest or not self.varying.keys() <= self.files.keys():
            raise ValueError("the digest in the record does not match the files that the record lists")
        return self


def read_record(path: Path, key: str) -> Record | None:
    """Return the record of the task with the key `key`. If the file is missing, return None.

    Raises InputError for a damaged file, and for the record of another task. The message does not quote the file.
    """
    try:
        record = Record.model_validate_json(read_bytes(path, RECORD))
    except MissingFile:
        return None
    except ValidationError as error:
        raise _fault(path, _place(error)) from None
    if record.key != key:
        raise _fault(path, "the record of this result belongs to another task")
    return record


def digest_of(files: Mapping[str, str | None]) -> str:
    """Return one SHA-256 digest for all files of a task, computed from the names and digests of the files.

    Files without a digest are omitted.
    """
    return hashlib.sha256(json.dumps(sorted(digests_of(files).items())).encode()).hexdigest()


def digests_of(files: Mapping[str, str | None]) -> dict[str, str]:
    """Return a dictionary from file name to digest. Files without a digest are omitted."""
    return {name: digest for name, digest in files.items() if digest}


def _place(error: ValidationError) -> str:
    """Return the location and the type of an error in a record.

    The text quotes only keys of the record, never its values.
    """
    first: Any = error.errors(include_input=False, include_url=False)[0]
    if first["type"] == "json_invalid":
        return "the record must be JSON"
    known = [str(name) for name in first["loc"][:1] if name in Record.model_fields]
    return f"the key {known[0]!r} is missing or wrong" if known else "the file must be the record of a task"


def _fault(path: Path, problem: str) -> InputError:
    return InputError(f"{path}: {problem}. Remove the folder {path.parent}, and run the job again.")
