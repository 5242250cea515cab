//! reeve-tlog
