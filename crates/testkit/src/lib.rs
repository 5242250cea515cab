//! reeve-testkit
