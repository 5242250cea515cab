//! Saturation: when a resource will be full, as an interval.
