"""Platforms, one file or folder each."""
