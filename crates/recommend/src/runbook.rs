//! Runbooks: known issues as data. A runbook is a condition over what Reeve reads of a resource, one
//! typed change that mends it, a verification and a circuit breaker. Those of the program are the
//! files of `catalogue/runbooks`; people write their own in the same form over the interface.
//!
//! A runbook names a change that Reeve has, never a command. What follows from it passes every
//! guardrail that other findings pass.

pub mod breaker;
pub mod condition;
pub mod course;
mod definition;
mod document;
pub mod facts;
mod faults;
mod file;
mod judging;
mod name;
mod remedy;
pub mod sample;
mod store;

use std::sync::LazyLock;

pub use breaker::{Application, Breaker, BreakerLimits, Outcome};
pub use definition::{Runbook, WrittenRunbook, kinds};
pub use name::RunbookName;
pub use remedy::RunbookRemedy;
pub use store::RunbookStore;

/// Files of the program's own runbooks.
const FILES: &[&str] = &[
    include_str!("../catalogue/runbooks/grow-full-database.toml"),
    include_str!("../catalogue/runbooks/grow-full-volume.toml"),
    include_str!("../catalogue/runbooks/enlarge-machine-without-memory.toml"),
    include_str!("../catalogue/runbooks/enlarge-database-without-memory.toml"),
    include_str!("../catalogue/runbooks/enlarge-machine-without-credits.toml"),
    include_str!("../catalogue/runbooks/enlarge-database-without-credits.toml"),
    include_str!("../catalogue/runbooks/scale-group-that-fails.toml"),
    include_str!("../catalogue/runbooks/scale-group-that-is-slow.toml"),
    include_str!("../catalogue/runbooks/replace-members-that-fail.toml"),
    include_str!("../catalogue/runbooks/resume-group.toml"),
    include_str!("../catalogue/runbooks/keep-waiting-messages.toml"),
    include_str!("../catalogue/runbooks/keep-key-in-use.toml"),
    include_str!("../catalogue/runbooks/start-stopped-trail.toml"),
    include_str!("../catalogue/runbooks/start-stopped-recorder.toml"),
    include_str!("../catalogue/runbooks/look-after-unsatisfied-users.toml"),
];

/// Returns the program's own runbooks, by name.
#[must_use]
pub fn builtin() -> &'static [Runbook] {
    static BUILTIN: LazyLock<Vec<Runbook>> = LazyLock::new(|| {
        let read = FILES.iter().filter_map(|text| Runbook::read(text).ok());
        let mut all: Vec<Runbook> = read.collect();
        all.sort_by(|a, b| a.name.cmp(&b.name));
        all
    });
    &BUILTIN
}

#[cfg(test)]
mod tests;
