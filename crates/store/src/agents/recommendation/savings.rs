//! Savings of what is open, and outcomes of what has ended, added up by the database. Savings are
//! added up again once a recommendation in the states that they depend on was written, and held
//! meanwhile: a finding does not have the savings of a million ended ones read again.

use jiff::Timestamp;
use reeve_estate::{Money, Provider, ResourceKind};
use reeve_recommend::ports::RecommendationFilter;
use reeve_recommend::recommendation::combined::{Saver, combined_on_resource};
use reeve_recommend::recommendation::lifecycle::Status;
use reeve_recommend::recommendation::totals::{
    DailySavings, Dismissals, OpenSavings, StepOutcomes,
};
use reeve_recommend::recommendation::{Closing, RecommendationId, RecommendationType};
use sqlx::Row as _;
use sqlx::any::AnyRow;

use super::filter::filter;
use crate::database::Store;
use crate::derived::totals::revision;
use crate::fault::Fault;
use crate::filter::Filter;
use crate::rows::{named, unreadable};

/// Saving of a recommendation that is alone on its resource, as `combined_on_resource` counts it:
/// at most the whole cost.
const ALONE: &str = "SELECT CAST(COALESCE(SUM(CASE WHEN members = 1 THEN saving ELSE 0 END), 0) AS BIGINT),
         CAST(COALESCE(SUM(unpriced), 0) AS BIGINT),
         CAST(COALESCE(SUM(CASE WHEN members > 1 THEN 1 ELSE 0 END), 0) AS BIGINT),
         CAST(COALESCE(SUM(added), 0) AS BIGINT)
     FROM (SELECT COUNT(*) AS members, SUM(CASE WHEN expected_savings IS NULL THEN 1 ELSE 0 END) AS unpriced,
         SUM(CASE WHEN expected_savings < 0 THEN -expected_savings ELSE 0 END) AS added,
         MAX(CASE WHEN expected_savings IS NULL OR expected_savings <= 0 THEN 0
             WHEN monthly_cost > 0 AND monthly_cost < expected_savings THEN monthly_cost
             ELSE expected_savings END) AS saving
         FROM recommendations";
const ALONE_END: &str = " GROUP BY provider, account, region, resource_id) AS by_resource";

/// Recommendations that share their resource with others of the filter, resource by resource.
const TOGETHER: &str = "SELECT provider, account, region, resource_id, id, kind, expected_savings, monthly_cost
     FROM (SELECT provider, account, region, resource_id, id, kind, expected_savings, monthly_cost,
         COUNT(*) OVER (PARTITION BY provider, account, region, resource_id) AS members FROM recommendations";
const TOGETHER_END: &str =
    ") AS by_resource WHERE members > 1 ORDER BY provider, account, region, resource_id, id";

pub(in crate::agents) async fn savings(
    store: &Store,
    wanted: &RecommendationFilter,
) -> Result<OpenSavings, Fault> {
    if !wanted.status.is_empty() && wanted.status.iter().all(|status| status.is_end()) {
        return Ok(OpenSavings::default());
    }

    // Before the savings: what is written in between is added up again next time.
    let revision = revision(
        store,
        Status::ALL
            .iter()
            .copied()
            .filter(|status| !status.is_end()),
    )
    .await?;

    if let Some(held) = store.savings_totals().open(wanted, revision) {
        return Ok(held);
    }

    let savings = added_up(store, wanted).await?;
    store.savings_totals().hold_open(wanted, revision, savings);
    Ok(savings)
}

async fn added_up(store: &Store, wanted: &RecommendationFilter) -> Result<OpenSavings, Fault> {
    let filter = filter(&RecommendationFilter {
        is_open: true,
        ..wanted.clone()
    });
    let row = filter
        .query(filter.sql(ALONE, ALONE_END))
        .fetch_one(store.read())
        .await?;
    let mut combined = Money::from_micros(row.try_get(0)?);
    let unpriced = row.try_get::<i64, _>(1)?.unsigned_abs();

    if row.try_get::<i64, _>(2)? > 0 {
        let rows = filter
            .query(filter.sql(TOGETHER, TOGETHER_END))
            .fetch_all(store.read())
            .await?;
        combined = combined + together(&rows)?;
    }

    Ok(OpenSavings {
        combined,
        added: Money::from_micros(row.try_get(3)?),
        unpriced,
    })
}

/// Statements that [`added_up`] runs.
#[cfg(test)]
pub(super) fn statements(wanted: &RecommendationFilter) -> (Filter, [sqlx::SqlStr; 2]) {
    let filter = filter(&RecommendationFilter {
        is_open: true,
        ..wanted.clone()
    });
    let statements = [
        filter.sql(ALONE, ALONE_END),
        filter.sql(TOGETHER, TOGETHER_END),
    ];
    (filter, statements)
}

fn together(rows: &[AnyRow]) -> Result<Money, Fault> {
    let mut combined = Money::ZERO;
    let mut resource: Option<[String; 4]> = None;
    let mut savers: Vec<Saver> = Vec::new();

    for row in rows {
        let place = [
            row.try_get(0)?,
            row.try_get(1)?,
            row.try_get(2)?,
            row.try_get(3)?,
        ];
        if resource.as_ref() != Some(&place) {
            combined = combined + combined_on_resource(&savers);
            savers.clear();
            resource = Some(place);
        }
        savers.push(saver(row)?);
    }

    Ok(combined + combined_on_resource(&savers))
}

fn saver(row: &AnyRow) -> Result<Saver, Fault> {
    let (id, kind): (String, String) = (row.try_get(4)?, row.try_get(5)?);
    let (saving, monthly_cost): (Option<i64>, Option<i64>) = (row.try_get(6)?, row.try_get(7)?);
    Ok(Saver {
        kind: named("kind", &kind, RecommendationType::parse)
            .map_err(unreadable("recommendation", &id))?,
        id: RecommendationId(id),
        saving: Money::from_micros(saving.unwrap_or(0)),
        monthly_cost: monthly_cost.map(Money::from_micros),
    })
}

pub(in crate::agents) async fn savings_by_day(store: &Store) -> Result<Vec<DailySavings>, Fault> {
    let revision = revision(store, [Status::Succeeded]).await?;
    if let Some(held) = store.savings_totals().by_day(revision) {
        return Ok(held);
    }

    let rows = sqlx::query(
        "SELECT day, CAST(COALESCE(SUM(expected), 0) AS BIGINT), CAST(COALESCE(SUM(measured), 0) AS BIGINT)
         FROM (SELECT updated_at_ms / 86400000 AS day, expected_savings AS expected, realised AS measured
             FROM recommendations WHERE COALESCE(status, '') = 'succeeded' AND by_hand = 0
             UNION ALL SELECT saving_ended_at_ms / 86400000, -expected_savings, -realised
             FROM recommendations WHERE COALESCE(status, '') = 'succeeded' AND by_hand = 0
                 AND saving_ended_at_ms IS NOT NULL) AS changes
         GROUP BY day ORDER BY day",
    )
    .fetch_all(store.read())
    .await?;
    let days = rows.iter().map(daily).collect::<Result<Vec<_>, Fault>>()?;
    store.savings_totals().hold_by_day(revision, &days);

    Ok(days)
}

fn daily(row: &AnyRow) -> Result<DailySavings, Fault> {
    let begin = row.try_get::<i64, _>(0)?.saturating_mul(86_400_000);
    Ok(DailySavings {
        day: Timestamp::from_millisecond(begin)
            .map_err(|error| Fault::Backend(error.to_string()))?,
        expected: Money::from_micros(row.try_get(1)?),
        realised: Money::from_micros(row.try_get(2)?),
    })
}

/// Filter of recommendations of these kinds without feedback. Conditions on the state read as those
/// of the partial indexes: no other index serves them.
fn without_feedback(kinds: &[RecommendationType]) -> Filter {
    let mut filter = Filter::default();
    filter.one_of("kind", kinds.iter().map(|kind| kind.as_str()));
    filter.fixed(
        "NOT EXISTS (SELECT 1 FROM feedback WHERE feedback.recommendation_id = recommendations.id)",
    );
    filter
}

pub(in crate::agents) async fn dismissals(
    store: &Store,
    kinds: &[RecommendationType],
) -> Result<Vec<Dismissals>, Fault> {
    let mut filter = without_feedback(kinds);
    filter.fixed("COALESCE(status, '') = 'dismissed'");
    filter.text(
        "(closing IS NULL OR closing <> ?)",
        Closing::Excluded.as_str(),
    );
    let sql = filter.sql(
        "SELECT kind, provider, resource_kind, service, CAST(AVG(updated_at_ms) AS BIGINT), COUNT(*) FROM recommendations",
        " GROUP BY kind, provider, resource_kind, service, updated_at_ms / 86400000 ORDER BY 1, 2, 3, 4, 5",
    );

    filter
        .query(sql)
        .fetch_all(store.read())
        .await?
        .iter()
        .map(dismissed)
        .collect()
}

fn dismissed(row: &AnyRow) -> Result<Dismissals, Fault> {
    let (kind, provider, resource_kind): (String, String, String) =
        (row.try_get(0)?, row.try_get(1)?, row.try_get(2)?);
    let unread = || unreadable("dismissals of", &kind);
    Ok(Dismissals {
        kind: named("kind", &kind, RecommendationType::parse).map_err(unread())?,
        provider: named("provider", &provider, Provider::parse).map_err(unread())?,
        resource_kind: named("resource kind", &resource_kind, ResourceKind::parse)
            .map_err(unread())?,
        service: row.try_get(3)?,
        at: Timestamp::from_millisecond(row.try_get(4)?)
            .map_err(|error| Fault::Backend(error.to_string()))?,
        count: row.try_get::<i64, _>(5)?.unsigned_abs(),
    })
}

pub(in crate::agents) async fn outcomes(
    store: &Store,
    kinds: &[RecommendationType],
) -> Result<Vec<StepOutcomes>, Fault> {
    let mut filter = without_feedback(kinds);
    filter.fixed("COALESCE(status, '') IN ('succeeded', 'rolled_back', 'failed')");
    filter.fixed("(status <> 'rolled_back' OR taken_back = 0)");
    let sql = filter.sql(
        "SELECT kind, instance_type, target_type, CAST(SUM(CASE WHEN status = 'succeeded' THEN 1 ELSE 0 END) AS BIGINT),
             COUNT(*) FROM recommendations",
        " GROUP BY kind, instance_type, target_type ORDER BY 1, 2, 3",
    );

    filter
        .query(sql)
        .fetch_all(store.read())
        .await?
        .iter()
        .map(outcome)
        .collect()
}

fn outcome(row: &AnyRow) -> Result<StepOutcomes, Fault> {
    let kind: String = row.try_get(0)?;
    let (succeeded, all): (i64, i64) = (row.try_get(3)?, row.try_get(4)?);
    Ok(StepOutcomes {
        kind: named("kind", &kind, RecommendationType::parse)
            .map_err(unreadable("outcomes of", &kind))?,
        instance_type: row.try_get(1)?,
        target_type: row.try_get(2)?,
        succeeded: succeeded.unsigned_abs(),
        failed: (all - succeeded).unsigned_abs(),
    })
}
