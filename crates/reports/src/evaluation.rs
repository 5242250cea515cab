//! Evaluating a plan: each entry once, in order of the log, in bounded memory.

use std::collections::{BTreeMap, BTreeSet};

use hashbrown::HashMap;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use reeve_audit::Entry;

use crate::coverage::{Coverage, ExpectedConnection, SyncTally, submitter_of};
use crate::definition::{GroupField, user_of};
use crate::distinct::DistinctSet;
use crate::findings::{Cited, GroupRow, ReportAnswer, ReportFindings, Top};
use crate::period::ReportPeriod;
use crate::plan::ReportPlan;
use crate::source::EventSource;

/// Entries of a sample.
pub const SAMPLE: usize = 25;
/// Entries that a report lists with their content. Beyond it they are counted only, and the report
/// says so.
pub const MOST_CITED: u64 = 1_000_000;

/// Distinct values counted for one question or group, and over the whole report.
const MOST_DISTINCT: usize = 100_000;
/// Distinct values remembered over all questions and groups: 8 bytes and a little each.
const DISTINCT_BUDGET: usize = 2_000_000;
/// Groups of a custom report.
const MOST_GROUPS: usize = 10_000;
/// Values counted for one of the lists of the most frequent.
const MOST_VALUES: usize = 10_000;
/// Values shown of such a list.
const TOP: usize = 10;

/// An evaluation under way.
#[derive(Debug)]
pub struct ReportEvaluation {
    plan: ReportPlan,
    most_cited: u64,
    budget: usize,
    total: Tally,
    answers: Vec<(Tally, Sample)>,
    by_time: BTreeMap<Timestamp, u64>,
    by_event_type: HashMap<String, u64>,
    by_user: HashMap<String, u64>,
    by_resource: HashMap<String, u64>,
    groups: HashMap<Vec<Option<String>>, Tally>,
    ungrouped: u64,
    listed: u64,
    syncs: SyncTally,
}

#[derive(Debug, Default)]
struct Tally {
    days: BTreeSet<Date>,
    found: u64,
    users: DistinctSet,
    resources: DistinctSet,
    first_at: Option<Timestamp>,
    last_at: Option<Timestamp>,
}

impl Tally {
    fn add(&mut self, entry: &Entry, budget: &mut usize) {
        self.found += 1;
        if let Some(user) = user_of(entry) {
            self.users.insert(user, MOST_DISTINCT, budget);
        }
        if let Some(resource) = &entry.resource.id {
            self.resources.insert(resource, MOST_DISTINCT, budget);
        }

        let at = entry.timestamp;
        self.days.insert(day(at));
        self.first_at = Some(self.first_at.map_or(at, |first| first.min(at)));
        self.last_at = Some(self.last_at.map_or(at, |last| last.max(at)));
    }
}

/// The entries with the smallest draws: each entry of the stream is in it with the same chance, and
/// the same stream gives the same sample again.
#[derive(Debug, Default)]
struct Sample(BTreeMap<u64, Cited>);

impl Sample {
    fn offer(&mut self, sequence: u64, entry: &Entry) {
        let draw = draw(sequence);
        if self.0.len() >= SAMPLE {
            match self.0.last_key_value() {
                Some((largest, _)) if draw < *largest => {
                    self.0.pop_last();
                }
                _ => return,
            }
        }

        self.0.insert(draw, cited(sequence, entry));
    }

    fn into_entries(self) -> Vec<Cited> {
        let mut entries: Vec<_> = self.0.into_values().collect();
        entries.sort_by_key(|entry| entry.sequence);
        entries
    }
}

