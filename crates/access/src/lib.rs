//! reeve-access
