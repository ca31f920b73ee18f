"""The facts that an entity's exploration should find, each proved by SQL."""
