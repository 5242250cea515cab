//! THE meaning of a query: whether one entry is found. Whatever searches faster must agree with
//! this file.

use std::borrow::Cow;
use std::net::IpAddr;

use jiff::{SignedDuration, Timestamp};

use super::ast::{Bound, Expr, Match, QueryComparison};
use super::column::{FieldPath, QueryColumn};
use super::fold;
use super::text::EntryWords;
use crate::entry::{Entry, Leaf, SubmitterField};
use crate::instant::format_instant;
use crate::json::Json;

/// The entry in question, and when "now" is.
#[derive(Clone, Copy)]
pub(super) struct QueryCandidate<'e> {
    pub(super) entry: &'e Entry,
    pub(super) recorded_at: Timestamp,
    pub(super) now: Timestamp,
    /// Words of the entry, where many queries are asked about it.
    pub(super) words: Option<&'e EntryWords<'e>>,
}

pub(super) fn matches(expr: &Expr, candidate: QueryCandidate<'_>) -> bool {
    match expr {
        Expr::All => true,
        Expr::And(terms) => terms.iter().all(|term| matches(term, candidate)),
        Expr::Or(terms) => terms.iter().any(|term| matches(term, candidate)),
        Expr::Not(term) => !matches(term, candidate),
        Expr::Field { field, op } => candidate.field(field, op),
        Expr::Text(term) => {
            candidate.words.is_none_or(|words| words.may_have(term))
                && candidate
                    .entry
                    .any_text(&mut |Leaf(value)| term.found_in(&value))
        }
    }
}

/// `now` and a distance from it, kept inside the range of a timestamp.
pub(super) fn from_now(now: Timestamp, ms: i64) -> Timestamp {
    now.saturating_add(SignedDuration::from_millis(ms))
        .unwrap_or(now)
}

impl QueryCandidate<'_> {
    fn field(self, field: &FieldPath, op: &Match) -> bool {
        let Self { entry, .. } = self;
        let text = |value: &str| op.is_satisfied_by(value);

        match field {
            FieldPath::Column(QueryColumn::Timestamp) => self.time(entry.timestamp, op),
            FieldPath::Column(QueryColumn::RecordedAt) => self.time(self.recorded_at, op),
            FieldPath::Column(QueryColumn::ActorIpAddress) => address(entry.actor.ip_address, op),
            FieldPath::Column(QueryColumn::Severity) => match op {
                Match::Compare(side, Bound::Severity(bound)) => {
                    side.is_satisfied(&entry.severity, bound)
                }
                _ => text(entry.severity.as_str()),
            },
            FieldPath::Column(column) => {
                column_text(entry, *column).is_some_and(|value| text(&value))
            }
            FieldPath::User => [&entry.actor.id, &entry.actor.email]
                .into_iter()
                .flatten()
                .any(|value| text(value)),
            FieldPath::Tags => {
                let tags = &entry.resource.tags;
                entry.metadata.tags.iter().any(|tag| text(tag))
                    || tags.iter().any(|(name, value)| {
                        text(name) || text(value) || text(&format!("{name}={value}"))
                    })
            }
            FieldPath::MetadataTags => entry.metadata.tags.iter().any(|tag| text(tag)),
            FieldPath::ApiVersion => text(&entry.metadata.api_version),
            FieldPath::ResourceTags => entry.resource.tags.values().any(text),
            FieldPath::ResourceTag(name) => entry
                .resource
                .tags
                .iter()
                .any(|(tag, value)| fold::equals(tag, name) && self.string(value, op)),
            FieldPath::Changes => entry
                .changes
                .before
                .iter()
                .chain(&entry.changes.after)
                .any(|state| self.inside(state, &[], op)),
            FieldPath::Before(path) => entry
                .changes
                .before
                .as_ref()
                .is_some_and(|state| self.inside(state, path, op)),
            FieldPath::After(path) => entry
                .changes
                .after
                .as_ref()
                .is_some_and(|state| self.inside(state, path, op)),
            FieldPath::Metadata(path) => {
                path.split_first().is_some_and(|(first, rest)| {
                    entry.metadata.extra.iter().any(|(name, value)| {
                        fold::equals(name, first) && self.inside(value, rest, op)
                    })
                })
            }
            FieldPath::Submitter(field) => {
                entry
                    .submitted_by
                    .as_ref()
                    .is_some_and(|submitter| match field {
                        SubmitterField::IpAddress => address(submitter.ip_address, op),
                        field => submitter.text(*field).is_some_and(|value| text(&value)),
                    })
            }
        }
    }

    fn instant(self, bound: &Bound) -> Option<Timestamp> {
        match bound {
            Bound::Time(at) => Some(*at),
            Bound::Now(ms) => Some(from_now(self.now, *ms)),
            Bound::Number(_) | Bound::Severity(_) | Bound::Text(_) | Bound::Address(_) => None,
        }
    }

    fn time(self, value: Timestamp, op: &Match) -> bool {
        let holds = |side: QueryComparison, bound: &Bound| {
            self.instant(bound)
                .is_some_and(|bound| side.is_satisfied(&value, &bound))
        };
        match op {
            Match::Compare(side, bound) => holds(*side, bound),
            Match::Between(range) => range.holds(holds),
            _ => op.is_satisfied_by(&format_instant(value)),
        }
    }

    /// Matches a string that may also be a number or a time.
    fn string(self, value: &str, op: &Match) -> bool {
        let holds = |side: QueryComparison, bound: &Bound| match bound {
            Bound::Now(ms) => Bound::Time(from_now(self.now, *ms)).orders_open_text(side, value),
            bound => bound.orders_open_text(side, value),
        };
        match op {
            Match::Compare(side, bound) => holds(*side, bound),
            Match::Between(range) => range.holds(holds),
            _ => op.is_satisfied_by(value),
        }
    }

    /// Matches a value of a state or of metadata, with the rest of its `path`. Any element of a
    /// list may match; a number in the path selects one element.
    fn inside(self, value: &Json, path: &[String], op: &Match) -> bool {
        match (value, path.split_first()) {
            (Json::Object(object), Some((first, rest))) => object
                .iter()
                .any(|(name, value)| fold::equals(name, first) && self.inside(value, rest, op)),
            (Json::Array(items), Some((first, rest))) => {
                items.iter().any(|item| self.inside(item, path, op))
                    || first
                        .parse()
                        .ok()
                        .and_then(|at: usize| items.get(at))
                        .is_some_and(|item| self.inside(item, rest, op))
            }
            (Json::Array(items), None) => items.iter().any(|item| self.inside(item, path, op)),
            (Json::Object(_), None) => *op == Match::Exists,
            (_, Some(_)) => false,
            (Json::String(text), None) => self.string(text, op),
            (Json::Number(number), None) => self.number(*number, op),
            (Json::Bool(value), None) => op.is_satisfied_by(if *value { "true" } else { "false" }),
            (Json::Null, None) => *op != Match::Exists && op.is_satisfied_by("null"),
        }
    }

    fn number(self, number: f64, op: &Match) -> bool {
        let same = |wanted: &str| wanted.parse().is_ok_and(|wanted: f64| wanted == number);
        match op {
            Match::Compare(side, bound) => number_on_side(number, *side, bound),
            Match::Between(range) => range.holds(|side, bound| number_on_side(number, side, bound)),
            Match::Exact(wanted) | Match::Identical(wanted) => same(wanted),
            _ => op.is_satisfied_by(&Json::Number(number).to_string()),
        }
    }
}

