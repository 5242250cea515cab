//! A second engine, straight from the semantics in `reeve_alerts`' documentation: every rule is
//! asked about every entry, nothing is indexed, sorted lists are sorted anew, and old memory is
//! filtered rather than kept up.

use std::collections::{BTreeMap, BTreeSet};

use reeve_alerts::{
    AlertRule, EvaluatorLimits, GroupKey, KEPT_ENTRIES, RuleState, tells_of_firing,
};
use reeve_audit::Entry;

/// An entry of the stream.
#[derive(Debug, Clone)]
pub(crate) struct Item {
    pub(crate) sequence: u64,
    pub(crate) recorded_ms: i64,
    pub(crate) entry: Entry,
}

/// Members of a firing that are compared.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Fired {
    pub(crate) rule: String,
    pub(crate) group: GroupKey,
    /// The entry that completed the window.
    pub(crate) by: u64,
    pub(crate) from: i64,
    pub(crate) until: i64,
    pub(crate) count: u64,
    pub(crate) events: Vec<String>,
}

/// Counts of a rule that are compared: matched, late, shared, dropped, fired.
pub(crate) type Counts = (u64, u64, u64, u64, u64);

#[derive(Clone)]
struct Seen {
    at: i64,
    sequence: u64,
    id: String,
    /// Value of the distinct field.
    value: Option<u64>,
    /// Entries that it stands for.
    weight: u64,
}

#[derive(Default)]
struct Group {
    watermark: Option<i64>,
    touched: Option<i64>,
    pending: Vec<Seen>,
    /// Indices into the list of firings.
    open: Vec<usize>,
}

/// Evaluates a whole stream.
pub(crate) fn evaluate(
    rules: &[AlertRule],
    stream: &[Item],
    limits: EvaluatorLimits,
) -> (Vec<Fired>, BTreeMap<String, Counts>) {
    let mut firings = Vec::new();
    let mut tallies = BTreeMap::new();
    for rule in rules.iter().filter(|rule| rule.state == RuleState::Enabled) {
        let counts = one_rule(rule, stream, limits, &mut firings);
        tallies.insert(rule.id.0.clone(), counts);
    }

    firings.sort();
    (firings, tallies)
}

fn one_rule(
    rule: &AlertRule,
    stream: &[Item],
    limits: EvaluatorLimits,
    firings: &mut Vec<Fired>,
) -> Counts {
    let window = rule.settings.threshold.window_ms;
    let (mut clock, mut position) = (i64::MIN, 0);
    let mut groups: BTreeMap<GroupKey, Group> = BTreeMap::new();
    let (mut matched, mut late, mut shared, mut dropped, mut fired) = (0, 0, 0, 0, 0);

    for item in stream {
        // 1. Order
        if item.sequence < position {
            continue;
        }
        position = item.sequence + 1;
        if clock != i64::MIN && clock - item.recorded_ms > limits.step_ms {
            groups.retain(|_, group| !is_over(group, clock, window, limits));
            clock = item.recorded_ms;
            groups
                .values_mut()
                .for_each(|group| step_back(group, clock, window, limits, firings));
        }
        clock = clock.max(item.recorded_ms);
        // 2. Condition
        let recorded = jiff::Timestamp::from_millisecond(item.recorded_ms).unwrap();
        if tells_of_firing(&item.entry)
            || !rule.settings.query.matches(&item.entry, recorded, recorded)
        {
            continue;
        }
        let value = rule
            .settings
            .distinct
            .as_ref()
            .map(|field| field.digest(&item.entry));
        if value == Some(None) {
            continue;
        }
        let value = value.flatten();
        matched += 1;
        // 3. Time
        let at = item.entry.timestamp.as_millisecond().min(item.recorded_ms);
        // 4. Group
        let over = |group: &Group| is_over(group, clock, window, limits);
        let mut key = rule.settings.group_by.key(&item.entry);
        groups.retain(|_, group| !over(group));
        if !groups.contains_key(&key) && groups.len() >= limits.most_groups {
            shared += 1;
            key = rule.settings.group_by.key_of_all("(further groups)");
        }
        let group = groups.entry(key.clone()).or_default();
        group.touched = Some(clock);
        let id = item.entry.event_id.as_str().to_owned();
        // 6. Late
        if group.watermark.is_some_and(|watermark| at < watermark) {
            late += 1;
            continue;
        }
        // 7. Watermark
        raise(group, at - limits.lateness_ms, window, firings);
        // 8. Joining
        let joins = group
            .open
            .iter()
            .find(|open| firings[**open].from <= at && at <= firings[**open].until);
        if let Some(open) = joins {
            let firing = &mut firings[*open];
            firing.count += 1;
            if firing.events.len() < KEPT_ENTRIES {
                firing.events.push(id);
            }
            continue;
        }
        // 9. Counting
        group.pending.push(Seen {
            at,
            sequence: item.sequence,
            id: id.clone(),
            value,
            weight: 1,
        });
        group.pending.sort_by_key(|seen| (seen.at, seen.sequence));
        if value.is_some() && !merge(&mut group.pending, item.sequence, window) {
            continue;
        }
        let count = rule.settings.threshold.count as usize;
        let run = (0..group.pending.len()).find_map(|first| {
            let run = shortest(&group.pending[first..], count, value.is_some())?;
            let is_in = run.iter().any(|seen| seen.sequence == item.sequence);
            (is_in && run[run.len() - 1].at - run[0].at <= window).then_some(run)
        });
        if let Some(until) = run.map(|run| run[run.len() - 1].at) {
            let inside = |seen: &Seen| (until - window..=until + window).contains(&seen.at);
            let taken: Vec<_> = group
                .pending
                .iter()
                .filter(|seen| inside(seen))
                .cloned()
                .collect();
            group.pending.retain(|seen| !inside(seen));
            group.open.push(firings.len());
            fired += 1;
            firings.push(Fired {
                rule: rule.id.0.clone(),
                group: key,
                by: item.sequence,
                from: until - window,
                until: until + window,
                count: taken.iter().map(|seen| seen.weight).sum(),
                events: taken
                    .into_iter()
                    .map(|seen| seen.id)
                    .take(KEPT_ENTRIES)
                    .collect(),
            });
            // 10. Bounds
            while group.open.len() > limits.most_open {
                let ends = group
                    .open
                    .iter()
                    .map(|open| firings[*open].until)
                    .min()
                    .unwrap();
                group.open.retain(|open| firings[*open].until > ends);
                raise(group, ends + 1, window, firings);
            }
        } else {
            keep_latest(group, limits.most_pending, window, firings);
        }
        let kept = |groups: &BTreeMap<GroupKey, Group>| {
            groups
                .values()
                .map(|group| group.pending.len())
                .sum::<usize>()
        };
        if kept(&groups) > limits.most_kept {
            groups.retain(|_, group| !over(group));
            if kept(&groups) > limits.most_kept {
                let share = (limits.most_kept / 2 / groups.len()).max(1);
                for group in groups.values_mut() {
                    dropped += keep_latest(group, share, window, firings);
                }
            }
        }
    }

    (matched, late, shared, dropped, fired)
}

