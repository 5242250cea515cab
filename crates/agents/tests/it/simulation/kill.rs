//! Killed at every step: an execution is interrupted between any two calls, in turn, and the next process comes to an end that
//! the evidence bears out.
