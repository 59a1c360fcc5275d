"""How good rankings are, on judgements that people made: sets in folders, tasks made from corpora, own feedback."""
