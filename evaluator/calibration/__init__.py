"""The set of cases with known labels that a judge must read rightly before it may score."""
