"""IR7: irops.toml, and [tool.irops] in pyproject.toml."""

from __future__ import annotations

from irops.diagnostics.rule import Rule, Severity

_WHERE = """Settings are read from irops.toml, or from the table [tool.irops] of pyproject.toml, whichever is
nearest from the current folder upwards."""

RULES: tuple[Rule, ...] = (
    Rule(
        "IR701",
        "malformed-settings",
        Severity.ERROR,
        "the file with the settings cannot be read",
        f"""The file is no TOML, or no text in UTF-8, or the system does not give its content. {_WHERE}
        Nothing is checked before they
are in order, lest a limit that was meant be missed.""",
    ),
    Rule(
        "IR702",
        "unknown-setting",
        Severity.ERROR,
        "a setting is nothing that can be set",
        f"""There are limits (a table, by name), select and ignore (lists of rules), strict (true or false)
        and baseline (the path of
a file, from the folder of the settings). {_WHERE}""",
    ),
    Rule(
        "IR703",
        "unfit-setting",
        Severity.ERROR,
        "a setting has a value that it cannot have",
        f"""Limits are numbers above 0, or texts such as "16G", "512M" and "inf"; rules are codes, beginnings
        of codes, or names, in
quotes. {_WHERE}""",
    ),
)
