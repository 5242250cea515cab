//! Calibration: raw scores made into probabilities that hold.
