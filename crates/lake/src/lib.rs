//! reeve-lake
