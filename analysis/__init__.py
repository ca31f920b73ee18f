"""Turn stored records into numbers, tables and figures."""
