//! `reeve analyze costs`.
