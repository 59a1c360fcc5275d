"""Embedders, one file a kind: what turns texts into dense vectors. None is needed; see `bot.core.ports.Embedder`."""
