//! Behavior of users and resources: how unusual an event is against the past of its principal, its
//! peers and the estate, and how severe it would be if it were not meant.
//!
//! A [`Watch`] takes events one at a time, in the order they arrive, and answers each with a
//! [`BehaviorJudgement`]: a score from 0 to 1 and the reasons for it in words. The score is the logistic of
//! a sum: what an action of this kind is worth by its meaning ([`prior`]: verb and class of
//! resource, never a list of names), what its parameters add, and what the past says about its
//! rarity, place, time, volume and sequence. Each source backs off to the next when it has seen too
//! little: the principal, its peers, the estate, the meaning alone.
//!
//! Streaming and deterministic: a score of the watch uses only events that were given before; what
//! was itself suspicious is learnt with a fraction of its weight, and a slow growth is held against
//! a slow baseline. Memory is bounded ([`WatchLimits`]); what falls out is what was seen least recently.
//! A [`Review`] puts a file into the order of its times and looks at it again once it is whole.
//! Pure: no clock, no file, no randomness.

mod activity;
mod event;
mod evidence;
mod habit;
mod hours;
mod names;
mod pace;
mod place;
mod profile;
mod rarity;
mod resource;
mod retrospect;
mod review;
mod subject;
mod watch;

pub mod prior;
pub mod words;

pub use event::{
    ActivityEvent, BehaviorOutcome, BehaviorPlace, BehaviorPrincipalKind, Trait, Traits,
};
pub use evidence::{BehaviorEvidence, BehaviorJudgement, BehaviorReason};
pub use profile::{Peer, Profile, Unusual};
pub use resource::{Novelty, ResourceWatch, UnusualUse};
pub use review::Review;
pub use watch::{Watch, WatchLimits};

#[cfg(test)]
mod tests;
