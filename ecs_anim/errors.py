"""Errors that are the user's to fix, each told in one line."""


class InputError(Exception):
    """Wrong input: a file, a scene key, an option or a machine without OpenGL.

    The message is one line that names the place, the rule and the fix. The command line prints it and
    leaves with exit code 2; library users catch this one class.
    """

    def __init__(self, message: str) -> None:
        super().__init__(" ".join(message.split()))
