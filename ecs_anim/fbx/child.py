"""The child process that converts FBX to binary glTF. A damaged file can crash ufbx, or make it slow.

The child process reads the file from standard input and writes the glTF file to standard output. Its memory and its
processor time are limited. A crash ends only the child process.
"""

import sys
from importlib.util import find_spec

from ecs_anim.support.budgets import limit
from ecs_anim.support.child import REFUSED, answer, called_in_child, refuse
from ecs_anim.support.limits import lower_limits

ATTEMPT = "ecs_anim.fbx.child:attempt"
SLOWEST = 60  # [s] of processor time
BUSIEST = 300  # [s], waiting time on a busy machine
MOST_MEMORY = 2 << 30  # [byte], in addition to the memory of the libraries
AGAIN = "Export the model again, or convert it to glTF in Blender"


def to_glb(data: bytes, name: str) -> bytes:
    """Return the bytes of a .glb file with the content of the FBX file `data`. `name` is the name of the file without
    its ending. Raises ValueError with the problem and the fix.
    """
    if find_spec("ufbx") is None:
        raise ValueError("the FBX file needs ufbx. Install ufbx with pip install 'ecs-anim[fbx]'.")
    code, told = called_in_child(ATTEMPT, name, data=data)
    if code == REFUSED:
        raise ValueError(told.decode("utf-8", "replace"))
    if code:
        raise ValueError(f"the FBX file is damaged or too large, because ufbx crashes or hangs. {AGAIN}.")
    return told


def attempt(name: str) -> None:
    """Convert standard input in this process (the child process), and end the process."""
    from ecs_anim.fbx.convert import converted

    lower_limits(MOST_MEMORY, SLOWEST, BUSIEST)
    try:
        made = converted(sys.stdin.buffer.read(), name)
    except MemoryError:
        refuse(f"the FBX file needs more than {MOST_MEMORY >> 30} GB of memory. {AGAIN}.")
    except Exception as error:  # ufbx has a class of errors for each problem
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        refuse(f"the FBX file cannot be read ({reason}). {AGAIN}.")
    if len(made) > limit("model_bytes"):
        refuse(f"the FBX file is too large as glTF ({len(made):,} bytes). {AGAIN}.")
    answer(made)