/// A number that looks random and is a bijection of the sequence (SplitMix64's finaliser).
fn draw(sequence: u64) -> u64 {
    let mut z = sequence.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

fn cited(sequence: u64, entry: &Entry) -> Cited {
    let (actor, resource, action) = (&entry.actor, &entry.resource, &entry.action);
    Cited {
        sequence,
        event_id: entry.event_id.as_str().to_owned(),
        timestamp: entry.timestamp,
        event_type: entry.event_type.as_str().to_owned(),
        severity: entry.severity.as_str().to_owned(),
        user: user_of(entry).map(str::to_owned),
        ip_address: actor.ip_address.map(|address| address.to_string()),
        resource_type: resource.kind.clone(),
        resource_id: resource.id.clone(),
        account_id: resource.account_id.clone(),
        operation: action.operation.clone(),
        status: action.status.map(|status| status.as_str().to_owned()),
        submitted_by: submitter_of(entry),
    }
}

fn day(at: Timestamp) -> Date {
    at.to_zoned(TimeZone::UTC).date()
}

/// Returns the longest time without an entry, in days, from the beginning of the period to its end.
/// Neighbouring days are 1 apart.
fn longest_gap(days: &BTreeSet<Date>, period: ReportPeriod) -> u64 {
    let apart = |from: Date, to: Date| {
        u64::try_from(to.duration_since(from).as_hours() / 24).unwrap_or_default()
    };

    let last = period
        .end
        .saturating_sub(SignedDuration::from_nanos(1))
        .unwrap_or(period.end);
    let (begin, end) = (day(period.start), day(last.max(period.start)));
    let (mut before, mut longest) = (begin, 0);
    for at in days.iter().copied().chain([end]) {
        longest = longest.max(apart(before, at));
        before = at;
    }

    longest
}

impl ReportEvaluation {
    /// Begins. Entries beyond `most_cited` are counted and not listed.
    #[must_use]
    pub fn new(plan: ReportPlan, most_cited: u64) -> ReportEvaluation {
        let answers = plan.questions.iter().map(|_| Default::default()).collect();
        let by_time = plan.period.bars().into_iter().map(|at| (at, 0)).collect();
        ReportEvaluation {
            plan,
            most_cited,
            budget: DISTINCT_BUDGET,
            total: Tally::default(),
            answers,
            by_time,
            by_event_type: HashMap::new(),
            by_user: HashMap::new(),
            by_resource: HashMap::new(),
            groups: HashMap::new(),
            ungrouped: 0,
            listed: 0,
            syncs: SyncTally::default(),
        }
    }

    /// Returns the plan that is evaluated.
    #[must_use]
    pub fn plan(&self) -> &ReportPlan {
        &self.plan
    }

    /// Takes the next entry. Returns the questions that it is to be listed under: none when it
    /// answers none, or when the report lists as many entries as it may.
    pub fn observe(&mut self, sequence: u64, recorded_at: Timestamp, entry: &Entry) -> Vec<usize> {
        if self.plan.period.contains(entry.timestamp) {
            self.syncs.observe(entry);
        }

        let answered = self.plan.answered(entry, recorded_at);
        if answered.is_empty() {
            return answered;
        }

        self.total.add(entry, &mut self.budget);
        for at in &answered {
            let (tally, sample) = &mut self.answers[*at];
            tally.add(entry, &mut self.budget);
            sample.offer(sequence, entry);
        }
        *self
            .by_time
            .entry(self.plan.period.bucket().floor(entry.timestamp))
            .or_default() += 1;

        count(&mut self.by_event_type, Some(entry.event_type.as_str()));
        count(&mut self.by_user, user_of(entry));
        count(&mut self.by_resource, entry.resource.id.as_deref());
        self.group(entry);
        if self.listed >= self.most_cited {
            return Vec::new();
        }

        self.listed += 1;
        answered
    }

    fn group(&mut self, entry: &Entry) {
        if self.plan.group_by.is_empty() {
            return;
        }

        let value = |field: &GroupField| field.value(entry).map(str::to_owned);
        let key: Vec<_> = self.plan.group_by.iter().map(value).collect();
        if self.groups.len() >= MOST_GROUPS && !self.groups.contains_key(&key) {
            self.ungrouped += 1;
            return;
        }

        self.groups
            .entry(key)
            .or_default()
            .add(entry, &mut self.budget);
    }

    /// Ends, and returns the plan with what was found. The coverage has the syncs of the
    /// connections that are expected or were seen.
    #[must_use]
    pub fn finish(self, expected: &[ExpectedConnection]) -> (ReportPlan, ReportFindings) {
        let period = self.plan.period;
        let connections = self.syncs.finish(expected, period);
        let mut groups: Vec<_> = self
            .groups
            .into_iter()
            .map(|(values, tally)| row(values, &tally))
            .collect();

        groups.sort_by(|a, b| {
            b.events
                .cmp(&a.events)
                .then_with(|| a.values.cmp(&b.values))
        });

        let answers = self
            .answers
            .into_iter()
            .map(|(tally, sample)| ReportAnswer {
                found: tally.found,
                users: tally.users.count(),
                resources: tally.resources.count(),
                first_at: tally.first_at,
                last_at: tally.last_at,
                days: tally.days.len() as u64,
                longest_gap_days: longest_gap(&tally.days, period),
                sample: sample.into_entries(),
            });

        let findings = ReportFindings {
            period: self.plan.period,
            entries: self.total.found,
            listed: self.listed,
            users: self.total.users.count(),
            resources: self.total.resources.count(),
            by_time: self.by_time.into_iter().collect(),
            bucket: self.plan.period.bucket(),
            by_event_type: top(self.by_event_type),
            by_user: top(self.by_user),
            by_resource: top(self.by_resource),
            answers: answers.collect(),
            groups,
            ungrouped: self.ungrouped,
            coverage: Coverage {
                connections,
                ..Coverage::default()
            },
            connected: EventSource::ALL.to_vec(),
            configuration: None,
            reviews: Vec::new(),
        };

        (self.plan, findings)
    }
}

fn row(values: Vec<Option<String>>, tally: &Tally) -> GroupRow {
    GroupRow {
        values,
        events: tally.found,
        users: tally.users.count(),
        resources: tally.resources.count(),
    }
}

fn count(counts: &mut HashMap<String, u64>, value: Option<&str>) {
    let Some(value) = value else { return };
    if let Some(found) = counts.get_mut(value) {
        *found += 1;
    } else if counts.len() < MOST_VALUES {
        counts.insert(value.to_owned(), 1);
    }
}

fn top(counts: HashMap<String, u64>) -> Vec<Top> {
    let mut all: Vec<_> = counts
        .into_iter()
        .map(|(value, count)| Top { value, count })
        .collect();
    all.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.value.cmp(&b.value)));
    all.truncate(TOP);
    all
}

#[cfg(test)]
mod tests;
