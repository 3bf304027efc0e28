"""The configuration of Sphinx for all HTML that irops writes."""

import os

import irops

project = os.environ.get("IROPS_DOCS_TITLE", "irops")
author = "The irops authors"
project_copyright = author
version = release = irops.__version__

extensions = ["myst_parser", "sphinx_copybutton", "irops.document.sphinx.navigation"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build"]
nitpicky = False
smartquotes_action = "qe"  # quotes and ellipses: -- begins an option
highlight_language = "none"
suppress_warnings = ["config.cache"]

myst_enable_extensions = ["attrs_inline", "colon_fence", "deflist"]
myst_heading_anchors = 4
myst_url_schemes = ("http", "https", "mailto")

html_theme = "furo"
is_irops = project == irops.__name__
html_title = f"{project} {version}" if is_irops else project
html_show_copyright = is_irops
html_baseurl = os.environ.get("IROPS_DOCS_URL", "")
html_static_path = [os.path.join(os.path.dirname(__file__), "static")]
html_css_files = ["irops.css"]
html_js_files = ["reachable.js", "filter.js"]
templates_path = [os.path.join(os.path.dirname(__file__), "templates")]
html_additional_pages = {"404": "404.html"}
html_context = {"baseurl": html_baseurl}
html_search_scorer = os.path.join(os.path.dirname(__file__), "scorer.js")
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_last_updated_fmt = None
html_theme_options = {"navigation_with_keys": True, "top_of_page_buttons": []}

if html_baseurl:
    extensions.append("sphinx_sitemap")
    sitemap_url_scheme = "{link}"
    sitemap_show_lastmod = False
    sitemap_excludes = ["404.html", "search.html", "genindex.html"]

if os.environ.get("IROPS_DOCS_API"):
    extensions += ["sphinx.ext.autodoc", "irops.document.sphinx.docstrings"]
    autodoc_member_order = "bysource"
    autodoc_typehints = "signature"
    autodoc_typehints_format = "short"
    autodoc_class_signature = "separated"
    python_use_unqualified_type_names = True
    python_display_short_literal_types = True
    maximum_signature_line_length = 88
    add_module_names = False
