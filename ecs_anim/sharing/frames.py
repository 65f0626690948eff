"""Shared pages inside other HTML pages, in frames. A frame has no access to the page around it, and loads nothing from
the network.
"""

from html import escape


def frame_of(page: str, title: str, style: str = "width: 100%; height: 100%; border: 0") -> str:
    """Return the HTML of a frame that contains a whole shared page. Screen readers read the title."""
    return (
        f'<iframe title="{escape(title)}" sandbox="allow-scripts allow-downloads" allow="fullscreen"'
        f' style="{escape(style)}" srcdoc="{escape(page)}"></iframe>'
    )
