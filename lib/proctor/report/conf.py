"""Sphinx's configuration of the book; `make site` runs Sphinx with it (site.py)."""

import os
from pathlib import Path

project = "Proctor"
author = "The Proctor authors"
html_title = "Proctor"
extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "proctor.report.site"]
autodoc_default_options = {"members": True, "member-order": "bysource"}
autodoc_use_type_comments = False
autosummary_generate = False
suppress_warnings = ["ref.python"]  # two classes of one name: a signature links neither
toc_object_entries = False
add_module_names = False
nb_execution_mode = "off"
nb_render_markdown_format = "myst"
nb_ipywidgets_js: dict = {}
nb_output_stderr = "remove"  # progress bars
nb_render_image_options = {"alt": "A figure of this notebook"}  # that has no name
nb_code_prompt_show = "Show code"
nb_code_prompt_hide = "Hide code"
myst_enable_extensions = ["dollarmath", "amsmath"]
myst_fence_as_directive = ["math"]  # as previews write formulas
myst_heading_anchors = 4
myst_update_mathjax = False
myst_all_links_external = True  # they are led, and checked, when all pages are there
exclude_patterns = ["figures", "docs/*/**"]
html_math_renderer = "mathml"
smartquotes = False
html_theme = "sphinx_book_theme"
templates_path = ["site_templates"]  # its layout.html
html_static_path = ["site_static"]
html_css_files = ["site.css"]
html_js_files = [("site.js", {"defer": "defer"}), ("explore.js", {"defer": "defer"})]
html_search_scorer = str(Path(__file__).with_name("site_static") / "scorer.js")
html_favicon = "site_static/mark.svg"
html_copy_source = False
html_show_sourcelink = False
html_use_index = False
html_domain_indices = False
# where the book will stand, e.g. https://example.org/proctor
html_context = {"default_mode": "auto", "site_address": os.environ.get("PROCTOR_SITE", "").rstrip("/")}
html_theme_options = {
    "logo": {
        "text": "Proctor",
        "image_light": "_static/mark.svg",
        "image_dark": "_static/mark.svg",
        "alt_text": "",
    },
    "use_download_button": False,
    "use_fullscreen_button": False,
    "toc_title": "On this page",
    "navbar_start": [],
    "navbar_center": [],
    "navbar_end": [],
    "navbar_persistent": [],
    "secondary_sidebar_items": {"catalog": [], "figures": [], "protocols/index": [], "**": ["page-toc"]},
}
