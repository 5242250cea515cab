//! Series that were pushed lately, selected by a rule or not: what a preview shows. Bounded in
//! names and in series a name.

use std::collections::BTreeMap;
use std::collections::HashMap;

use jiff::{SignedDuration, Timestamp};

use crate::labels::Labels;

/// Names of metrics at most.
const MOST_NAMES: usize = 10_000;
/// Series of a name at most.
const MOST_SERIES: usize = 2_000;
/// Series that are kept, over all names.
const MOST_IN_ALL: usize = 100_000;
/// Time after which a series is not recent any more.
const KEPT: SignedDuration = SignedDuration::from_mins(15);

/// Series by the metric's name, with the last value.
#[derive(Debug, Default)]
pub(crate) struct Recent {
    names: BTreeMap<String, HashMap<Labels, (Timestamp, f64)>>,
    series: usize,
    /// `true` if something was left out for lack of room.
    cut: bool,
    cleaned_at: Option<Timestamp>,
}

impl Recent {
    pub(super) fn note(&mut self, labels: &Labels, points: &[(i64, f64)], now: Timestamp) {
        let (Some(name), Some((_, value))) = (
            labels.name(),
            points.iter().rev().find(|(_, value)| value.is_finite()),
        ) else {
            return;
        };

        if self
            .cleaned_at
            .is_none_or(|at| now.duration_since(at) > KEPT)
        {
            self.clean(now);
        }

        if let Some(known) = self
            .names
            .get_mut(name)
            .and_then(|series| series.get_mut(labels))
        {
            *known = (now, *value);
            return;
        }

        let fits = self.series < MOST_IN_ALL
            && (self.names.contains_key(name) || self.names.len() < MOST_NAMES);
        let series = if fits {
            Some(self.names.entry(name.to_owned()).or_default())
        } else {
            None
        };

        match series.filter(|series| series.len() < MOST_SERIES) {
            Some(series) => {
                series.insert(labels.clone(), (now, *value));
                self.series += 1;
            }
            None => self.cut = true,
        }
    }

    fn clean(&mut self, now: Timestamp) {
        self.names.retain(|_, series| {
            series.retain(|_, (at, _)| now.duration_since(*at) <= KEPT);
            !series.is_empty()
        });
        self.series = self.names.values().map(HashMap::len).sum();
        (self.cut, self.cleaned_at) = (false, Some(now));
    }

    /// Returns the series of a name, sorted.
    pub(crate) fn of(&self, name: &str) -> Vec<(&Labels, f64)> {
        let series = self.names.get(name).into_iter().flatten();
        let mut found: Vec<(&Labels, f64)> = series
            .map(|(labels, (_, value))| (labels, *value))
            .collect();
        found.sort_by(|a, b| a.0.cmp(b.0));
        found
    }

    /// Returns the names with the number of series of each.
    pub(crate) fn names(&self) -> impl Iterator<Item = (&str, u64)> {
        self.names
            .iter()
            .map(|(name, series)| (name.as_str(), series.len() as u64))
    }

    /// Returns `true` if every series that was pushed lately is there.
    pub(crate) const fn is_complete(&self) -> bool {
        !self.cut
    }
}
