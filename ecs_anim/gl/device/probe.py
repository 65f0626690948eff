"""`python -m ecs_anim.gl.device.probe`: print the OpenGL of a headless run.

The exit code is 2 if no OpenGL is available.
"""

import sys

from ecs_anim.gl.device.context import open_headless
from ecs_anim.support.errors import InputError
from ecs_anim.support.terminal import print_line, print_note


def main() -> int:
    """Print one line about the headless OpenGL, and return the exit code."""
    try:
        with open_headless() as context:
            print_line(context.capabilities.summary)
    except InputError as error:
        print_note(f"ecs-anim: {error}")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
