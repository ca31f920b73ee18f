"""The twin: patients with courses of illness that their rows and their notes are written from."""
