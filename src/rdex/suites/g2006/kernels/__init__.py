"""The formulas of G01 to G24, each compiled when first asked for."""
