"""The scenario `wearables`: weeks of phone and wristband data, a participant an entity (GLOBEM)."""
