"""Where generated cases come from: Hypothesis strategies of trials, by op."""
