"""Definitions of ops in an editor: findings, hovers, navigation and completion by their grammar."""
