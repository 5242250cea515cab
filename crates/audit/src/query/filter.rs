//! Filters beside a query: a name and a value each, as forms and the search interface send them.

use jiff::Timestamp;

use super::ast::{Expr, Match};
use super::column::{FieldPath, QueryColumn};
use super::error::{Problem, QueryError};
use super::eval;
use super::parse::MAX_QUERY_BYTES;
use super::value::{Operator, Written, condition};
use crate::entry::{ActionStatus, SubmitterField, SubmitterType};
use crate::suggest;

/// The filters there are.
pub const FILTERS: [(&str, FieldPath); 15] = [
    ("user", FieldPath::User),
    ("event_type", FieldPath::Column(QueryColumn::EventType)),
    ("category", FieldPath::Column(QueryColumn::Category)),
    ("severity", FieldPath::Column(QueryColumn::Severity)),
    ("status", FieldPath::Column(QueryColumn::ActionStatus)),
    ("operation", FieldPath::Column(QueryColumn::ActionOperation)),
    ("method", FieldPath::Column(QueryColumn::ActionMethod)),
    ("actor_type", FieldPath::Column(QueryColumn::ActorType)),
    ("ip", FieldPath::Column(QueryColumn::ActorIpAddress)),
    (
        "resource_type",
        FieldPath::Column(QueryColumn::ResourceType),
    ),
    ("resource_id", FieldPath::Column(QueryColumn::ResourceId)),
    (
        "cloud_provider",
        FieldPath::Column(QueryColumn::ResourceCloudProvider),
    ),
    (
        "account_id",
        FieldPath::Column(QueryColumn::ResourceAccountId),
    ),
    ("region", FieldPath::Column(QueryColumn::ResourceRegion)),
    ("request_id", FieldPath::Column(QueryColumn::RequestId)),
];

/// The filter that takes a resource's identifier or its name.
const RESOURCE: &str = "resource";

/// The condition of one filter. The value is taken whole, spaces and quotes included; `*` is a
/// wildcard, and an address may be a network. The full name of a field is a filter too. `resource`
/// finds an identifier or a name.
pub fn filter(name: &str, value: &str) -> Result<Expr, QueryError> {
    let short = FILTERS
        .iter()
        .find(|(known, _)| *known == name)
        .map(|(_, field)| field.clone());
    let field = short.or_else(|| {
        QueryColumn::ALL
            .into_iter()
            .find(|c| c.field_name() == name)
            .map(FieldPath::Column)
    });

    let fields = match field {
        Some(field) => vec![field],
        None if name == RESOURCE => resource_fields(),
        None => return Err(unknown(name)),
    };

    if value.len() > MAX_QUERY_BYTES {
        let problem = Problem::new(format!(
            "filter `{name}` has {} bytes; the limit is {MAX_QUERY_BYTES}",
            value.len()
        ));
        return Err(problem.at(0, ""));
    }

    let of_field = |field: &FieldPath| condition(field, Operator::Plain, Written::starred(value));
    let either: Result<Vec<_>, Problem> = fields.iter().map(of_field).collect();
    either.map(Expr::or).map_err(|problem| {
        let message = format!("filter `{name}`: {}", problem.message);
        Problem { message, ..problem }.at(0, value)
    })
}

/// Returns the fields that may hold the identifier or the name of a resource. Sources write the
/// name as a tag, as open metadata, or as a part of the state before and after a change.
fn resource_fields() -> Vec<FieldPath> {
    let name = || vec!["name".to_owned()];
    vec![
        FieldPath::Column(QueryColumn::ResourceId),
        FieldPath::ResourceTag("name".to_owned()),
        FieldPath::Metadata(vec!["resource_name".to_owned()]),
        FieldPath::After(name()),
        FieldPath::Before(name()),
    ]
}

fn unknown(name: &str) -> QueryError {
    let known = || FILTERS.iter().map(|(known, _)| *known).chain([RESOURCE]);
    let problem = Problem::new(format!("there is no filter `{name}`"));

    match suggest::closest(name, known()) {
        Some(meant) => problem.hint(format!("did you mean {meant}?")).at(0, name),
        None => problem
            .hint(format!(
                "filters are {}",
                known().collect::<Vec<_>>().join(", ")
            ))
            .at(0, name),
    }
}

/// Entries whose `timestamp` lies between the two, both included; either may be open.
pub fn time_range(start: Option<Timestamp>, end: Option<Timestamp>) -> Expr {
    eval::time_range(QueryColumn::Timestamp, start, end)
}

/// Entries that Reeve itself may have written: those that say so, and those of a time when nobody
/// noted it. [`Entry::may_be_by_reeve`](crate::Entry::may_be_by_reeve) is the same of one entry.
pub fn may_be_by_reeve() -> Expr {
    let submitter = |op| Expr::field(FieldPath::Submitter(SubmitterField::Type), op);
    let reeve = Match::Exact(SubmitterType::Reeve.as_str().to_owned());
    Expr::or([submitter(reeve), Expr::negate(submitter(Match::Exists))])
}

/// Entries that do not merely announce an action: all but those with status `pending`.
///
/// Each change of Reeve's own state is recorded as an intent (`pending`) and, once it is known, as
/// an outcome ([`Entry::intent`](crate::Entry::intent)). A count over both counts the change twice.
pub(super) fn no_intent() -> Expr {
    let pending = Match::Exact(ActionStatus::Pending.as_str().to_owned());
    Expr::negate(Expr::field(
        FieldPath::Column(QueryColumn::ActionStatus),
        pending,
    ))
}

/// Returns `true` if any condition of the expression asks for the status of an action.
pub(super) fn names_status(expr: &Expr) -> bool {
    match expr {
        Expr::And(terms) | Expr::Or(terms) => terms.iter().any(names_status),
        Expr::Not(term) => names_status(term),
        Expr::Field { field, .. } => *field == FieldPath::Column(QueryColumn::ActionStatus),
        Expr::All | Expr::Text(_) => false,
    }
}
