"""Entry and exit of the `ecs-anim` command.

This module has few imports, because Ctrl-C during an import would print a traceback.
"""

import gc
import os
import signal
import sys
from types import FrameType

from ecs_anim.support.garbage import begin_start

INSISTS = 0.5  # [s], time between two interrupts; the program repeats interrupts because C code can ignore an interrupt


def main() -> None:
    """Run the `ecs-anim` command, and end the process with the exit code of the command."""
    came: list[int] = []
    begin_start()
    try:
        _raise_at_signals(came)
        _open_streams()
        from ecs_anim.commands.outcome import exit_code

        code = exit_code(sys.argv[1:])
    except BaseException:  # an interrupt during an import can become another exception
        if not came:
            raise
        from ecs_anim.support.terminal import print_note

        print_note("stopped")
        code = 128 + came[0]  # usual exit code for a signal
    if came:
        _insist(0.0)
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # interrupts while threads end must not print a traceback
    gc.freeze()  # prevents a last garbage collection of all objects
    sys.exit(code)


def _raise_at_signals(came: list[int]) -> None:
    """Let Ctrl-C and SIGTERM raise KeyboardInterrupt, so that the program can remove unfinished files.

    A second Ctrl-C or SIGTERM ends the process immediately.

    C code that imports a module or calls Python can ignore KeyboardInterrupt. Therefore, a timer raises
    KeyboardInterrupt again until KeyboardInterrupt reaches the top level of the program.
    """

    def leave(number: int, _: FrameType | None) -> None:
        signal.signal(number, signal.SIG_DFL)
        came.append(number)
        _insist(INSISTS)
        raise KeyboardInterrupt

    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):  # handlers of the caller stay
            signal.signal(number, leave)


def _insist(seconds: float) -> None:
    """Raise KeyboardInterrupt again every `seconds` seconds.

    If `seconds` is 0, the timer stops. On Windows, the function does nothing, because Windows has no such timer.
    """
    if sys.platform != "win32":
        signal.signal(signal.SIGALRM, _raise_unless_under_way)
        signal.setitimer(signal.ITIMER_REAL, seconds, seconds)


def _raise_unless_under_way(_: int, __: FrameType | None) -> None:
    error = sys.exc_info()[1]  # exception of the code that cleans up
    while error and not isinstance(error, KeyboardInterrupt):
        error = error.__context__
    if not error:
        raise KeyboardInterrupt


def _open_streams() -> None:
    """Open null devices in place of closed standard streams, and make standard output and standard error print all text
    without encoding errors.

    Without a null device, the next opened file could get the number of a closed stream. The text for the closed stream
    would then go to this file. If the encoding of a stream does not contain a character, the stream writes an escape
    sequence instead.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest free number, which is this number
    sys.stdout = sys.stdout or os.fdopen(1, "w", closefd=False)
    sys.stderr = sys.stderr or os.fdopen(2, "w", closefd=False)
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
