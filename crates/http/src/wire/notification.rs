//! Receivers outside on the wire: channels of people and webhooks of programs.

pub mod channel;
pub mod webhook;
