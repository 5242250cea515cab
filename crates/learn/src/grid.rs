//! Raw points on a regular grid: its step, its gaps, its counters that reset.
