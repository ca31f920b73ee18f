"""A scenario of somebody's own: read their files, propose keys and changes, build it without what tells."""
