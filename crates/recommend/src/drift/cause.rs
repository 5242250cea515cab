//! Causes of a drift: entries of the log about the resource, between the last observation that
//! agreed with the baseline and the first one of the present difference.
//!
//! The reader of a drift sees the causes that row visibility lets them see, so they are searched
//! for by each reader and not kept with the drift. Importers deliver late: what is not in the log
//! when a drift is detected may be there an hour later.

use std::collections::BTreeSet;

use jiff::{SignedDuration, Timestamp};
use reeve_audit::query::{Expr, FieldPath, Match, Pattern, Query, QueryColumn, time_range};
use reeve_audit::{ActionStatus, Entry, Json, events};
use reeve_estate::{Provider, ResourceId};

use super::record::{Drift, DriftKind, DriftSubject};
use crate::judgement::activity::named;

/// Entries that are read to find causes.
pub const MOST_READ: usize = 100;
/// Causes that are shown.
const MOST_CAUSES: usize = 10;
/// Difference between the clock of a provider and the one of Reeve.
const SKEW: SignedDuration = SignedDuration::from_mins(1);

/// An entry that may have caused a drift.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DriftCause {
    pub event_id: String,
    pub event_type: String,
    /// Operation as its source calls it (`AuthorizeSecurityGroupIngress`).
    pub operation: Option<String>,
    pub at: Timestamp,
    pub actor_type: Option<String>,
    pub actor_id: Option<String>,
    pub actor_email: Option<String>,
    /// `true` if the operation changes resources. Others are shown behind those that do.
    pub is_change: bool,
    /// Reeve's own executed action, if it was one.
    pub action_id: Option<String>,
}

/// Query for the entries that may have caused a drift.
#[must_use]
pub fn query(drift: &Drift) -> Query {
    let is = |column: QueryColumn, text: &str| Expr::field(column, Match::Exact(text.to_owned()));
    let statuses = [ActionStatus::Denied, ActionStatus::Failed];
    let not_done = statuses.map(|status| is(QueryColumn::ActionStatus, status.as_str()));
    // A step of an action of Reeve changes the resource before its end is recorded.
    let is_step = Expr::field(
        FieldPath::Metadata(vec!["action_id".to_owned()]),
        Match::Exists,
    );
    let intended = Expr::and([
        is(QueryColumn::ActionStatus, ActionStatus::Pending.as_str()),
        Expr::negate(is_step),
    ]);
    let observed = Expr::field(
        FieldPath::MetadataTags,
        Match::Exact(events::OBSERVED.to_owned()),
    );
    // Reeve's judgements about a resource change nothing; its actions are recorded step by step, as
    // changes of the resource.
    let no_cause = not_done.into_iter().chain([
        intended,
        observed,
        is(QueryColumn::Category, "intelligence"),
        is(QueryColumn::EventType, events::RESOURCE_VIEW.name),
    ]);

    let until = drift
        .changed_at
        .checked_add(SKEW)
        .unwrap_or(drift.changed_at);
    Query {
        expr: Expr::and([
            about(&drift.subject),
            time_range(drift.agreed_at, Some(until)),
            Expr::negate(Expr::or(no_cause)),
        ]),
    }
}

/// Condition for the entries about a resource: by its identifier, by the short name that clouds'
/// own logs use for one that has an ARN, and by an ARN that ends with its identifier.
fn about(subject: &DriftSubject) -> Expr {
    let id = &subject.resource;
    let mut forms = vec![named(id)];
    match short_name(id) {
        Some(name) => {
            let is = |column, text: &str| Expr::field(column, Match::Identical(text.to_owned()));
            let mut place = vec![is(QueryColumn::ResourceId, name)];
            for (column, text) in [
                (QueryColumn::ResourceAccountId, &subject.account),
                (QueryColumn::ResourceRegion, &subject.region),
            ] {
                let is_named = !text.is_empty() && *text != "global";
                // Entries of importers that know no account or region are about it, too.
                place.extend(is_named.then(|| {
                    Expr::or([
                        is(column, text),
                        Expr::negate(Expr::field(column, Match::Exists)),
                    ])
                }));
            }
            forms.push(Expr::and(place));
        }
        None if subject.provider == Provider::Aws => {
            for separator in ["/", ":"] {
                let end = format!("{separator}{id}");
                let arn = Pattern::starred(["arn:", end.as_str()]);
                forms.push(Expr::field(QueryColumn::ResourceId, Match::Glob(arn)));
            }
        }
        None => {}
    }
    Expr::or(forms)
}

