"""The sets of InsightBench: each is an entity with tables, a goal and a role of its own."""
