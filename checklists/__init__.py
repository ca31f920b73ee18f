"""The facts that an exploration of an entity should find, each with its proof."""
