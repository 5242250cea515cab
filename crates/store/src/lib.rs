//! reeve-store
