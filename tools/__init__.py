"""What an agent may do to a database: SQL and Python, bounded and rendered."""
