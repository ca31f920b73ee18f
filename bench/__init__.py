"""Figures against goals: one module a benchmark, run by `ddr bench`."""
