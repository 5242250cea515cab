//! Streaming anomaly detection: each score from the past alone.
