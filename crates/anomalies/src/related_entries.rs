//! Log entries before an anomaly: actions on its resource, from imported records and entries of
//! others.
//!
//!
//! A user who may see an anomaly may not be allowed to see those entries. They are therefore stored
//! beside the anomaly and never mentioned in its texts; a presenter adds them for users who may see
//! the entries themselves ([`Anomaly::view`]). Nobody else learns that they exist.

use jiff::{SignedDuration, Timestamp};
use reeve_audit::query::{Expr, FieldPath, Match, Query, QueryColumn, may_be_by_reeve, time_range};
use reeve_audit::{
    ActionStatus, Entry,
    events::{self, OBSERVED},
};
use reeve_estate::{ResourceId, ResourceKind};
use reeve_learn::behavior::words::{Verb, Words};
use reeve_recommend::judgement::activity::named;
use reeve_recommend::words::minute;

use super::cause::SHORTLY;
use super::entry_names::operation;
use super::likely_cause::LikelyCause;
use super::pace::POINT;
use super::record::{Anomaly, AnomalyClass};
use super::related_entry::RelatedEntry;
use crate::behavior::machine;

/// Entries that are looked through; reads that say so are left out in advance.
pub(super) const MOST_READ: usize = 200;
/// Entries that are kept with an anomaly.
const MOST_KEPT: usize = 5;
/// Records of a cloud arrive late; so long after an anomaly was noticed they are looked for again.
pub(super) const LATE: SignedDuration = SignedDuration::from_hours(1);

/// Describes an entry: `ann@example.com called StopInstances on it at 2026-11-15 23:51 UTC`.
pub(crate) fn described(entry: &RelatedEntry) -> String {
    format!(
        "{} called {} on it at {}",
        entry.who(),
        entry.operation,
        minute(entry.at)
    )
}

/// Description of the cause for one reader.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CauseView {
    /// The cause in words.
    pub cause: String,
    /// Evidence of the cause.
    pub evidence: Vec<String>,
    /// Recommended response, as text for people.
    pub advice: String,
}

impl Anomaly {
    /// Returns the cause for a reader who may see these related entries, oldest first.
    #[must_use]
    pub fn cause_for(&self, related_entries: &[&RelatedEntry]) -> CauseView {
        let mut view = CauseView {
            cause: self.cause_in_words(),
            evidence: self.evidence.clone(),
            advice: self.advice.clone(),
        };

        view.evidence.extend(
            related_entries
                .iter()
                .map(|entry| format!("entry {} of the log: {}", entry.sequence, described(entry))),
        );

        let Some(last) = related_entries.last() else {
            return view;
        };

        match &self.cause {
            None | Some(LikelyCause::ChangeByReeve(_)) => {}
            Some(LikelyCause::Unknown) => {
                view.cause = described(last);
                view.advice = format!(
                    "Ask {} for the reason, and revert the change if the problem persists.",
                    last.who()
                );
            }
            Some(LikelyCause::Hypothesis { statement, .. }) => {
                view.cause = format!("{statement}; {}", described(last));
            }
        }

        view
    }
}

/// Returns the query for the log entries; `None` if the anomaly has no resource.
pub(super) fn query(anomaly: &Anomaly) -> Option<Query> {
    ResourceKind::parse(&anomaly.place.kind)?;
    let from = anomaly.started_at.checked_sub(SHORTLY).ok()?;
    let to = match anomaly.class {
        AnomalyClass::Security => anomaly.started_at,
        // A point is dated by its beginning, and the event may lie within it.
        _ => anomaly.started_at + POINT,
    };
    Some(changes_of(
        [&ResourceId::new(anomaly.place.id.clone())],
        (from, to),
    ))
}

/// Returns the query for entries about changes of resources within a time. Reads that say so are
/// left out, and so is what Reeve records of its own changes.
pub(super) fn changes_of<'a>(
    resources: impl IntoIterator<Item = &'a ResourceId>,
    (from, to): (Timestamp, Timestamp),
) -> Query {
    let is = |column: QueryColumn, text: &str| Expr::field(column, Match::Exact(text.to_owned()));
    let failed = [
        ActionStatus::Failed,
        ActionStatus::Denied,
        ActionStatus::Pending,
    ];

    let useless = failed
        .map(|status| is(QueryColumn::ActionStatus, status.as_str()))
        .into_iter()
        .chain([
            is(QueryColumn::EventType, events::RESOURCE_VIEW.name),
            is(QueryColumn::Category, "authentication"),
        ])
        // Reeve's own account of what it does to the resource; others could use the tag to hide.
        .chain([Expr::and([
            // Changes that a sync saw are no events of Reeve's; who made them is in the cloud's own
            // record.
            Expr::or([
                Expr::field(
                    FieldPath::MetadataTags,
                    Match::Exact("intelligence".to_owned()),
                ),
                Expr::field(FieldPath::MetadataTags, Match::Exact(OBSERVED.to_owned())),
            ]),
            may_be_by_reeve(),
        ])]);

    Query {
        expr: Expr::and([
            Expr::or(resources.into_iter().map(named)),
            time_range(Some(from), Some(to)),
            Expr::negate(Expr::or(useless)),
        ]),
    }
}