/// Returns `true` if a number lies on this side of a bound that is a number.
fn number_on_side(number: f64, side: QueryComparison, bound: &Bound) -> bool {
    matches!(bound, Bound::Number(bound) if side.is_satisfied(&number, bound))
}

fn address(value: Option<IpAddr>, op: &Match) -> bool {
    let Some(address) = value else { return false };
    match op {
        Match::Ip(wanted) => address == *wanted,
        Match::Cidr(net) => net.contains(&address),
        Match::Between(range) => range.holds(|side, bound| bound.orders_address(side, address)),
        _ => op.is_satisfied_by(&address.to_string()),
    }
}

/// The text of a column that holds text, if the entry has it.
pub(super) fn column_text(entry: &Entry, column: QueryColumn) -> Option<Cow<'_, str>> {
    let Entry {
        actor,
        resource,
        action,
        ..
    } = entry;

    let text = match column {
        QueryColumn::EventId => Some(entry.event_id.as_str()),
        QueryColumn::EventType => Some(entry.event_type.as_str()),
        QueryColumn::Category => Some(entry.category()),
        QueryColumn::Severity => Some(entry.severity.as_str()),
        QueryColumn::ActorType => actor.kind.map(|kind| kind.as_str()),
        QueryColumn::ActorId => actor.id.as_deref(),
        QueryColumn::ActorEmail => actor.email.as_deref(),
        QueryColumn::ActorIpAddress => {
            return actor.ip_address.map(|ip| Cow::Owned(ip.to_string()));
        }
        QueryColumn::ActorUserAgent => actor.user_agent.as_deref(),
        QueryColumn::ActorSessionId => actor.session_id.as_deref(),
        QueryColumn::ResourceType => resource.kind.as_deref(),
        QueryColumn::ResourceId => resource.id.as_deref(),
        QueryColumn::ResourceCloudProvider => resource.cloud_provider.as_deref(),
        QueryColumn::ResourceAccountId => resource.account_id.as_deref(),
        QueryColumn::ResourceRegion => resource.region.as_deref(),
        QueryColumn::ActionOperation => action.operation.as_deref(),
        QueryColumn::ActionStatus => action.status.map(|status| status.as_str()),
        QueryColumn::ActionMethod => action.method.map(|method| method.as_str()),
        QueryColumn::RequestId => entry.metadata.request_id.as_deref(),
        QueryColumn::Timestamp | QueryColumn::RecordedAt => None,
    };

    text.map(Cow::Borrowed)
}

/// Conditions that hold for an instant in `[start, end]`, either of which may be open.
pub(super) fn time_range(
    column: QueryColumn,
    start: Option<Timestamp>,
    end: Option<Timestamp>,
) -> Expr {
    let side = |side, at: Option<Timestamp>| {
        at.map(|at| Expr::field(column, Match::Compare(side, Bound::Time(at))))
    };
    Expr::and(
        [
            side(QueryComparison::AtLeast, start),
            side(QueryComparison::AtMost, end),
        ]
        .into_iter()
        .flatten(),
    )
}
