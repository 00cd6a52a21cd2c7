"""History: walks over commits, assembled from order, simplification and selection; the history of lines; reflogs."""
