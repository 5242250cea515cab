//! Coverage of a period: since when the log exists, who submitted entries, where syncs stopped, and
//! which expected source was silent. An auditor asks for the completeness of a population before
//! its content.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use reeve_audit::query::{Expr, FieldPath, Match, QueryColumn};
use reeve_audit::{ActionStatus, Entry, Submitter, SubmitterType, events};

use crate::period::ReportPeriod;

/// Time without a successful sync from which on it is an interruption.
pub const INTERRUPTION: SignedDuration = SignedDuration::from_hours(6);
/// Interruptions listed of a connection, the longest.
const MOST_INTERRUPTIONS: usize = 5;
/// Connections that are followed.
const MOST_CONNECTIONS: usize = 1_000;
/// Type of the resource that a sync of a connection names.
const CONNECTION: &str = "connection";

/// Coverage of a report's period.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Coverage {
    /// Time at which the first entry of the log was recorded; `None` for an empty log.
    pub log_begins_at: Option<Timestamp>,
    /// Parties that submitted entries of the period, and expected ones that did not; the most
    /// entries first.
    pub sources: Vec<SourceCoverage>,
    /// Connections to clouds, by name.
    pub connections: Vec<ConnectionCoverage>,
}

/// Entries of one submitter in the period.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceCoverage {
    /// Submitter in words, such as `Reeve` or `token "ci import" of ci@acme.example`.
    pub name: String,
    /// Number of entries; 0 for a source that was expected and is silent.
    pub entries: u64,
    /// Time at which its first entry of the period was recorded.
    pub first_at: Option<Timestamp>,
    /// Time at which its last entry of the period was recorded.
    pub last_at: Option<Timestamp>,
}

/// Syncs of one connection in the period.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConnectionCoverage {
    pub id: String,
    pub name: String,
    /// Creation time, from which on syncs are expected; `None` for a connection that was removed.
    pub created_at: Option<Timestamp>,
    /// Number of syncs that succeeded.
    pub succeeded: u64,
    /// Number of syncs that failed.
    pub failed: u64,
    /// First sync of the period that succeeded.
    pub first_at: Option<Timestamp>,
    /// Last sync of the period that succeeded.
    pub last_at: Option<Timestamp>,
    /// Interruptions, the longest first, at most five.
    pub interruptions: Vec<ReportPeriod>,
    pub interruptions_total: u64,
}

impl Coverage {
    /// Returns the part of the period before the log began, if any.
    #[must_use]
    pub fn before_the_log(&self, period: ReportPeriod) -> Option<ReportPeriod> {
        let begins = self.log_begins_at.unwrap_or(period.end).min(period.end);
        (begins > period.start).then_some(ReportPeriod {
            start: period.start,
            end: begins,
        })
    }

    /// Returns the number of expected sources and connections that were silent or interrupted.
    #[must_use]
    pub fn faults(&self) -> usize {
        let silent = self
            .sources
            .iter()
            .filter(|source| source.entries == 0)
            .count();
        let broken = |one: &&ConnectionCoverage| one.succeeded == 0 || one.interruptions_total > 0;
        silent + self.connections.iter().filter(broken).count()
    }
}

/// Returns the party that handed in an entry, in words.
#[must_use]
pub fn submitter_of(entry: &Entry) -> String {
    entry
        .submitted_by
        .as_deref()
        .map_or_else(|| "not recorded".to_owned(), submitter_words)
}

/// Returns a submitter in words.
#[must_use]
pub fn submitter_words(submitter: &Submitter) -> String {
    let owner = submitter.email.as_deref().or(submitter.id.as_deref());
    match submitter.kind {
        SubmitterType::Reeve => "Reeve".to_owned(),
        SubmitterType::Token => {
            let name = submitter
                .token_name
                .as_deref()
                .or(submitter.token_id.as_deref())
                .unwrap_or("without a name");
            owner.map_or_else(
                || format!("token {name}"),
                |owner| format!("token {name} of {owner}"),
            )
        }
        SubmitterType::Session => format!("{} (signed in)", owner.unwrap_or("a user")),
        SubmitterType::Source => format!("source {}", owner.unwrap_or("of entries")),
        SubmitterType::Local => format!("import by {}", owner.unwrap_or("the operator")),
    }
}

/// A connection that should be synced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExpectedConnection {
    pub id: String,
    pub name: String,
    pub created_at: Timestamp,
}

/// Condition of entries about syncs of connections.
pub(crate) fn syncs() -> Expr {
    let is =
        |column, text: &str| Expr::field(FieldPath::Column(column), Match::Exact(text.to_owned()));
    let sync = is(
        QueryColumn::EventType,
        events::INTEGRATION_SYNC.event_type().as_str(),
    );
    Expr::and([sync, is(QueryColumn::ResourceType, CONNECTION)])
}

/// Syncs seen so far, by connection.
#[derive(Debug, Default)]
pub(crate) struct SyncTally(BTreeMap<String, Syncs>);

#[derive(Debug, Default)]
struct Syncs {
    name: Option<String>,
    failed: u64,
    /// Times of those that succeeded. They come in order of recording.
    succeeded: u64,
    first_at: Option<Timestamp>,
    last_at: Option<Timestamp>,
    interruptions: Interruptions,
}

#[derive(Debug, Default)]
struct Interruptions {
    longest: Vec<ReportPeriod>,
    total: u64,
}

impl Interruptions {
    fn add(&mut self, start: Timestamp, end: Timestamp) {
        if end.duration_since(start) <= INTERRUPTION {
            return;
        }

        self.total += 1;
        self.longest.push(ReportPeriod { start, end });
        self.longest
            .sort_by_key(|gap| std::cmp::Reverse(gap.end.duration_since(gap.start)));
        self.longest.truncate(MOST_INTERRUPTIONS);
    }
}

