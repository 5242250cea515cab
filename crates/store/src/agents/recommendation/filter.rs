//! Conditions of lists of recommendations, and their totals.

use jiff::Timestamp;
use reeve_recommend::agent::AgentType;
use reeve_recommend::ports::RecommendationFilter;
use reeve_recommend::recommendation::RecommendationId;
use reeve_recommend::recommendation::lifecycle::Status;
use sqlx::Row as _;

use crate::database::Store;
use crate::derived::values::{cause, rank};
use crate::fault::Fault;
use crate::filter::Filter;

pub(super) fn filter(wanted: &RecommendationFilter) -> Filter {
    let is_open = is_open(wanted);
    let is_narrow = is_open || is_narrow(wanted);
    let mut filter = summed(wanted, if is_narrow { &NARROW } else { &PLAIN });

    // Written out rather than bound: a condition with a value does not select the partial indexes.
    if is_open {
        filter.fixed("is_open = 1");
    }
    if let Some(confidence) = wanted.min_confidence {
        filter.real("confidence >= ?", confidence);
    }
    if let Some(resource) = &wanted.resource {
        filter.text("resource_id = ?", resource);
    }

    filter.one_of(
        "id",
        wanted.ids.iter().map(|id: &RecommendationId| id.0.as_str()),
    );
    filter.one_of("resource_id", wanted.resources.iter().map(|id| id.as_str()));
    if wanted.has_feedback {
        filter.fixed("id IN (SELECT recommendation_id FROM feedback)");
    }
    if let Some(closing) = wanted.closing {
        filter.text("closing = ?", closing.as_str());
    }
    if let Some(since) = wanted.updated_since {
        filter.integer("updated_at_ms >= ?", since.as_millisecond());
    }
    if let Some(wanted) = &wanted.cause {
        filter.text("cause = ?", cause(wanted));
    }
    if let Some(by) = wanted.due_by {
        filter.integer("due_at_ms <= ?", Timestamp::as_millisecond(by));
    }

    filter
}

/// Conditions on what the table of totals has columns for.
struct Conditions {
    status: &'static str,
    agent: &'static str,
    agent_or_type: &'static str,
    kind: &'static str,
}

/// Conditions that an index serves.
const PLAIN: Conditions = Conditions {
    status: "status",
    agent: "agent_id = ?",
    agent_or_type: "(agent_id = ? OR agent_type = ?)",
    kind: "kind = ?",
};

/// Conditions that no index serves. Where a list is narrow already, databases without statistics
/// would rather read all that is in a state, of an agent or of a kind.
const NARROW: Conditions = Conditions {
    status: "(status || '')",
    agent: "(agent_id || '') = ?",
    agent_or_type: "((agent_id || '') = ? OR agent_type = ?)",
    kind: "(kind || '') = ?",
};

/// Returns `true` if nothing that has ended is wanted.
fn is_open(wanted: &RecommendationFilter) -> bool {
    let states = &wanted.status;
    wanted.is_open
        || wanted.due_by.is_some()
        || (!states.is_empty() && states.iter().all(|status| !status.is_end()))
}

/// Returns `true` if the filter names identifiers, or something else that few recommendations have.
fn is_narrow(wanted: &RecommendationFilter) -> bool {
    let is_named =
        !wanted.ids.is_empty() || !wanted.resources.is_empty() || wanted.resource.is_some();
    is_named || wanted.cause.is_some() || wanted.closing.is_some()
}

/// The conditions that the table of totals has columns for.
fn summed(wanted: &RecommendationFilter, conditions: &Conditions) -> Filter {
    let mut filter = Filter::default();
    filter.one_of(
        conditions.status,
        wanted.status.iter().map(|status| status.as_str()),
    );

    if let Some(agent) = &wanted.agent {
        // No identifier reads like a type, and a condition on two columns would use the index of
        // neither.
        match AgentType::parse(agent) {
            Some(_) => filter.text(conditions.agent_or_type, agent),
            None => filter.text(conditions.agent, agent),
        }
    }

    if let Some(kind) = wanted.kind {
        filter.text(conditions.kind, kind.as_str());
    }
    if let Some(priority) = wanted.priority {
        filter.integer("priority = ?", rank(priority));
    }

    filter.visible("connection_id", &wanted.visible);
    if let Some(account) = &wanted.account {
        filter.text(
            "(account = ? OR connection_id = ? OR connection_id IN (SELECT id FROM connections WHERE name = ?))",
            account,
        );
    }

    filter
}

/// Returns the number of recommendations that a filter finds: from the totals where they can tell.
pub(super) async fn count(store: &Store, wanted: &RecommendationFilter) -> Result<u64, Fault> {
    let needs_rows = wanted.min_confidence.is_some()
        || wanted.resource.is_some()
        || !wanted.ids.is_empty()
        || !wanted.resources.is_empty()
        || wanted.has_feedback
        || wanted.closing.is_some()
        || wanted.updated_since.is_some()
        || wanted.cause.is_some()
        || wanted.due_by.is_some();

    let row = if needs_rows {
        let filter = filter(wanted);
        filter
            .query(filter.sql("SELECT COUNT(*) FROM recommendations", ""))
            .fetch_one(store.read())
            .await?
    } else {
        let mut filter = summed(wanted, &PLAIN);
        if wanted.is_open {
            filter.one_of(
                "status",
                Status::ALL
                    .iter()
                    .filter(|status| !status.is_end())
                    .map(|status| status.as_str()),
            );
        }
        let sql = filter.sql(
            "SELECT CAST(COALESCE(SUM(recommendations), 0) AS BIGINT) FROM recommendation_totals",
            "",
        );
        filter.query(sql).fetch_one(store.read()).await?
    };

    Ok(row.try_get::<i64, _>(0)?.unsigned_abs())
}