/// Those that changed something and that the anomaly is not itself of, oldest first. `found` is
/// newest first.
pub(super) fn related_entries(anomaly: &Anomaly, found: Vec<(u64, Entry)>) -> Vec<RelatedEntry> {
    let mut entries: Vec<RelatedEntry> = found
        .into_iter()
        .filter(|(_, entry)| changes_something(entry) && concerns(anomaly, entry))
        .map(|(sequence, entry)| related_entry(sequence, entry))
        .collect();
    entries.sort_by_key(|entry| std::cmp::Reverse((entry.at, entry.sequence)));

    entries.truncate(MOST_KEPT);
    entries.reverse();
    entries
}

/// Returns an entry as it is kept with an anomaly.
pub(super) fn related_entry(sequence: u64, entry: Entry) -> RelatedEntry {
    RelatedEntry {
        sequence,
        event_id: entry.event_id.as_str().to_owned(),
        at: entry.timestamp,
        operation: operation(&entry),
        actor_id: entry.actor.id,
        actor_email: entry.actor.email,
    }
}

/// Returns `true` if an entry is of an operation that may change something.
pub(super) fn changes_something(entry: &Entry) -> bool {
    let verb = Verb::classify(&Words::from_operation("", &operation(entry)));
    !matches!(
        verb,
        Verb::Read | Verb::Assume | Verb::SignIn | Verb::SignOut
    )
}