impl SyncTally {
    /// Takes an entry of the period, if it is about a sync of a connection.
    pub(crate) fn observe(&mut self, entry: &Entry) {
        let is_sync = entry.event_type == events::INTEGRATION_SYNC.event_type()
            && entry.resource.kind.as_deref() == Some(CONNECTION)
            // Whoever may append could otherwise fill an interruption.
            && entry.may_be_by_reeve();
        let Some(id) = entry.resource.id.as_deref().filter(|_| is_sync) else {
            return;
        };

        if !self.0.contains_key(id) && self.0.len() >= MOST_CONNECTIONS {
            return;
        }

        let syncs = self.0.entry(id.to_owned()).or_default();
        if let Some(name) = entry
            .metadata
            .extra
            .get("connection")
            .and_then(reeve_audit::Json::as_str)
        {
            syncs.name = Some(name.to_owned());
        }

        match entry.action.status {
            Some(ActionStatus::Success) => {
                let at = entry.timestamp;
                if let Some(last) = syncs.last_at {
                    syncs.interruptions.add(last, at);
                }
                syncs.succeeded += 1;
                syncs.first_at = Some(syncs.first_at.map_or(at, |first| first.min(at)));
                syncs.last_at = Some(syncs.last_at.map_or(at, |last| last.max(at)));
            }
            Some(ActionStatus::Failed | ActionStatus::Denied) => syncs.failed += 1,
            _ => {}
        }
    }

    /// Ends: every connection that is expected or was seen, by name.
    pub(crate) fn finish(
        mut self,
        expected: &[ExpectedConnection],
        period: ReportPeriod,
    ) -> Vec<ConnectionCoverage> {
        let mut all: Vec<_> = expected
            .iter()
            .map(|one| {
                let syncs = self.0.remove(&one.id).unwrap_or_default();
                covered(
                    one.id.clone(),
                    one.name.clone(),
                    Some(one.created_at),
                    syncs,
                    period,
                )
            })
            .collect();

        for (id, syncs) in self.0 {
            let name = syncs.name.clone().unwrap_or_else(|| id.clone());
            all.push(covered(id, name, None, syncs, period));
        }

        all.sort_by(|a, b| a.name.cmp(&b.name).then_with(|| a.id.cmp(&b.id)));
        all
    }
}

fn covered(
    id: String,
    name: String,
    created_at: Option<Timestamp>,
    syncs: Syncs,
    period: ReportPeriod,
) -> ConnectionCoverage {
    let mut interruptions = syncs.interruptions;
    // The time before the first sync and after the last counts where the connection existed
    // throughout.
    if let Some(created_at) = created_at {
        let from = created_at.max(period.start);
        let first = syncs.first_at.unwrap_or(period.end);
        if from < first {
            interruptions.add(from, first);
        }
        if let Some(last) = syncs.last_at {
            interruptions.add(last, period.end);
        }
    }

    ConnectionCoverage {
        id,
        name,
        created_at,
        succeeded: syncs.succeeded,
        failed: syncs.failed,
        first_at: syncs.first_at,
        last_at: syncs.last_at,
        interruptions: interruptions.longest,
        interruptions_total: interruptions.total,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use reeve_audit::{ActionMethod, Json, ResourceRef};

    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    fn sync(id: &str, time: &str, status: ActionStatus) -> Entry {
        Entry::for_event(&events::INTEGRATION_SYNC)
            .at(at(time))
            .on(ResourceRef::new(CONNECTION, id))
            .with_action("sync", status, ActionMethod::Scheduled)
            .with_metadata("connection", Json::from("production".to_owned()))
    }

    #[test]
    fn interruptions_and_silent_connections_are_named() {
        let period = ReportPeriod {
            start: at("2026-11-01T00:00:00Z"),
            end: at("2026-11-03T00:00:00Z"),
        };
        let mut tally = SyncTally::default();

        for (time, status) in [
            ("2026-11-01T01:00:00Z", ActionStatus::Success),
            ("2026-11-01T01:00:00Z", ActionStatus::Pending),
            ("2026-11-01T06:00:00Z", ActionStatus::Success),
            ("2026-11-01T08:00:00Z", ActionStatus::Failed),
            ("2026-11-02T06:00:00Z", ActionStatus::Success),
        ] {
            tally.observe(&sync("c1", time, status));
        }

        let expected = ["c1", "c2"].map(|id| ExpectedConnection {
            id: id.to_owned(),
            name: format!("name of {id}"),
            created_at: at("2026-10-01T00:00:00Z"),
        });
        let found = tally.finish(&expected, period);
        assert_eq!(
            (
                found[0].succeeded,
                found[0].failed,
                found[0].interruptions_total
            ),
            (3, 1, 2)
        );

        let longest = found[0].interruptions[0];
        assert_eq!(
            (longest.start, longest.end),
            (at("2026-11-01T06:00:00Z"), at("2026-11-02T06:00:00Z"))
        );
        assert_eq!(
            (found[1].succeeded, found[1].interruptions.as_slice()),
            (0, &[period][..]),
            "never synced"
        );

        let coverage = Coverage {
            log_begins_at: Some(at("2026-11-02T00:00:00Z")),
            connections: found,
            ..Default::default()
        };
        assert_eq!(coverage.faults(), 2);
        assert_eq!(
            coverage.before_the_log(period),
            Some(ReportPeriod {
                end: at("2026-11-02T00:00:00Z"),
                ..period
            })
        );
    }
}
