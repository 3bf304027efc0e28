"""Pages of HTML from templates."""
