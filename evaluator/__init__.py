"""Judge finished trajectories; knows neither storage nor web."""
