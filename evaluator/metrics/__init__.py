"""The figures of InsightBench and InsightEval: how near free insights come to those of a ground truth."""
