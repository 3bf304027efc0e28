"""IR7: irops.toml, and [tool.irops] in pyproject.toml."""

from __future__ import annotations

from irops.diagnostics.rule import Rule, Severity

RULES: tuple[Rule, ...] = (
    Rule(
        "IR701",
        "malformed-settings",
        Severity.ERROR,
        "the settings file cannot be read",
        """
        The file is not TOML or not UTF-8, or the system refuses access to it. irops reads settings from
        irops.toml, or from the table [tool.irops] of pyproject.toml, whichever is nearest from the current
        folder upwards. Nothing is checked until the settings are valid, so that no intended limit is skipped.
        """,
    ),
    Rule(
        "IR702",
        "unknown-setting",
        Severity.ERROR,
        "a setting does not exist",
        """
        The settings are limits (a table, by name), select and ignore (lists of rules), strict (true or
        false), baseline (the path of a file, relative to the folder of the settings), rules (a list of
        modules, or of .py files, with custom rules) and target (a release of OpenVINO, in quotes). irops
        reads them from irops.toml, or from the table [tool.irops] of pyproject.toml, whichever is nearest
        from the current folder upwards, as far as the root of the repository or the home folder; or from the
        file that --config names.
        """,
    ),
    Rule(
        "IR703",
        "invalid-setting",
        Severity.ERROR,
        "the value of a setting is invalid",
        """
        Limits are numbers above 0, or texts such as "16G", "512M" and "inf"; rules are codes, prefixes of
        codes, or names, in quotes. irops reads settings from irops.toml, or from the table [tool.irops] of
        pyproject.toml, whichever is nearest from the current folder upwards.
        """,
    ),
    Rule(
        "IR704",
        "untrusted-settings",
        Severity.WARNING,
        "custom rules that settings name are not loaded",
        """
        Settings that irops finds may come with files of others, such as a repository that was just cloned.
        They are data: the Python modules that their setting rules names are not imported, and their rules not
        checked. To load them, name the file: irops check --config irops.toml. With --strict, this warning
        fails the check, since not everything was checked.
        """,
    ),
    Rule(
        "IR705",
        "foreign-settings",
        Severity.WARNING,
        "settings of another user are not read",
        """
        The settings file, or the folder that it is in, belongs to another user, who could change what irops
        reports. The search for settings ends there. To use the file, name it: irops check --config FILE.
        """,
    ),
)
