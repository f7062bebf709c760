"""Models of a function from its values at some points. Knows nothing of problems or runs."""
