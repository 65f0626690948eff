"""The `ecs-anim` command's way in and out. Imports are few here: until `main` runs, Ctrl-C is a traceback."""

import gc
import os
import signal
import sys
from types import FrameType

from ecs_anim.support.garbage import begin_start

INSISTS = 0.5  # [s] after which an interrupt that was swallowed comes again


def main() -> None:
    """Entry point of the console script."""
    came: list[int] = []
    begin_start()
    try:
        _raise_at_signals(came)
        _open_streams()
        from ecs_anim.commands.outcome import exit_code

        code = exit_code(sys.argv[1:])
    except BaseException:  # on its way through an import an interrupt may have become something else
        if not came:
            raise
        from ecs_anim.support.terminal import print_note

        print_note("stopped")
        code = 128 + came[0]  # as shells have it
    if came:
        _insist(0.0)
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # threads are being joined: no traceback any more
    gc.freeze()  # else all that there is would be searched for garbage once more
    sys.exit(code)


def _raise_at_signals(came: list[int]) -> None:
    """Let Ctrl-C and SIGTERM unwind the program, so that no unfinished file is left; a second one does not wait.

    C code that imports or calls back can swallow an exception. The exception is raised again until it propagates.
    """

    def leave(number: int, _: FrameType | None) -> None:
        signal.signal(number, signal.SIG_DFL)
        came.append(number)
        _insist(INSISTS)
        raise KeyboardInterrupt

    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):  # others are the caller's wish
            signal.signal(number, leave)


def _insist(seconds: float) -> None:
    """Raise the interrupt again every so many seconds, 0 = no more; Windows has no such clock."""
    if sys.platform != "win32":
        signal.signal(signal.SIGALRM, _raise_unless_under_way)
        signal.setitimer(signal.ITIMER_REAL, seconds, seconds)


def _raise_unless_under_way(_: int, __: FrameType | None) -> None:
    error = sys.exc_info()[1]  # of the code that cleans up
    while error and not isinstance(error, KeyboardInterrupt):
        error = error.__context__
    if not error:
        raise KeyboardInterrupt


def _open_streams() -> None:
    """A stream that the caller has closed leads nowhere: else the next file opened would get its number and its lines.

    Characters that an encoding does not have are written as escapes.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest number that is free: this one
    sys.stdout = sys.stdout or os.fdopen(1, "w", closefd=False)
    sys.stderr = sys.stderr or os.fdopen(2, "w", closefd=False)
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