/// Two accounts may have a database of one name; and the machine's own actions are the subject of
/// its security anomaly already.
fn concerns(anomaly: &Anomaly, entry: &Entry) -> bool {
    let account = entry
        .resource
        .account_id
        .as_ref()
        .zip(anomaly.place.account.as_ref());
    let own = anomaly.class == AnomalyClass::Security
        && machine(entry).is_some_and(|machine| machine == anomaly.place.id);
    account.is_none_or(|(theirs, ours)| theirs == ours) && !own
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use reeve_audit::{ActionMethod, Actor, EventType, ResourceRef};

    use super::super::investigation::HypothesisKind;
    use super::super::record::{AnomalyStatus, Place};
    use super::*;
    use reeve_recommend::recommendation::Priority;
    use reeve_recommend::recommendation::origin::AnomalyId;

    fn at(minute: i64) -> Timestamp {
        Timestamp::from_second(1_794_787_200 + minute * 60).unwrap()
    }

    fn anomaly(cause: Option<LikelyCause>) -> Anomaly {
        Anomaly {
            id: AnomalyId("an-1".to_owned()),
            incident: AnomalyId("an-1".to_owned()),
            class: AnomalyClass::Performance,
            status: AnomalyStatus::Open,
            severity: Priority::High,
            title: String::new(),
            place: Place {
                id: "i-1".to_owned(),
                kind: "virtual_machine".to_owned(),
                account: Some("1".to_owned()),
                ..Place::default()
            },
            readings: Vec::new(),
            deviation_percent: None,
            cause,
            contributions: Vec::new(),
            activity: None,
            investigation: None,
            remediation: None,
            evidence: vec!["CPU was 97 %".to_owned()],
            advice: "Look.".to_owned(),
            related_entries: Vec::new(),
            responses: Vec::new(),
            feedback: Vec::new(),
            started_at: at(0),
            last_at: at(0),
            detected_at: at(7),
            resolved_at: None,
            reopened_at: None,
            key: String::new(),
            version: 1,
        }
    }

    fn entry(operation: &str, minute: i64) -> Entry {
        Entry::new(EventType::from_static("api.call"))
            .by(Actor::user("u-1").with_email("ann@example.com"))
            .on(ResourceRef::new("virtual_machine", "i-1").in_cloud("aws", "1", "us-east-1"))
            .with_action(operation, ActionStatus::Success, ActionMethod::Api)
            .at(at(minute))
    }

    /// Returns the operations that are kept for an anomaly.
    fn kept(anomaly: &Anomaly, entries: &[Entry]) -> Vec<String> {
        let query = query(anomaly).unwrap();
        let found = entries
            .iter()
            .rev()
            .filter(|entry| query.matches(entry, entry.timestamp, at(60)));
        related_entries(anomaly, found.map(|entry| (7, entry.clone())).collect())
            .into_iter()
            .map(|entry| entry.operation)
            .collect()
    }

    #[test]
    fn what_changed_something_shortly_before_is_kept() {
        let degraded = anomaly(None);
        let view = Entry {
            event_type: EventType::from_static("resource.view"),
            ..entry("Frobnicate", -5)
        };
        let failed = Entry {
            action: reeve_audit::Action {
                status: Some(ActionStatus::Failed),
                ..entry("StopInstances", -5).action
            },
            ..entry("", -5)
        };

        let other = entry("StopInstances", -5).on(ResourceRef::new("virtual_machine", "i-2"));
        let elsewhere = entry("StopInstances", -5)
            .on(ResourceRef::new("virtual_machine", "i-1").in_cloud("aws", "2", "us-east-1"));
        let own = entry("action.start", -5).with_tag("intelligence");
        let passed_over = [
            view,
            failed,
            other,
            elsewhere,
            own,
            entry("DescribeInstances", -5),
            entry("RebootInstances", -121),
            entry("RebootInstances", 6),
        ];
        assert_eq!(kept(&degraded, &passed_over), Vec::<String>::new());

        // Others cannot hide behind the tag of Reeve's own account.
        let by = reeve_audit::Submitter::local("uid 7");
        let hiding = Entry {
            submitted_by: Some(by.into()),
            ..entry("StopInstances", -5).with_tag("intelligence")
        };
        assert_eq!(kept(&degraded, &[hiding]), ["StopInstances"]);

        let done = [
            entry("ModifyInstanceAttribute", -119),
            entry("StartInstances", -3),
            entry("deploy", 5),
        ];

        assert_eq!(
            kept(&degraded, &done),
            ["ModifyInstanceAttribute", "StartInstances", "deploy"]
        );

        let many: Vec<Entry> = (0..20)
            .map(|minute| entry(&format!("UpdateTo{minute}"), minute - 30))
            .collect();
        assert_eq!(
            kept(&degraded, &many),
            [
                "UpdateTo15",
                "UpdateTo16",
                "UpdateTo17",
                "UpdateTo18",
                "UpdateTo19"
            ]
        );

        // Of a security anomaly strictly what was before it; of spending and of people nothing.
        let security = Anomaly {
            class: AnomalyClass::Security,
            ..anomaly(None)
        };
        assert_eq!(
            kept(&security, &done),
            ["ModifyInstanceAttribute", "StartInstances"]
        );

        let person = Place {
            kind: "principal".to_owned(),
            ..degraded.place.clone()
        };
        assert!(
            query(&Anomaly {
                place: person,
                ..degraded
            })
            .is_none()
        );
    }

    #[test]
    fn an_entry_is_shown_only_to_users_who_may_see_it() {
        let entry = |operation: &str, minute: i64| RelatedEntry {
            sequence: 41,
            event_id: "e".to_owned(),
            at: at(minute),
            actor_id: Some("u-1".to_owned()),
            actor_email: Some("ann@example.com".to_owned()),
            operation: operation.to_owned(),
        };
        let (first, last) = (entry("StopInstances", -9), entry("StartInstances", -3));

        let unknown = anomaly(Some(LikelyCause::Unknown));
        let blind = unknown.cause_for(&[]);
        assert_eq!(
            (&blind.cause, &blind.evidence, &blind.advice),
            (
                &unknown.cause_in_words(),
                &unknown.evidence,
                &unknown.advice
            )
        );

        let seeing = unknown.cause_for(&[&first, &last]);
        assert_eq!(
            seeing.cause,
            "ann@example.com called StartInstances on it at 2026-11-15 23:57 UTC"
        );
        assert_eq!(
            seeing.evidence[1],
            "entry 41 of the log: ann@example.com called StopInstances on it at 2026-11-15 23:51 UTC"
        );
        assert!(seeing.evidence.len() == 3 && seeing.advice.starts_with("Ask ann@example.com"));

        let hypothesis = |kind, text: &str| LikelyCause::Hypothesis {
            kind: Some(kind),
            statement: text.to_owned(),
        };

        let changed = hypothesis(
            HypothesisKind::ChangeByOthers,
            "its size was changed from a to b",
        );
        let sized = anomaly(Some(changed)).cause_for(&[&last]);
        assert_eq!(
            sized.cause,
            "its size was changed from a to b; ann@example.com called StartInstances on it at 2026-11-15 23:57 UTC"
        );
        assert_eq!((sized.advice.as_str(), sized.evidence.len()), ("Look.", 2));

        let own = anomaly(Some(LikelyCause::ChangeByReeve(None)));
        assert_eq!(own.cause_for(&[&last]).cause, own.cause_in_words());

        // The kind decides, not the words: a resource may have any name.
        let named = hypothesis(
            HypothesisKind::NewResource,
            "not known-7 costs where it cost nothing",
        );
        let named = anomaly(Some(named)).cause_for(&[&last]);
        assert!(
            named
                .cause
                .starts_with("not known-7 costs where it cost nothing; ann@"),
            "{}",
            named.cause
        );

        assert_eq!(named.advice, "Look.");
        assert_eq!(
            anomaly(None).cause_for(&[&last]).cause,
            "",
            "nobody looked into it"
        );
    }
}
