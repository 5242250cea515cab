//! Results of checks in a report, and the entries that recorded them. Such an entry may be older
//! than the period, or answer no query of the report, so it is read beside the scan and cited at
//! its place in the order of sequences.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use anyhow::{Context as _, Result, anyhow};
use reeve_ledger::StoredEntry;
use reeve_reports::{
    ConfigurationRequest, ReportConfiguration, ReportPeriod, ReportPlan, ReportRun,
};
use reeve_trail::Trail;

use crate::tasks::context::TaskContext;

/// Reads the results of a framework as of the end of the period, each with the place of its entry.
pub(super) async fn gather(
    context: &TaskContext,
    trail: &Trail,
    run: &ReportRun,
    plan: &ReportPlan,
) -> Result<Option<ReportConfiguration>> {
    let Some(framework) = plan
        .template
        .and_then(|template| template.checks.as_deref())
    else {
        return Ok(None);
    };

    // A period that has not ended is reported up to the request.
    let period = ReportPeriod {
        end: plan.period.end.min(run.created_at),
        ..plan.period
    };
    let request = ConfigurationRequest {
        framework,
        period,
        filters: &run.request.filters,
    };
    let found = context.configurations.configuration(request).await;
    let found = found
        .map_err(|error| anyhow!("{error}"))
        .context("the results of checks could not be read")?;
    let Some(mut configuration) = found else {
        return Ok(None);
    };

    let mut positions = BTreeMap::new();
    for id in configuration.event_ids() {
        if let Some(stored) = trail.by_event_id(id).await? {
            positions.insert(id.to_owned(), stored.sequence);
        }
    }
    configuration.locate(&positions);

    Ok(Some(configuration))
}

/// Places of the entries that are still to be cited.
pub(super) struct Recorded {
    trail: Trail,
    ahead: BTreeSet<u64>,
}

/// Part of a stretch, in the order of sequences.
pub(super) type Part = Vec<Arc<StoredEntry>>;

impl Recorded {
    pub(super) fn new(trail: &Trail, configuration: Option<&ReportConfiguration>) -> Recorded {
        Recorded {
            trail: trail.clone(),
            ahead: configuration
                .map(ReportConfiguration::sequences)
                .unwrap_or_default(),
        }
    }

    /// Returns the next part of a stretch that ends before `to`: entries that the scan found up to
    /// one that it did not, and that one. What is returned is removed from `found`; `None` when
    /// nothing is left.
    pub(super) async fn next(&mut self, found: &mut Part, to: u64) -> Result<Option<Part>> {
        while let Some(sequence) = self.ahead.first().copied().filter(|next| *next < to) {
            self.ahead.pop_first();
            let before = found.partition_point(|stored| stored.sequence < sequence);
            let is_found = found
                .get(before)
                .is_some_and(|stored| stored.sequence == sequence);
            if is_found {
                continue;
            }

            let stored = self.trail.by_sequence(sequence).await?;
            let stored = stored.context("an entry about results of checks is gone")?;
            let rest = found.split_off(before);
            let mut part = std::mem::replace(found, rest);
            part.push(stored);
            return Ok(Some(part));
        }

        let rest = std::mem::take(found);
        Ok((!rest.is_empty()).then_some(rest))
    }
}
