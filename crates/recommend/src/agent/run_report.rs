//! Report of a run: how much it looked at, the findings, and the position from which a run over
//! changes continues.

use std::collections::BTreeMap;
use std::marker::PhantomData;

use jiff::Timestamp;
use reeve_estate::{ConnectionId, named};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

named!(
    /// Resources that a run judged.
    RunExtent {
        /// Every resource of the scope.
        Full => "full",
        /// Resources that changed since the run before, and the related ones whose judgement
        /// depends on them.
        Changes => "changes",
    }
);

/// Resources that a run judged and found nothing for, for one reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PassedOver {
    /// Code of the reason.
    pub reason: String,
    pub count: u64,
    /// The first of them, at most [`MOST_PASSED_OVER`]: identifier and display name.
    pub resources: Vec<(String, String)>,
}

/// Resources that a report names for each reason.
pub const MOST_PASSED_OVER: usize = 20;

/// State of the estate that the judgements of an agent include.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunPosition {
    /// Digest of what the judgements depend on beside the estate
    /// ([`AgentTypes::basis`](crate::agent::contract::AgentTypes::basis)).
    pub basis: String,
    /// Digest of the connections, and of the kinds and regions that were read completely. A check
    /// may answer otherwise where a kind is complete, whatever changed.
    pub readings: String,
    /// Revision of each connection's descriptions up to which changes are judged.
    pub revisions: BTreeMap<ConnectionId, u64>,
}

/// Name of a detail of reports, with the type of its value.
#[derive(Debug)]
pub struct RunReportDetail<T> {
    name: &'static str,
    value: PhantomData<fn() -> T>,
}

impl<T> RunReportDetail<T> {
    /// A detail of a name, which differs from those of the report's own fields.
    #[must_use]
    pub const fn named(name: &'static str) -> Self {
        RunReportDetail {
            name,
            value: PhantomData,
        }
    }
}

/// Details of a run that its agent type defines, by name.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RunDetails(BTreeMap<String, Value>);

impl RunDetails {
    /// No details.
    #[must_use]
    pub const fn new() -> Self {
        RunDetails(BTreeMap::new())
    }

    /// Sets a detail.
    ///
    /// # Errors
    /// The value has no JSON form.
    pub fn put<T: Serialize>(
        &mut self,
        detail: &RunReportDetail<T>,
        value: &T,
    ) -> Result<(), serde_json::Error> {
        let value = serde_json::to_value(value)?;
        self.0.insert(detail.name.to_owned(), value);
        Ok(())
    }

    /// Returns a detail; `None` if the report does not have it, or has it in another form.
    #[must_use]
    pub fn get<T: DeserializeOwned>(&self, detail: &RunReportDetail<T>) -> Option<T> {
        T::deserialize(self.0.get(detail.name)?).ok()
    }
}

/// Result of one run of an agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunReport {
    /// Identifier of the run; its audit entries carry it.
    pub run_id: String,
    #[serde(default = "full")]
    pub extent: RunExtent,
    pub started_at: Timestamp,
    pub finished_at: Timestamp,
    /// Resources of the scope that the run looked at, those of kinds that are not judged included.
    pub resources_seen: u64,
    /// Resources that the run judged; `None` in reports of releases that did not count them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resources_judged: Option<u64>,
    /// Days that the learning period is measured by: those with samples in the scope, or those
    /// since the first whole run of an agent that judges configurations alone.
    pub days_observed: u32,
    /// First whole run of an agent whose judgement needs no samples; `None` for any other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub complete_since: Option<Timestamp>,
    /// Position after the run, of an agent that has runs over changes. A run that failed leaves the
    /// position before it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<RunPosition>,
    /// Recommendations made or refreshed.
    pub recommendations: u64,
    /// Recommendations applied by itself.
    pub applied: u64,
    /// Resources without a finding, and findings that led to nothing, as (reason, count).
    pub skipped: Vec<(String, u64)>,
    /// The part of `skipped` that is resources without a finding; empty in reports of releases that
    /// did not tell them apart.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub passed_over: Vec<PassedOver>,
    /// Details that the agent type defines, beside the other fields in the stored form.
    #[serde(flatten)]
    pub details: RunDetails,
    /// Reason for which the run failed; `None` if it succeeded.
    pub error: Option<String>,
}

/// Extent of the runs of releases that had no others.
const fn full() -> RunExtent {
    RunExtent::Full
}

impl RunReport {
    /// Returns the report of a run that begins: nothing is counted yet.
    #[must_use]
    pub const fn begun(run_id: String, extent: RunExtent, started_at: Timestamp) -> Self {
        RunReport {
            run_id,
            extent,
            started_at,
            finished_at: started_at,
            resources_seen: 0,
            resources_judged: Some(0),
            days_observed: 0,
            complete_since: None,
            position: None,
            recommendations: 0,
            applied: 0,
            skipped: Vec::new(),
            passed_over: Vec::new(),
            details: RunDetails::new(),
            error: None,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn details_stand_beside_the_fields_of_a_stored_report() {
        const TAPES: RunReportDetail<Vec<u32>> = RunReportDetail::named("tapes");
        let mut report = RunReport::begun("r-1".into(), RunExtent::Full, Timestamp::UNIX_EPOCH);
        report.details.put(&TAPES, &vec![1, 2]).unwrap();
        let stored = serde_json::to_value(&report).unwrap();
        assert_eq!(stored["tapes"], serde_json::json!([1, 2]));

        let read: RunReport = serde_json::from_value(stored).unwrap();
        assert_eq!(read, report);
        assert_eq!(read.details.get(&TAPES), Some(vec![1, 2]));
        assert_eq!(
            read.details.get(&RunReportDetail::<String>::named("tapes")),
            None
        );
    }

    #[test]
    fn a_report_of_an_earlier_release_is_one_of_a_full_run() {
        let stored = serde_json::json!({
            "run_id": "r-1", "started_at": "2026-01-01T00:00:00Z", "finished_at": "2026-01-01T00:00:01Z",
            "resources_seen": 3, "days_observed": 2, "recommendations": 1, "applied": 0, "skipped": [],
            "portfolios": [{ "account": "1" }], "error": null,
        });
        let read: RunReport = serde_json::from_value(stored.clone()).unwrap();
        assert_eq!(
            (read.extent, read.resources_judged, &read.position),
            (RunExtent::Full, None, &None)
        );
        let again = serde_json::to_value(&read).unwrap();
        assert_eq!(again["portfolios"], stored["portfolios"]);
    }
}
