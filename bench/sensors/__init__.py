"""A made-up scenario for benchmarks: 64 sensors and a few thousand readings."""
