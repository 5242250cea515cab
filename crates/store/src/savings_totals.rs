//! Savings that were added up before, with the revision of the recommendations that they were read from.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use reeve_recommend::ports::RecommendationFilter;
use reeve_recommend::{DailySavings, OpenSavings};

/// Filters whose savings are held at most; more are not held.
const MOST: usize = 64;

/// Savings of one revision.
#[derive(Debug, Default)]
pub(crate) struct SavingsTotals {
    held: Mutex<Held>,
}

#[derive(Debug, Default)]
struct Held {
    revision: i64,
    open: HashMap<String, OpenSavings>,
    by_day: Option<Vec<DailySavings>>,
}

impl SavingsTotals {
    /// Returns the savings of what a filter finds open, if no recommendation was written since they were read.
    pub(crate) fn open(&self, filter: &RecommendationFilter, revision: i64) -> Option<OpenSavings> {
        let key = key(filter)?;
        let held = self.lock();
        held.open.get(&key).filter(|_| held.revision == revision).copied()
    }

    /// Holds the savings of what a filter finds open, read after the revision was.
    pub(crate) fn hold_open(&self, filter: &RecommendationFilter, revision: i64, savings: OpenSavings) {
        let Some(key) = key(filter) else { return };
        let mut held = self.at(revision);
        if held.open.len() < MOST {
            held.open.insert(key, savings);
        }
    }

    /// Returns the savings by day, if no recommendation was written since they were read.
    pub(crate) fn by_day(&self, revision: i64) -> Option<Vec<DailySavings>> {
        let held = self.lock();
        held.by_day.clone().filter(|_| held.revision == revision)
    }

    /// Holds the savings by day, read after the revision was.
    pub(crate) fn hold_by_day(&self, revision: i64, days: &[DailySavings]) {
        self.at(revision).by_day = Some(days.to_vec());
    }

    /// Savings that are held of a revision; those of others are dropped.
    fn at(&self, revision: i64) -> MutexGuard<'_, Held> {
        let mut held = self.lock();
        if held.revision != revision {
            *held = Held { revision, ..Held::default() };
        }
        held
    }

    fn lock(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Key of a filter whose savings depend on the recommendations alone. Others have none: conditions on accounts and feedback read
/// further tables, and those that name resources find few.
fn key(filter: &RecommendationFilter) -> Option<String> {
    let RecommendationFilter {
        status,
        agent,
        kind,
        priority,
        min_confidence,
        resource: None,
        account: None,
        ids,
        resources,
        is_open,
        has_feedback: false,
        closing: None,
        updated_since: None,
        cause: None,
        due_by: None,
        limit: _,
        offset: _,
    } = filter
    else {
        return None;
    };
    (ids.is_empty() && resources.is_empty())
        .then(|| format!("{status:?} {agent:?} {kind:?} {priority:?} {min_confidence:?} {is_open}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn savings_are_held_until_the_revision_moves() {
        let totals = SavingsTotals::default();
        let (any, some) = (RecommendationFilter::default(), OpenSavings { unpriced: 3, ..OpenSavings::default() });
        totals.hold_open(&any, 7, some);
        assert_eq!(totals.open(&any, 7), Some(some));
        assert_eq!(totals.open(&any, 8), None, "written since");
        let other = RecommendationFilter { min_confidence: Some(85.0), ..RecommendationFilter::default() };
        assert_eq!(totals.open(&other, 7), None, "another filter");
        totals.hold_by_day(8, &[]);
        assert_eq!(totals.open(&any, 7), None, "dropped with its revision");
        assert_eq!(totals.by_day(8), Some(Vec::new()));
    }

    #[test]
    fn what_reads_further_tables_is_not_held() {
        let totals = SavingsTotals::default();
        let account = RecommendationFilter { account: Some("acme".into()), ..RecommendationFilter::default() };
        totals.hold_open(&account, 1, OpenSavings::default());
        assert_eq!(totals.open(&account, 1), None);
    }

    #[test]
    fn few_filters_are_held() {
        let totals = SavingsTotals::default();
        for confidence in 0..=MOST {
            let filter =
                RecommendationFilter { min_confidence: Some(confidence as f64), ..RecommendationFilter::default() };
            totals.hold_open(&filter, 1, OpenSavings::default());
        }
        assert_eq!(totals.lock().open.len(), MOST);
    }
}
