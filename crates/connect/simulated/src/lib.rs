//! reeve-connect-simulated
