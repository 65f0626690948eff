"""Report of the available OpenGL. Call: `python -m ecs_anim.gl.device.probe`.

The program prints the OpenGL version of a context without a display. If no OpenGL is available, the exit code is 2.
"""

import sys

from ecs_anim.gl.device.context import open_headless
from ecs_anim.support.errors import InputError
from ecs_anim.support.terminal import print_line, print_note


def main() -> int:
    """Print one line about the OpenGL context without a display. Return the exit code."""
    try:
        with open_headless() as context:
            print_line(context.capabilities.summary)
    except InputError as error:
        print_note(f"ecs-anim: {error}")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
