//! Deliveries of what the log tells: webhooks, notification channels, digests. Every delivery is
//! kept with the cursor over the log.

pub mod delivery;
pub mod notification;
pub mod sources;
pub mod webhook;
