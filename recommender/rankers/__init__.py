"""One file a ranker: each holds its class as `ranker`. Files that start with _ are shared code."""
