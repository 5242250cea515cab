//! Savings that were added up before, with the revision of the recommendations that they were read
//! from: of the open ones, and of those that succeeded.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use reeve_recommend::ports::RecommendationFilter;
use reeve_recommend::recommendation::totals::{DailySavings, OpenSavings};

/// Filters whose savings are held at most; more are not held.
const MOST: usize = 64;

/// Savings of the newest revisions.
#[derive(Debug, Default)]
pub(crate) struct SavingsTotals {
    held: Mutex<Held>,
}

#[derive(Debug, Default)]
struct Held {
    /// Revision of the open recommendations, and their savings by filter.
    open: (i64, HashMap<String, OpenSavings>),
    /// Revision of the recommendations that succeeded, and their savings by day.
    by_day: Option<(i64, Vec<DailySavings>)>,
}

impl SavingsTotals {
    /// Returns the savings of what a filter finds open, if no open recommendation was written since
    /// they were read.
    pub(crate) fn open(&self, filter: &RecommendationFilter, revision: i64) -> Option<OpenSavings> {
        let key = key(filter)?;
        let held = self.lock();
        held.open
            .1
            .get(&key)
            .filter(|_| held.open.0 == revision)
            .copied()
    }

    /// Holds the savings of what a filter finds open, read after the revision was. Those of other
    /// revisions are dropped.
    pub(crate) fn hold_open(
        &self,
        filter: &RecommendationFilter,
        revision: i64,
        savings: OpenSavings,
    ) {
        let Some(key) = key(filter) else { return };
        let mut held = self.lock();
        if held.open.0 != revision {
            held.open = (revision, HashMap::new());
        }
        if held.open.1.len() < MOST {
            held.open.1.insert(key, savings);
        }
    }

    /// Returns the savings by day, if no recommendation that succeeded was written since they were
    /// read.
    pub(crate) fn by_day(&self, revision: i64) -> Option<Vec<DailySavings>> {
        let held = self.lock();
        held.by_day
            .as_ref()
            .filter(|(of, _)| *of == revision)
            .map(|(_, days)| days.clone())
    }

    /// Holds the savings by day, read after the revision was.
    pub(crate) fn hold_by_day(&self, revision: i64, days: &[DailySavings]) {
        self.lock().by_day = Some((revision, days.to_vec()));
    }

    fn lock(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Key of a filter whose savings depend on the recommendations alone. Others have none: conditions
/// on accounts and feedback read further tables, and those that name resources find few.
fn key(filter: &RecommendationFilter) -> Option<String> {
    let RecommendationFilter {
        visible,
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
    (visible.limit().is_none() && ids.is_empty() && resources.is_empty())
        .then(|| format!("{status:?} {agent:?} {kind:?} {priority:?} {min_confidence:?} {is_open}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn savings_are_held_until_the_revision_moves() {
        let totals = SavingsTotals::default();
        let (any, some) = (
            RecommendationFilter::default(),
            OpenSavings {
                unpriced: 3,
                ..OpenSavings::default()
            },
        );

        totals.hold_open(&any, 7, some);
        assert_eq!(totals.open(&any, 7), Some(some));
        assert_eq!(totals.open(&any, 8), None, "written since");

        let other = RecommendationFilter {
            min_confidence: Some(85.0),
            ..RecommendationFilter::default()
        };
        assert_eq!(totals.open(&other, 7), None, "another filter");
        totals.hold_open(&other, 8, some);
        assert_eq!(totals.open(&any, 7), None, "dropped with its revision");
    }

    #[test]
    fn savings_by_day_have_a_revision_of_their_own() {
        let (totals, any) = (SavingsTotals::default(), RecommendationFilter::default());
        totals.hold_by_day(3, &[]);
        totals.hold_open(&any, 8, OpenSavings::default());
        assert_eq!(
            totals.by_day(3),
            Some(Vec::new()),
            "open recommendations were written, and these stay"
        );

        assert_eq!(
            (totals.by_day(4), totals.open(&any, 8)),
            (None, Some(OpenSavings::default()))
        );
    }

    #[test]
    fn what_reads_further_tables_is_not_held() {
        let totals = SavingsTotals::default();
        let account = RecommendationFilter {
            account: Some("acme".into()),
            ..RecommendationFilter::default()
        };
        totals.hold_open(&account, 1, OpenSavings::default());
        assert_eq!(totals.open(&account, 1), None);
    }

    #[test]
    fn few_filters_are_held() {
        let totals = SavingsTotals::default();
        for confidence in 0..=MOST {
            let filter = RecommendationFilter {
                min_confidence: Some(confidence as f64),
                ..RecommendationFilter::default()
            };
            totals.hold_open(&filter, 1, OpenSavings::default());
        }
        assert_eq!(totals.lock().open.1.len(), MOST);
    }
}