/// Returns the last part of an ARN; `None` for any other identifier.
fn short_name(id: &ResourceId) -> Option<&str> {
    let resource = id.as_str().strip_prefix("arn:")?.splitn(5, ':').last()?;
    resource.rsplit([':', '/']).next()
}

/// Returns the causes among entries that [`query`] found: the changes that fit the form of the
/// drift first, then other changes, then the rest; of equals the newest first.
#[must_use]
pub fn causes<'e>(
    form: DriftKind,
    entries: impl IntoIterator<Item = &'e Entry>,
) -> Vec<DriftCause> {
    let entries: Vec<&Entry> = entries.into_iter().collect();
    let ended: BTreeSet<&str> = entries
        .iter()
        .filter(|entry| !is_pending(entry))
        .filter_map(|entry| action_id(entry))
        .collect();
    let mut ranked: Vec<(u8, DriftCause)> = entries
        .iter()
        // The end of a step stands for its beginning. What is intended by others changed nothing.
        .filter(|entry| {
            !is_pending(entry) || action_id(entry).is_some_and(|id| !ended.contains(id))
        })
        .map(|entry| {
            let rank = rank(form, entry.event_type.as_str());
            (rank, cause(entry, rank < 2))
        })
        .collect();
    ranked.sort_by(|(a, one), (b, other)| (a, other.at).cmp(&(b, one.at)));
    ranked.truncate(MOST_CAUSES);
    ranked.into_iter().map(|(_, cause)| cause).collect()
}

fn rank(form: DriftKind, event_type: &str) -> u8 {
    let fitting: &[&str] = match form {
        DriftKind::Changed => &[
            events::RESOURCE_MODIFY.name,
            events::RESOURCE_TAG.name,
            events::RESOURCE_STATE.name,
        ],
        DriftKind::Appeared => &[events::RESOURCE_CREATE.name],
        DriftKind::Gone => &[events::RESOURCE_DELETE.name],
    };
    let changes = [
        events::RESOURCE_CREATE.name,
        events::RESOURCE_MODIFY.name,
        events::RESOURCE_TAG.name,
        events::RESOURCE_STATE.name,
        events::RESOURCE_STATE_CHANGE.name,
        events::RESOURCE_DELETE.name,
    ];

    if fitting.contains(&event_type) {
        0
    } else if changes.contains(&event_type) {
        1
    } else {
        2
    }
}

fn is_pending(entry: &Entry) -> bool {
    entry.action.status == Some(ActionStatus::Pending)
}

/// Action of Reeve that an entry is of. Anybody can append an entry with this member; only Reeve's
/// own is an action of Reeve.
fn action_id(entry: &Entry) -> Option<&str> {
    let named = entry.metadata.extra.get("action_id");
    named
        .and_then(Json::as_str)
        .filter(|_| entry.may_be_by_reeve())
}

fn cause(entry: &Entry, is_change: bool) -> DriftCause {
    let actor = &entry.actor;
    DriftCause {
        event_id: entry.event_id.to_string(),
        event_type: entry.event_type.as_str().to_owned(),
        operation: entry.action.operation.clone(),
        at: entry.timestamp,
        actor_type: actor.kind.map(|kind| kind.as_str().to_owned()),
        actor_id: actor.id.clone(),
        actor_email: actor.email.clone(),
        is_change,
        action_id: action_id(entry).map(str::to_owned),
    }
}

