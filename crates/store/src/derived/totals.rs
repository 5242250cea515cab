//! Sums over recommendations, kept in the transactions that write them: a list of a million has its
//! total at once.
//!
//! Every write of a recommendation raises the revision of the rows that it counts in, even where no
//! sum moves, so that the sum of the revisions of some states tells whether anything was written in
//! them since ([`revision`]).
//!
//! A transaction changes the rows of the table in the order of their keys, so that two of them
//! never wait for each other in a circle.

use std::collections::BTreeMap;

use reeve_recommend::action::RealisedSaving;
use reeve_recommend::recommendation::lifecycle::Status;
use reeve_recommend::recommendation::{Recommendation, RecommendationId};
use sqlx::{AnyConnection, Row as _};

use super::values::{agent_id, amount, rank};
use crate::database::Store;
use crate::fault::Fault;
use crate::filter::Filter;

const ADD: &str =
    "INSERT INTO recommendation_totals (agent_id, agent_type, kind, status, priority, connection_id, account, by_hand,
         taken_back, recommendations, unpriced, expected, measured, measured_expected, realised, revision)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, 1)
     ON CONFLICT (agent_id, agent_type, kind, status, priority, connection_id, account, by_hand, taken_back) DO UPDATE SET
         recommendations = recommendation_totals.recommendations + excluded.recommendations,
         unpriced = recommendation_totals.unpriced + excluded.unpriced,
         expected = recommendation_totals.expected + excluded.expected,
         measured = recommendation_totals.measured + excluded.measured,
         measured_expected = recommendation_totals.measured_expected + excluded.measured_expected,
         realised = recommendation_totals.realised + excluded.realised,
         revision = recommendation_totals.revision + 1";

/// Everything added up anew.
const REBUILD: &str =
    "INSERT INTO recommendation_totals (agent_id, agent_type, kind, status, priority, connection_id, account, by_hand,
         taken_back, recommendations, unpriced, expected, measured, measured_expected, realised)
     SELECT agent_id, agent_type, kind, status, priority, connection_id, account, by_hand, taken_back, COUNT(*),
         CAST(SUM(CASE WHEN expected_savings IS NULL THEN 1 ELSE 0 END) AS BIGINT),
         CAST(SUM(CASE WHEN saving_ended_at_ms IS NULL THEN COALESCE(expected_savings, 0) ELSE 0 END) AS BIGINT),
         CAST(SUM(CASE WHEN realised IS NULL AND saving_ended_at_ms IS NULL THEN 0 ELSE 1 END) AS BIGINT),
         CAST(SUM(CASE WHEN realised IS NULL OR saving_ended_at_ms IS NOT NULL THEN 0
             ELSE COALESCE(expected_savings, 0) END) AS BIGINT),
         CAST(SUM(CASE WHEN saving_ended_at_ms IS NULL THEN COALESCE(realised, 0) ELSE 0 END) AS BIGINT)
     FROM recommendations
     GROUP BY agent_id, agent_type, kind, status, priority, connection_id, account, by_hand, taken_back";

/// Columns by which recommendations are added up, in the order of the table's key.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TotalKey {
    agent_id: String,
    agent_type: String,
    kind: String,
    status: String,
    priority: i64,
    connection_id: String,
    account: String,
    by_hand: i64,
    taken_back: i64,
}

/// Numbers that are added up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct TotalSums {
    recommendations: i64,
    unpriced: i64,
    expected: i64,
    measured: i64,
    measured_expected: i64,
    realised: i64,
}

impl TotalSums {
    pub(crate) fn add(&mut self, other: &TotalSums, times: i64) {
        self.recommendations += times * other.recommendations;
        self.unpriced += times * other.unpriced;
        self.expected += times * other.expected;
        self.measured += times * other.measured;
        self.measured_expected += times * other.measured_expected;
        self.realised += times * other.realised;
    }

    /// Sums of one recommendation. A saving that has ended is measured and no longer part of any
    /// amount: the same database, stopped again each week, would otherwise be saved several times
    /// over.
    fn new(expected: Option<i64>, saving: TotalSaving) -> Self {
        let unpriced = i64::from(expected.is_none());
        if saving.ended_at_ms.is_some() {
            return TotalSums {
                recommendations: 1,
                unpriced,
                measured: 1,
                ..TotalSums::default()
            };
        }

        let realised = saving.realised;
        TotalSums {
            recommendations: 1,
            unpriced,
            expected: expected.unwrap_or(0),
            measured: i64::from(realised.is_some()),
            measured_expected: realised.and(expected).unwrap_or(0),
            realised: realised.unwrap_or(0),
        }
    }
}

/// Measured saving of a recommendation, as its columns have it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct TotalSaving {
    realised: Option<i64>,
    ended_at_ms: Option<i64>,
}

impl From<RealisedSaving> for TotalSaving {
    fn from(saving: RealisedSaving) -> Self {
        TotalSaving {
            realised: saving.monthly.map(amount),
            ended_at_ms: saving.ended_at.map(jiff::Timestamp::as_millisecond),
        }
    }
}

/// Part of one recommendation in the totals.
pub(crate) struct TotalPart {
    pub(crate) key: TotalKey,
    pub(crate) sums: TotalSums,
    pub(crate) saving: TotalSaving,
    expected: Option<i64>,
}

