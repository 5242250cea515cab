//! Alert rules over the audit log: which entries a rule counts, when it fires, and what is kept between two entries.
//!
//! Pure: no clock, no disk, no runtime. A host reads the log in sequence order, hands each entry to [`Evaluator::observe`], and
//! keeps what [`Evaluator::take_changes`] returns together with the position in one transaction ([`AlertStore::alert_advance`]).
//!
//! # Semantics
//!
//! The words below decide; the index of rules, the forgetting of old state and restarts must not be observable. The tests hold
//! the evaluator against a second engine that was written from this text alone (`tests/it/naive.rs`).
//!
//! A rule has a condition, a threshold (`count` entries within `window`) and `group_by` fields. `lateness` and `most_pending` are
//! the evaluator's [`Limits`]. All times are milliseconds.
//!
//! 1. **Order.** Entries are looked at in the order of their sequence, each once: an entry whose sequence is below the
//!    evaluator's position is skipped. The *clock* is the latest `recorded_at` looked at so far, this entry included.
//! 2. **Condition.** A rule takes an entry when its condition matches; `now` in the condition is the entry's `recorded_at`.
//!    Entries that tell of a firing or of its notification ([`tells_of_firing`]) are taken by no rule, so that alerts do not
//!    cause alerts.
//! 3. **Time.** The entry counts at the earlier of its `timestamp` and its `recorded_at`, called *at*: nothing happened after it
//!    was recorded, and a source whose clock is ahead cannot push the watermark.
//! 4. **Group.** The values of the `group_by` fields are the group. An absent value is a value of its own. Without fields all
//!    entries of the rule are one group. A group that has not been looked at for longer than `window + lateness` of the clock is
//!    forgotten: it starts anew.
//! 5. **Memory of a group.** It has a *watermark* (initially the beginning of time), *pending* entries, and *open firings*, each
//!    with a span of time.
//! 6. **Duplicates.** An entry whose `event_id` is pending, or among the first [`KEPT_ENTRIES`] entries of an open firing, is
//!    counted as duplicate and goes no further. (The ledger accepts an `event_id` once; this guards other sources of entries.)
//! 7. **Late.** An entry with `at < watermark` is counted as late, and goes no further.
//! 8. **Watermark.** It becomes the larger of itself and `at - lateness`. Pending entries with `at < watermark - window` and open
//!    firings whose span ends before the watermark are dropped: no entry that can still count could meet them.
//! 9. **Joining.** If `at` is in the span of an open firing, the entry joins the first such firing (in order of creation).
//!    Nobody is notified again.
//! 10. **Counting.** Otherwise it becomes pending. If `count` pending entries, this one among them, are within `window` of each
//!     other, the rule fires: the pending entries are taken in order of (`at`, sequence), the first run of `count` neighbours that
//!     includes this entry and whose last is at most `window` after its first decides, and *until* is the `at` of its last. The
//!     span of the firing is `[until - window, until + window]`. It takes every pending entry within its span.
//! 11. **Bound.** While more than `most_pending` entries are pending, the earliest is dropped and the watermark becomes the larger
//!     of itself and the dropped entry's `at + 1`; what comes before it is late from then on.
//!
//! So a group fires at most once within a window, an attack that lasts fires again once a window has passed, and a late entry
//! completes the window that it belongs to.
//!
//! # State
//!
//! Position, clock, and for each group its watermark, pending entries and open firings ([`state`]); for each rule the counts of
//! [`Tally`]. State belongs to a *revision* of a rule: whatever changes the meaning of its counts (condition, threshold, grouping,
//! enabling) begins a new revision with empty state.

pub mod evaluator;
mod firing;
mod group;
mod index;
mod port;
mod ready;
mod rule;
mod settings;
mod sigma;
pub mod state;
mod story;
mod window;

pub use evaluator::{Changes, Evaluator, FIRE, FIRED_EVENT, Limits, Observed, Tally, tells_of_firing};
pub use firing::{Firing, FiringEntry, FiringGrowth, FiringId, FiringStatus, KEPT_ENTRIES};
pub use group::{GroupBy, GroupKey};
pub use index::RuleIndex;
pub use port::{AlertStore, FiringFilter, Progress, StoredGroup, StoredTally};
pub use ready::{ReadyRule, ready_rules};
pub use rule::{AlertClass, Notification, Rule, RuleId, RuleState, Threshold};
pub use settings::{MAX_COUNT, MAX_GROUP_FIELDS, MAX_WINDOW_MS, RuleDraft, RuleSettings};
pub use sigma::{MAX_SIGMA_BYTES, SigmaProblem, SigmaRule, read_sigma};
pub use story::firing_entry;
pub use window::{parse_window, window_text};
