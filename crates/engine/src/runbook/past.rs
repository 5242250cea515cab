//! Trial of a runbook on the past: when its condition would have held over the stored samples, and
//! on which resources. Nothing is written.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use reeve_audit::{FieldCode, FieldError};
use reeve_estate::{ConnectionId, Resource, ResourceFilter, ResourceId, ResourcePages};
use reeve_recommend::error::EngineError;
use reeve_recommend::runbook::condition::{ConditionReading, ConditionSpan};
use reeve_recommend::runbook::{Runbook, RunbookName};

use super::RunbookService;
use super::edit::read;
use super::measuring::Measuring;
use crate::run::descriptions::documents;

/// Resources that a trial looks at; further ones are counted as left out.
const MOST_RESOURCES: usize = 2_000;
/// Resources with issues that a trial answers.
const MOST_FOUND: usize = 200;
/// Issues of one resource that a trial answers, the newest.
const MOST_SPANS: usize = 100;
/// Resources whose samples are loaded at a time.
const AT_ONCE: usize = 64;
/// Resources that are read from the inventory at a time.
const PAGE: u64 = 500;
/// Days that a trial may look back.
const MOST_DAYS: u32 = 90;

/// Runbook to try: a stored one, or a text.
#[derive(Debug, Clone, Copy)]
pub enum Tried<'a> {
    Stored(&'a RunbookName),
    Text(&'a str),
}

/// Issues of one resource in the past.
#[derive(Debug, Clone, PartialEq)]
pub struct PastIssue {
    pub connection: ConnectionId,
    pub resource: ResourceId,
    /// Name of the resource.
    pub name: String,
    /// Times in which the condition held, the oldest first.
    pub spans: Vec<ConditionSpan>,
    /// `true` if it holds now.
    pub holds_now: bool,
}

/// Result of a trial.
#[derive(Debug, Clone, PartialEq)]
pub struct PastIssues {
    pub runbook: Runbook,
    pub from: Timestamp,
    pub to: Timestamp,
    /// Resources that were looked at.
    pub examined: u64,
    /// Those among them whose condition is undecided now for lack of data.
    pub undecided: u64,
    /// Resources of the kind that were not looked at, because there are too many.
    pub left_out: u64,
    /// Tests that have no past, in words: they count as they are now.
    pub without_past: Vec<String>,
    /// Resources that had the issue, the longest first; at most 200.
    pub found: Vec<PastIssue>,
    /// Number of resources that had it.
    pub found_total: u64,
    /// Times that the change would have been made.
    pub changes: u64,
}

impl RunbookService {
    /// Tries a runbook on the samples of the last days.
    ///
    /// # Errors
    /// [`EngineError::Invalid`] for a text or a number of days that is wrong; no such runbook; the
    /// store failed.
    pub async fn try_on_the_past(
        &self,
        tried: Tried<'_>,
        days: u32,
    ) -> Result<PastIssues, EngineError> {
        if !(1..=MOST_DAYS).contains(&days) {
            let message = format!("must be from 1 to {MOST_DAYS}");
            let fault = FieldError::new("days", FieldCode::OutOfRange, message);
            return Err(EngineError::Invalid(vec![fault]));
        }
        let runbook = match tried {
            Tried::Stored(name) => self.get(name).await?.runbook,
            Tried::Text(source) => read(source)?,
        };

        let to = self.records.clock.now();
        let from = to - SignedDuration::from_hours(24 * i64::from(days));
        let (resources, left_out) = self.covered(&runbook).await?;
        let without_past = runbook.when.iter().filter(|test| !test.has_past());
        let mut past = PastIssues {
            from,
            to,
            examined: 0,
            undecided: 0,
            left_out,
            without_past: without_past.map(|test| test.words()).collect(),
            found: Vec::new(),
            found_total: 0,
            changes: 0,
            runbook,
        };
        let runbook = Arc::new(past.runbook.clone());
        let measuring = Measuring::new(&self.ports, vec![Arc::clone(&runbook)]);
        for (connection, own) in resources {
            for some in own.chunks(AT_ONCE) {
                self.look(&measuring, &connection, some, &mut past).await?;
            }
        }

        past.found_total = past.found.len() as u64;
        let length =
            |one: &PastIssue| -> i64 { one.spans.iter().map(|span| span.length().as_secs()).sum() };
        past.found.sort_by(|a, b| {
            length(b)
                .cmp(&length(a))
                .then_with(|| a.resource.cmp(&b.resource))
        });
        past.found.truncate(MOST_FOUND);
        Ok(past)
    }

    /// Returns the resources that a runbook is for, by connection, and the number of those that are
    /// too many.
    async fn covered(
        &self,
        runbook: &Runbook,
    ) -> Result<(BTreeMap<ConnectionId, Vec<Resource>>, u64), EngineError> {
        let filter = ResourceFilter {
            kind: Some(runbook.kind),
            provider: runbook.provider,
            ..ResourceFilter::default()
        };
        let mut pages = ResourcePages::new(filter, PAGE);
        let (mut found, mut count, mut left_out) = (BTreeMap::new(), 0, 0);
        while let Some(page) = pages.next(self.ports.scopes.estate()).await? {
            for resource in page {
                if count == MOST_RESOURCES {
                    left_out += 1;
                    continue;
                }
                count += 1;
                let connection = resource.connection.clone();
                let own: &mut Vec<Resource> = found.entry(connection).or_default();
                own.push(resource);
            }
        }
        Ok((found, left_out))
    }

    async fn look(
        &self,
        measuring: &Measuring,
        connection: &ConnectionId,
        resources: &[Resource],
        past: &mut PastIssues,
    ) -> Result<(), EngineError> {
        let history = (past.from, past.to);
        let mut measured = measuring.load(connection, resources, history).await?;
        let documents = documents(&*self.ports.descriptions, resources).await?;
        for resource in resources {
            let measured = measured.remove(&resource.id).unwrap_or_default();
            let key = (connection.clone(), resource.id.clone());
            let reading = ConditionReading {
                state: resource.state,
                storage_gib: resource.specification.storage_gib,
                document: documents.get(&key).map(|one| one.json()),
                measured: &measured,
                since: Some(past.from),
                now: past.to,
            };
            let (holds, _) = past.runbook.judge(&reading);
            let mut spans = past.runbook.past(&reading);
            past.examined += 1;
            past.undecided += u64::from(holds.is_none());
            let holds_now = holds == Some(true);
            if spans.is_empty() && !holds_now {
                continue;
            }
            past.changes += (spans.len() as u64).max(u64::from(holds_now));
            let earlier = spans.len().saturating_sub(MOST_SPANS);
            spans.drain(..earlier);
            past.found.push(PastIssue {
                connection: connection.clone(),
                resource: resource.id.clone(),
                name: resource.name.clone(),
                spans,
                holds_now,
            });
        }
        Ok(())
    }
}
