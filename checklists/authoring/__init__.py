"""Author a checklist reproducibly: find, rank, choose, prove and write facts about entities."""
