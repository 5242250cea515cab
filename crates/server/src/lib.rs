//! reeve-server
