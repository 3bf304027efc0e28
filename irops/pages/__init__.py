"""Pages of HTML from templates: values enter, escaped text in one file leaves, which needs no network."""
