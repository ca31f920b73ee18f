"""What the SQL hand knows of PostgreSQL: its words, its dangerous names, its roles, its values."""
