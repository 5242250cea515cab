//! Workloads: production, development, batch or analytics, by the shape of their metrics and their tags; or an abstention.
