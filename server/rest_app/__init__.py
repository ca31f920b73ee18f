"""REST for harnesses: make a run, watch it, fetch it, score it; episodes for RL frameworks."""

from server.rest_app.app import make_rest_app

__all__ = ["make_rest_app"]
