"""Sphinx configuration: Markdown pages, the furo theme, and no warning goes by."""

project = "hermes-sdk"
author = "The hermes-sdk authors"
project_copyright = "The hermes-sdk authors"
release = version = "0.1.0"

extensions = ["myst_parser"]
exclude_patterns = ["_build", "generate"]
html_theme = "furo"
html_title = "hermes-sdk"

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
"""Headings down to this level can be linked to."""
nitpicky = True
