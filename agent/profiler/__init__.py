"""An explorer without a language model: the floor on every leaderboard."""
