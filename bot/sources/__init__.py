"""Sources of papers, one file each."""
