//! reeve-http
