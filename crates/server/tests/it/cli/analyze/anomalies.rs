//! `reeve analyze anomalies`.
