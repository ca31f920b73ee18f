"""Facts from an entity's documents: extracted and verified by models, proved by SQL, screened by people."""