impl TotalPart {
    pub(crate) fn new(recommendation: &Recommendation, saving: TotalSaving) -> Self {
        let key = TotalKey {
            agent_id: agent_id(recommendation).to_owned(),
            agent_type: recommendation.origin.agent_type.as_str().to_owned(),
            kind: recommendation.kind.as_str().to_owned(),
            status: recommendation.status.as_str().to_owned(),
            priority: rank(recommendation.priority),
            connection_id: recommendation.subject.connection.0.clone(),
            account: recommendation.subject.account.clone(),
            by_hand: i64::from(recommendation.is_by_hand()),
            taken_back: i64::from(recommendation.taken_back_by.is_some()),
        };

        let expected = recommendation.expected_savings().map(amount);
        TotalPart {
            key,
            sums: TotalSums::new(expected, saving),
            saving,
            expected,
        }
    }

    /// The part of a stored recommendation; `None` if it is not there, or has another version than
    /// the one given.
    pub(crate) async fn stored(
        connection: &mut AnyConnection,
        id: &RecommendationId,
        version: Option<i64>,
    ) -> Result<Option<TotalPart>, Fault> {
        let row = sqlx::query(
            "SELECT agent_id, agent_type, kind, status, priority, connection_id, account, by_hand, taken_back,
                 expected_savings, realised, version, saving_ended_at_ms FROM recommendations WHERE id = $1",
        )
        .bind(&id.0)
        .fetch_optional(connection)
        .await?;
        let Some(row) = row else { return Ok(None) };

        let found: i64 = row.try_get(11)?;
        if version.is_some_and(|version| version != found) {
            return Ok(None);
        }

        let saving = TotalSaving {
            realised: row.try_get(10)?,
            ended_at_ms: row.try_get(12)?,
        };
        let key = TotalKey {
            agent_id: row.try_get(0)?,
            agent_type: row.try_get(1)?,
            kind: row.try_get(2)?,
            status: row.try_get(3)?,
            priority: row.try_get(4)?,
            connection_id: row.try_get(5)?,
            account: row.try_get(6)?,
            by_hand: row.try_get(7)?,
            taken_back: row.try_get(8)?,
        };

        let expected: Option<i64> = row.try_get(9)?;
        Ok(Some(TotalPart {
            key,
            sums: TotalSums::new(expected, saving),
            saving,
            expected,
        }))
    }
}

/// Takes a part out and puts its successor in.
pub(crate) async fn shift(
    connection: &mut AnyConnection,
    before: TotalPart,
    after: TotalPart,
) -> Result<(), Fault> {
    let mut changes: BTreeMap<TotalKey, TotalSums> = BTreeMap::new();
    changes.entry(before.key).or_default().add(&before.sums, -1);
    changes.entry(after.key).or_default().add(&after.sums, 1);
    add(connection, changes).await
}

pub(crate) async fn add(
    connection: &mut AnyConnection,
    changes: BTreeMap<TotalKey, TotalSums>,
) -> Result<(), Fault> {
    for (key, sums) in changes {
        sqlx::query(ADD)
            .bind(key.agent_id)
            .bind(key.agent_type)
            .bind(key.kind)
            .bind(key.status)
            .bind(key.priority)
            .bind(key.connection_id)
            .bind(key.account)
            .bind(key.by_hand)
            .bind(key.taken_back)
            .bind(sums.recommendations)
            .bind(sums.unpriced)
            .bind(sums.expected)
            .bind(sums.measured)
            .bind(sums.measured_expected)
            .bind(sums.realised)
            .execute(&mut *connection)
            .await?;
    }
    Ok(())
}

/// Keeps the measured saving of a recommendation; one that does not exist is left out.
pub(crate) async fn measure(
    connection: &mut AnyConnection,
    id: &RecommendationId,
    saving: RealisedSaving,
) -> Result<(), Fault> {
    let saving = TotalSaving::from(saving);
    let Some(before) = TotalPart::stored(connection, id, None).await? else {
        return Ok(());
    };

    if before.saving == saving {
        return Ok(());
    }

    sqlx::query("UPDATE recommendations SET realised = $2, saving_ended_at_ms = $3 WHERE id = $1")
        .bind(&id.0)
        .bind(saving.realised)
        .bind(saving.ended_at_ms)
        .execute(&mut *connection)
        .await?;

    let sums = TotalSums::new(before.expected, saving);
    let after = TotalPart {
        key: before.key.clone(),
        sums,
        saving,
        expected: before.expected,
    };

    shift(connection, before, after).await
}

/// Number of writes so far of recommendations in these states, those that entered or left them
/// included; a larger one than before says that something was written in between.
pub(crate) async fn revision(
    store: &Store,
    states: impl IntoIterator<Item = Status>,
) -> Result<i64, Fault> {
    let mut filter = Filter::default();
    filter.one_of("status", states.into_iter().map(Status::as_str));
    let sql = filter.sql(
        "SELECT CAST(COALESCE(SUM(revision), 0) AS BIGINT) FROM recommendation_totals",
        "",
    );

    Ok(filter
        .query(sql)
        .fetch_one(store.read())
        .await?
        .try_get(0)?)
}

/// Adds everything up anew.
pub(crate) async fn rebuild(connection: &mut AnyConnection) -> Result<(), Fault> {
    sqlx::query("DELETE FROM recommendation_totals")
        .execute(&mut *connection)
        .await?;
    sqlx::query(REBUILD).execute(connection).await?;
    Ok(())
}
