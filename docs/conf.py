"""Configuration of Sphinx, which builds the website from docs/ (`./dev docs`)."""

import importlib.metadata
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

project = "ecs-anim"
author = "The ecs-anim founders"
copyright = author
release = importlib.metadata.version("ecs-anim")

extensions = ["myst_parser", "sphinx.ext.autodoc", "pages_from_code"]
exclude_patterns = ["pages_from_code"]
nitpick_ignore_regex = [("py:.*", ".*")]  # types in signatures: numpy types and internal types
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_preserve_defaults = True
myst_heading_anchors = 3

html_theme = "furo"
html_title = f"ecs-anim {release}"
html_copy_source = False
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = [("copy.js", {"defer": "defer"}), ("films.js", {"defer": "defer"})]
html_search_scorer = str(Path(__file__).parent / "search_scorer.js")
smartquotes = False  # tables from the schema can contain code without backticks
