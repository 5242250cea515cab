//! A second engine, straight from the semantics in `reeve_alerts`' documentation: every rule is asked about every entry, nothing is
//! indexed, sorted lists are sorted anew, and old memory is filtered rather than kept up.

use std::collections::BTreeMap;

use reeve_alerts::{GroupKey, KEPT_ENTRIES, Limits, Rule, RuleState, tells_of_firing};
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

/// Counts of a rule that are compared: matched, late, duplicates, fired.
pub(crate) type Counts = (u64, u64, u64, u64);

#[derive(Clone)]
struct Seen {
    at: i64,
    sequence: u64,
    id: String,
}

#[derive(Default)]
struct Group {
    watermark: Option<i64>,
    touched: Option<i64>,
    pending: Vec<Seen>,
    /// Indices of firings.
    open: Vec<usize>,
}

/// Evaluates a whole stream.
pub(crate) fn evaluate(rules: &[Rule], stream: &[Item], limits: Limits) -> (Vec<Fired>, BTreeMap<String, Counts>) {
    let mut firings = Vec::new();
    let mut tallies = BTreeMap::new();
    for rule in rules.iter().filter(|rule| rule.state == RuleState::Enabled) {
        let counts = one_rule(rule, stream, limits, &mut firings);
        tallies.insert(rule.id.0.clone(), counts);
    }
    firings.sort();
    (firings, tallies)
}

fn one_rule(rule: &Rule, stream: &[Item], limits: Limits, firings: &mut Vec<Fired>) -> Counts {
    let (mut clock, mut position) = (i64::MIN, 0);
    let mut groups: BTreeMap<GroupKey, Group> = BTreeMap::new();
    let (mut matched, mut late, mut duplicates, mut fired) = (0, 0, 0, 0);
    for item in stream {
        // 1. Order
        if item.sequence < position {
            continue;
        }
        position = item.sequence + 1;
        clock = clock.max(item.recorded_ms);
        // 2. Condition
        let recorded = jiff::Timestamp::from_millisecond(item.recorded_ms).unwrap();
        if tells_of_firing(&item.entry) || !rule.settings.query.matches(&item.entry, recorded, recorded) {
            continue;
        }
        matched += 1;
        // 3. Time
        let at = item.entry.timestamp.as_millisecond().min(item.recorded_ms);
        // 4. Group
        let window = rule.settings.threshold.window_ms;
        let key = rule.settings.group_by.key(&item.entry);
        let group = groups.entry(key.clone()).or_default();
        if group.touched.is_some_and(|touched| clock - touched > window + limits.lateness_ms) {
            *group = Group::default();
        }
        group.touched = Some(clock);
        // 6. Duplicates
        let id = item.entry.event_id.as_str().to_owned();
        let joined = group.open.iter().any(|open| firings[*open].events.contains(&id));
        if joined || group.pending.iter().any(|seen| seen.id == id) {
            duplicates += 1;
            continue;
        }
        // 7. Late
        if group.watermark.is_some_and(|watermark| at < watermark) {
            late += 1;
            continue;
        }
        // 8. Watermark
        raise(group, at - limits.lateness_ms, window, firings);
        // 9. Joining
        let joins = group.open.iter().find(|open| firings[**open].from <= at && at <= firings[**open].until);
        if let Some(open) = joins {
            let firing = &mut firings[*open];
            firing.count += 1;
            if firing.events.len() < KEPT_ENTRIES {
                firing.events.push(id);
            }
            continue;
        }
        // 10. Counting
        group.pending.push(Seen { at, sequence: item.sequence, id: id.clone() });
        group.pending.sort_by_key(|seen| (seen.at, seen.sequence));
        let count = rule.settings.threshold.count as usize;
        let run = group.pending.windows(count).find(|run| {
            run.iter().any(|seen| seen.sequence == item.sequence) && run[count - 1].at - run[0].at <= window
        });
        if let Some(until) = run.map(|run| run[count - 1].at) {
            let inside = |seen: &Seen| (until - window..=until + window).contains(&seen.at);
            let taken: Vec<_> = group.pending.iter().filter(|seen| inside(seen)).cloned().collect();
            group.pending.retain(|seen| !inside(seen));
            group.open.push(firings.len());
            fired += 1;
            firings.push(Fired {
                rule: rule.id.0.clone(),
                group: key,
                by: item.sequence,
                from: until - window,
                until: until + window,
                count: taken.len() as u64,
                events: taken.into_iter().map(|seen| seen.id).take(KEPT_ENTRIES).collect(),
            });
            continue;
        }
        // 11. Bound
        while group.pending.len() > limits.most_pending {
            let earliest = group.pending.remove(0);
            raise(group, earliest.at + 1, window, firings);
        }
    }
    (matched, late, duplicates, fired)
}

fn raise(group: &mut Group, watermark: i64, window: i64, firings: &[Fired]) {
    let watermark = group.watermark.map_or(watermark, |before| before.max(watermark));
    group.watermark = Some(watermark);
    group.pending.retain(|seen| seen.at >= watermark - window);
    group.open.retain(|open| firings[*open].until >= watermark);
}
