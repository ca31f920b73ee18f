"""The scenario `destinations`: the database of `flights`, explored by where the flights go."""
