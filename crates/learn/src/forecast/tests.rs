//! Requirements of forecasting, each held by a series made for it.
