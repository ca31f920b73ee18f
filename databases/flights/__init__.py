"""The scenario `flights`: a year of departures, known to the agent by pseudonyms only."""
