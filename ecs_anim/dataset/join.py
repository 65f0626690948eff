"""The files that describe all pictures of a data set.

The files combine the records of all tasks in the order of the tasks.
"""

import warnings
from contextlib import ExitStack
from typing import Any

from ecs_anim.dataset.contact_sheet import ContactSheet
from ecs_anim.dataset.folder import Folder
from ecs_anim.dataset.formats.output import FormatWriter, Output
from ecs_anim.dataset.label_formats import BY_NAME
from ecs_anim.dataset.output import MANIFEST, SHEET, write_data, write_file
from ecs_anim.dataset.plan import Moment
from ecs_anim.support.errors import InputError, InputWarning
from ecs_anim.view.label_passes import CLASSES


def join(folder: Folder) -> None:
    """Write the files of all label formats, the contact sheet, and finally the manifest.

    The manifest marks the data set as complete.

    Raises InputError for a missing record and for disk errors.
    """
    plan, sheet = folder.plan, ContactSheet(folder.plan)
    pictures = annotations = 0
    digests: dict[str, str] = {}
    with ExitStack() as stack:
        output = Output(folder.path, digests, stack)
        writers: list[FormatWriter] = [BY_NAME[name].new_writer(plan, output) for name in plan.formats]
        for task in plan.tasks():
            for moment in task.moments:
                record = _record(folder, moment)
                digests |= record["files"]
                for label in record["labels"]:
                    pictures += 1
                    annotations += sum(actor["area"] > 0 for actor in label["actors"])
                    sheet.add(label)
                    for writer in writers:
                        writer.add(label)
        for writer in writers:
            writer.finish()
    if not annotations:
        warnings.warn(
            InputWarning(f"{folder.path}: no picture shows an actor. Move the camera, or choose later frames"),
            stacklevel=2,
        )
    if "rgb" in plan.passes:
        digests[SHEET] = write_file(folder.path / SHEET, sheet.png(folder.path))
    told = {"classes": CLASSES, "pictures": pictures, "annotations": annotations}
    manifest = plan.header() | told | {"files": dict(sorted((digests | output.digests()).items()))}
    write_data(folder.path / MANIFEST, manifest)


def _record(folder: Folder, moment: Moment) -> dict[str, Any]:
    record = folder.record(moment)
    if record is None:
        raise InputError(
            f"{folder.path}: the record of picture {moment.number} (frame {moment.frame}) is missing. Start the data"
            " set again."
        )
    return record
