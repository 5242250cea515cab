//! reeve-verify