fn is_over(group: &Group, clock: i64, window: i64, limits: EvaluatorLimits) -> bool {
    group
        .touched
        .is_some_and(|touched| clock - touched > window + limits.lateness_ms)
}

/// Returns the shortest run from the first entry on that has enough entries or values.
fn shortest(pending: &[Seen], count: usize, is_distinct: bool) -> Option<&[Seen]> {
    (1..=pending.len()).map(|end| &pending[..end]).find(|run| {
        let values: BTreeSet<_> = run.iter().map(|seen| seen.value).collect();
        count <= if is_distinct { values.len() } else { run.len() }
    })
}

/// Drops the new entry if it is between two of its value that are at most a window apart, or its
/// neighbours of its value that it puts into that place. Returns whether it stays.
fn merge(pending: &mut Vec<Seen>, new: u64, window: i64) -> bool {
    let value = pending
        .iter()
        .find(|seen| seen.sequence == new)
        .unwrap()
        .value;

    let alike: Vec<u64> = pending
        .iter()
        .filter(|seen| seen.value == value)
        .map(|seen| seen.sequence)
        .collect();
    let own = alike.iter().position(|sequence| *sequence == new).unwrap();
    let places = [Some(own), Some(own + 1), own.checked_sub(1)];

    for place in places.into_iter().flatten() {
        let Some((before, middle, after)) = place
            .checked_sub(1)
            .and_then(|before| Some((alike[before], *alike.get(place)?, *alike.get(place + 1)?)))
        else {
            continue;
        };
        let at = |sequence: u64| {
            pending
                .iter()
                .position(|seen| seen.sequence == sequence)
                .unwrap()
        };
        let (before, middle, after) = (at(before), at(middle), at(after));
        if pending[after].at - pending[before].at <= window {
            let dropped = pending.remove(middle);
            pending[before].weight += dropped.weight;
            if dropped.sequence == new {
                return false;
            }
        }
    }

    true
}

fn keep_latest(group: &mut Group, most: usize, window: i64, firings: &[Fired]) -> u64 {
    let mut dropped = 0;
    while group.pending.len() > most {
        let earliest = group.pending.remove(0);
        raise(group, earliest.at + 1, window, firings);
        dropped += 1;
    }
    dropped
}

fn step_back(
    group: &mut Group,
    recorded: i64,
    window: i64,
    limits: EvaluatorLimits,
    firings: &[Fired],
) {
    group.watermark = group
        .watermark
        .map(|watermark| watermark.min(recorded - limits.lateness_ms));
    group.touched = group.touched.map(|touched| touched.min(recorded));
    group
        .open
        .retain(|open| firings[*open].until <= recorded + window);
    group
        .pending
        .iter_mut()
        .for_each(|seen| seen.at = seen.at.min(recorded));
    group.pending.sort_by_key(|seen| (seen.at, seen.sequence));
}

fn raise(group: &mut Group, watermark: i64, window: i64, firings: &[Fired]) {
    let watermark = group
        .watermark
        .map_or(watermark, |before| before.max(watermark));
    group.watermark = Some(watermark);
    group.pending.retain(|seen| seen.at >= watermark - window);
    group.open.retain(|open| firings[*open].until >= watermark);
}
