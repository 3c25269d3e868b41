"""Which consensus should one use? The same embeddings combined in many ways, of all papers."""
