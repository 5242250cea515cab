//! reeve-estate
