//! Forecasts with intervals that hold.
