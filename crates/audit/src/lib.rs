//! reeve-audit
