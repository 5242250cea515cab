//! Deliveries to webhooks and channels: at least once, retried, then listed as failed.
//!
//! What happened is read out of the audit log by sequence; the store moves its cursor and keeps the
//! deliveries that follow from it in one step ([`DeliveryStore::outbox_advance`]), so that a
//! restart neither loses nor doubles one. A delivery is claimed, sent, and marked; a crash in
//! between sends it again under the same identifier, by which receivers know it. What fails is
//! tried again on [`SCHEDULE`], then put aside as a dead letter, from which it can be replayed.

mod dispatcher;
mod happening;
mod port;
mod record;
mod topic;

pub use dispatcher::{DispatchError, Dispatcher, Sent};
pub use happening::{Audience, DeliveryPlan, Happening, body_of};
pub use port::{DeliveryStore, Outgoing};
pub use record::{
    DeliveryAttempt, DeliveryId, DeliveryStatus, DeliveryTarget, EXCERPT, NotificationDelivery,
    SCHEDULE,
};
pub use topic::Topic;
