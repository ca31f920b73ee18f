"""Service teams and their incidents: a generated database with a hidden state behind every team."""
