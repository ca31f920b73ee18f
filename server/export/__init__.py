"""Everything that is known of runs, as files for other programs: tables, figures, and what they mean."""
