"""The scenario `patients`: MIMIC-IV v3.1 from its owners' files, or a generated twin of it."""
