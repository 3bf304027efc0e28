"""A plugin of pytest: Hypothesis draws the same examples for every mutant, and simplifies none that fails."""

from hypothesis import HealthCheck, Phase, settings

PHASES = (Phase.explicit, Phase.generate)
LIMITS = {"database": None, "deadline": None, "phases": PHASES, "suppress_health_check": list(HealthCheck)}
settings.register_profile("mutants", derandomize=True, **LIMITS)
settings.load_profile("mutants")
