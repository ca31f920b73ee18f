"""People decide on items: a sheet out and in, who decided what and why, and how far they agree."""
