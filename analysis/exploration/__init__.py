"""Where agents looked: coverage and entropy of fields, breadth and depth, queries, results and tokens."""
