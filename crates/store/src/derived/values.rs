//! Values of the columns that follow from a recommendation's document.

use jiff::Timestamp;
use reeve_estate::Money;
use reeve_recommend::recommendation::origin::OriginCause;
use reeve_recommend::recommendation::{Priority, Recommendation};
use sqlx::any::{Any, AnyArguments};
use sqlx::query::Query;

/// Amounts in columns that are added up stay within a billion dollars, so that no sum overflows.
const MOST_MICROS: i64 = 1_000_000_000_000_000;

/// Binds the values that do not depend on what else is stored, as `$1` to `$12`.
pub(crate) fn bind<'q>(
    query: Query<'q, Any, AnyArguments>,
    recommendation: &'q Recommendation,
) -> Query<'q, Any, AnyArguments> {
    let subject = &recommendation.subject;
    query
        .bind(subject.kind.as_str())
        .bind(&subject.service)
        .bind(subject.instance_type.as_deref())
        .bind(subject.target_type.as_deref())
        .bind(cause(&recommendation.origin.cause))
        .bind(recommendation.closing.map(|closing| closing.as_str()))
        .bind(i64::from(recommendation.taken_back_by.is_some()))
        .bind(i64::from(recommendation.is_by_hand()))
        .bind(recommendation.expected_savings().map(amount))
        .bind(recommendation.monthly_cost.map(amount))
        .bind(recommendation.updated_at.as_millisecond())
        .bind(recommendation.due_at().map(Timestamp::as_millisecond))
}

/// The text of a cause: its kind, with the identifier where it has one.
pub(crate) fn cause(cause: &OriginCause) -> String {
    match cause.id() {
        None => cause.kind().to_owned(),
        Some(id) => format!("{}:{id}", cause.kind()),
    }
}

/// An amount that can be added up.
pub(crate) fn amount(money: Money) -> i64 {
    money.micros().clamp(-MOST_MICROS, MOST_MICROS)
}

/// The column's value: empty for advice without an agent.
pub(crate) fn agent_id(recommendation: &Recommendation) -> &str {
    recommendation.agent_id.as_ref().map_or("", |id| &id.0)
}

/// The column that lists are ordered by: what has no price comes after everything that has one.
pub(crate) fn savings_order(recommendation: &Recommendation) -> i64 {
    recommendation
        .savings_monthly
        .map_or(i64::MIN, Money::micros)
}

/// Returns the rank of a priority; critical comes first.
pub(crate) fn rank(priority: Priority) -> i64 {
    match priority {
        Priority::Critical => 0,
        Priority::High => 1,
        Priority::Medium => 2,
        Priority::Low => 3,
    }
}
