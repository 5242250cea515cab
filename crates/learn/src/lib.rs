//! reeve-learn
