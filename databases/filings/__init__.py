"""Annual reports (10-K) as facts: companies, filings, concepts, facts and their dimensions."""
