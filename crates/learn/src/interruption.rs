//! Interruptions of spot capacity as a hazard.
