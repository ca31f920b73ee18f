"""The dashboard: pages for people, drawn by the server from what is stored."""
