"""Three-way merges of texts and trees, as far as readers need them (--remerge-diff)."""