/// Returns the record of a provider that names who changes resources, for readers who miss it in
/// the log.
#[must_use]
pub const fn telling_source(provider: Provider) -> &'static str {
    match provider {
        Provider::Aws => "AWS CloudTrail",
        Provider::Azure => "the Azure activity log",
        Provider::Gcp => "Google Cloud Audit Logs",
        Provider::Database => "the log of the database server",
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use reeve_audit::{ActionMethod, ActorType, EventKind, ResourceRef};
    use reeve_estate::{ConnectionId, ResourceKind};

    use super::*;
    use crate::drift::{BaselineId, DriftId, DriftState};

    fn second(second: i64) -> Timestamp {
        Timestamp::from_second(1_800_000_000 + second).unwrap()
    }

    fn drift(id: &str) -> Drift {
        Drift {
            id: DriftId("d".to_owned()),
            baseline: BaselineId("b".to_owned()),
            subject: DriftSubject {
                connection: ConnectionId("c".to_owned()),
                resource: ResourceId::new(id),
                kind: ResourceKind::SecurityGroup,
                provider: Provider::Aws,
                name: "web".to_owned(),
                account: "111122223333".to_owned(),
                region: "eu-west-1".to_owned(),
            },
            form: DriftKind::Changed,
            state: DriftState::Open,
            pinned_hash: None,
            pinned_at: second(0),
            hash: None,
            agreed_at: Some(second(100)),
            detected_at: second(400),
            changed_at: second(400),
            acceptance: None,
            resolution: None,
            resolved_at: None,
            event_id: String::new(),
        }
    }

    fn entry(kind: &EventKind, id: &str, at: i64) -> Entry {
        Entry::for_event(kind)
            .at(second(at))
            .by(reeve_audit::Actor::new(ActorType::User, "mallory"))
            .on(ResourceRef::new("security_group", id).in_cloud("aws", "111122223333", "eu-west-1"))
            .with_action("Authorize", ActionStatus::Success, ActionMethod::Api)
    }

    #[test]
    fn entries_about_the_resource_within_the_time_are_found() {
        let found =
            |drift: &Drift, entry: &Entry| query(drift).matches(entry, second(600), second(600));
        let modify = &events::RESOURCE_MODIFY;
        let group = drift("sg-1");
        for (id, at, expect) in [
            ("sg-1", 200, true),
            ("sg-1", 430, true),
            ("sg-1", 99, false),
            ("sg-1", 500, false),
            ("sg-2", 200, false),
            (
                "arn:aws:ec2:eu-west-1:111122223333:security-group/sg-1",
                200,
                true,
            ),
            (
                "arn:aws:ec2:eu-west-1:111122223333:security-group/sg-11",
                200,
                false,
            ),
        ] {
            assert_eq!(found(&group, &entry(modify, id, at)), expect, "{id} {at}");
        }

        let denied = entry(modify, "sg-1", 200).with_action(
            "Authorize",
            ActionStatus::Denied,
            ActionMethod::Api,
        );
        assert!(!found(&group, &denied), "what was refused changed nothing");
        let seen = entry(modify, "sg-1", 200).with_tag(events::OBSERVED);
        assert!(!found(&group, &seen), "a sync sees changes, it makes none");
        assert!(!found(&group, &entry(&events::EVIDENCE, "sg-1", 200)));

        let role = drift("arn:aws:iam::111122223333:role/path/deploy");
        assert!(found(&role, &entry(modify, "deploy", 200)));
        assert!(!found(&role, &entry(modify, "path", 200)));
        let elsewhere = entry(modify, "deploy", 200).on(
            ResourceRef::new("iam_role", "deploy").in_cloud("aws", "444455556666", "eu-west-1")
        );
        assert!(!found(&role, &elsewhere), "another account's role");
    }

    #[test]
    fn a_step_that_has_not_ended_names_its_action() {
        let begun = |entry: Entry| {
            entry
                .with_action("scale", ActionStatus::Pending, ActionMethod::System)
                .with_metadata("action_id", "a-1")
        };
        let group = drift("sg-1");
        let pending = begun(entry(&events::RESOURCE_MODIFY, "sg-1", 150));
        assert!(query(&group).matches(&pending, second(600), second(600)));
        let intended = entry(&events::RESOURCE_MODIFY, "sg-1", 150).with_action(
            "scale",
            ActionStatus::Pending,
            ActionMethod::Api,
        );
        assert!(!query(&group).matches(&intended, second(600), second(600)));

        let found = causes(DriftKind::Changed, [&pending, &intended]);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].action_id.as_deref(), Some("a-1"));
        let done = entry(&events::RESOURCE_MODIFY, "sg-1", 160).with_metadata("action_id", "a-1");
        let found = causes(DriftKind::Changed, [&pending, &done]);
        assert_eq!((found.len(), found[0].at), (1, second(160)));
    }

    #[test]
    fn fitting_changes_come_first_and_the_newest_of_them() {
        let own = entry(&events::RESOURCE_TAG, "sg-1", 150).with_metadata("action_id", "a-1");
        let entries = [
            entry(&events::RESOURCE_EXECUTE, "sg-1", 300),
            entry(&events::RESOURCE_CREATE, "sg-1", 250),
            own,
            entry(&events::RESOURCE_MODIFY, "sg-1", 200),
        ];
        let found = causes(DriftKind::Changed, &entries);
        let types: Vec<&str> = found.iter().map(|one| one.event_type.as_str()).collect();
        assert_eq!(
            types,
            [
                "resource.modify",
                "resource.tag",
                "resource.create",
                "resource.execute"
            ]
        );
        assert_eq!(found[1].action_id.as_deref(), Some("a-1"));
        assert_eq!(
            (found[0].actor_id.as_deref(), found[0].is_change),
            (Some("mallory"), true)
        );
        assert!(!found[3].is_change);
    }
}
