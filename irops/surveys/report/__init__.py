"""The report of a survey: index.html and a page for each model with findings, which open without network."""
