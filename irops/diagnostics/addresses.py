"""Where irops is on the web. Both are empty until somebody publishes irops: docs/versioning.md says how.

Without them, pages and reports name `irops explain CODE` and the paths of files in place of links.
"""

SITE = ""
"""The folder of the site, without a slash at its end; in it is a folder for each version."""
REPOSITORY = ""
"""The page of the repository, without a slash at its end, as "https://host/owner/irops"."""
BRANCH = "main"
