"""Model-based search for 30 to 2000 evaluations."""
