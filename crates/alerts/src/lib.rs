//! Alert rules over the audit log: which entries a rule counts, when it fires, and what is kept
//! between two entries.
//!
//! Pure: no clock, no disk, no runtime. A host reads the log in sequence order, hands each entry to
//! [`Evaluator::observe`], and keeps what [`Evaluator::take_changes`] returns together with the
//! position in one transaction ([`AlertStore::alert_advance`]).
//!
//! # Semantics
//!
//! The words below decide; the index of rules, the forgetting of old state and restarts must not be
//! observable. The tests hold the evaluator against a second engine that was written from this text
//! alone (`tests/it/naive.rs`).
//!
//! A rule has a condition, a threshold (`count` entries, or `count` values of a `distinct` field,
//! within `window`) and `group_by` fields. `lateness`, `step` and the bounds that begin with `most`
//! are the evaluator's [`EvaluatorLimits`]. All times are milliseconds.
//!
//! 1. **Order.** Entries are looked at in the order of their sequence, each once: an entry whose
//!    sequence is below the evaluator's position is skipped. The *clock* is the latest
//!    `recorded_at` looked at so far, this entry included. An entry whose `recorded_at` is more
//!    than `step` before the clock shows that the clock of the service was ahead. Nothing happened
//!    after an entry that was recorded later: groups that are over are forgotten, the clock becomes
//!    that time, pending entries count at it at the latest, watermarks become at most `lateness`
//!    before it, and firings whose span ends more than `window` after it are closed.
//! 2. **Condition.** A rule takes an entry when its condition matches; `now` in the condition is
//!    the entry's `recorded_at`. Entries that tell of a firing or of its notification
//!    ([`tells_of_firing`]) are taken by no rule, so that alerts do not cause alerts. Of the two
//!    entries about a change of Reeve's own, the intent counts only for a condition that names the
//!    status ([`RuleSettings::query`]). An entry without the `distinct` value is not taken.
//! 3. **Time.** The entry counts at the earlier of its `timestamp` and its `recorded_at`, called
//!    *at*: nothing happened after it was recorded, and a source whose clock is ahead cannot push
//!    the watermark.
//! 4. **Group.** The values of the `group_by` fields are the group. An absent value is a value of
//!    its own. Without fields all entries of the rule are one group. A group that has not been
//!    looked at for longer than `window + lateness` of the clock is forgotten: it starts anew. A
//!    rule that has `most_groups` groups, after forgetting, counts the entries of further groups
//!    together, in a group whose values are all `(further groups)`.
//! 5. **Memory of a group.** It has a *watermark* (initially the beginning of time), *pending*
//!    entries, and *open firings*, each with a span of time.
//! 6. **Late.** An entry with `at < watermark` is counted as late, and goes no further.
//! 7. **Watermark.** It becomes the larger of itself and `at - lateness`. Pending entries with `at
//!    < watermark - window` and open firings whose span ends before the watermark are dropped: no
//!    entry that can still count could meet them.
//! 8. **Joining.** If `at` is in the span of an open firing, the entry joins the first such firing
//!    (in order of creation). Nobody is notified again.
//! 9. **Counting.** Otherwise it becomes pending. If `count` pending entries, this one among them,
//!    are within `window` of each other, the rule fires: the pending entries are taken in order of
//!    (`at`, sequence), the first run of `count` neighbours that includes this entry and whose last
//!    is at most `window` after its first decides, and *until* is the `at` of its last. The span of
//!    the firing is `[until - window, until + window]`. It takes every pending entry within its
//!    span. With a `distinct` field, a run has `count` values instead, and no entry after its last
//!    value is needed. An entry between two pending ones of its value that are at most `window`
//!    apart is not needed for that: it is counted by the one of its value before it, and so is a
//!    pending entry that comes to lie between two such entries.
//! 10. **Bounds.** While more than `most_pending` entries are pending, the earliest is dropped and
//!     the watermark becomes the
//!     larger of itself and the dropped entry's `at + 1`; what comes before it is late from then on. While more than `most_open`
//!     firings are open, those that end first are closed, and the watermark becomes the larger of itself and their end + 1. When
//!     more than `most_kept` entries are pending in all groups of a rule, after forgetting, each group keeps its latest ones: its
//!     share of half of `most_kept`, at least one. A rule that counts groups together or drops entries so is *degraded*.
//!
//! So a group fires at most once within a window, an attack that lasts fires again once a window
//! has passed, and a late entry completes the window that it belongs to.

pub mod evaluator;
mod firing;
mod group;
mod index;
mod mitre;
mod port;
mod ready;
mod rule;
mod settings;
mod sigma;
pub mod state;
mod story;

pub use evaluator::{
    ChangeTally, ClockStep, Degradation, DegradedBy, Evaluator, EvaluatorChanges, EvaluatorLimits,
    FIRE, FIRED_EVENT, Observed, tells_of_firing,
};
pub use firing::{Firing, FiringEntry, FiringGrowth, FiringId, FiringStatus, KEPT_ENTRIES};
pub use group::{GroupBy, GroupKey};
pub use index::RuleIndex;
pub use mitre::{ATTACK_URL, AttackId, Tactic};
pub use port::{
    AlertProgress, AlertStore, DegradedRule, FiringFilter, OldGroup, StoredState, StoredTally,
};
pub use ready::{ReadyRule, ready_rules};
pub use rule::{AlertClass, AlertRule, Notification, RuleId, RuleState, RuleThreshold};
pub use settings::{
    MAX_COUNT, MAX_DISTINCT, MAX_GROUP_FIELDS, MAX_WINDOW_MS, RuleDraft, RuleSettings,
};
pub use sigma::{MAX_SIGMA_BYTES, SigmaProblem, SigmaRule, read_sigma};
pub use story::{degraded_entry, firing_entry};
