//! Row visibility: which entries a principal may see. The one place that decides it.
