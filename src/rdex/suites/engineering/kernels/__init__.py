"""The formulas of the design problems, each compiled when first asked for."""
