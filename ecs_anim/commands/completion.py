"""Shell completion for the names of shipped scenes.

The library click completes all other words: the names of files, choices and options.
"""

import click
from click.shell_completion import CompletionItem


def shipped_names(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the names of shipped scenes that begin with `incomplete`."""
    from ecs_anim.scenes.shipped import shipped_scenes

    return [CompletionItem(name) for name in shipped_scenes() if name.startswith(incomplete)]


def scenes_and_files(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return completions for an argument that names a scene or a file: the names of shipped scenes, and an item with
    which the shell adds the files of the current folder.
    """
    return [CompletionItem(incomplete, type="file"), *shipped_names(context, parameter, incomplete)]
