//! Results of checks and their history: the port [`EvidenceStore`].

use std::collections::BTreeMap;

use async_trait::async_trait;
use jiff::Timestamp;
use reeve_estate::{ConnectionId, ResourceId, StoreError};
use reeve_recommend::agent::AgentId;
use reeve_recommend::judgement::evidence::{
    CheckAnswer, EvidenceChange, EvidenceCount, EvidenceFilter, EvidenceKey, EvidenceStore,
    EvidenceTurnover, JudgementEvidence,
};
use sqlx::Row as _;
use sqlx::any::AnyRow;

use crate::database::Store;
use crate::fault::Fault;
use crate::filter::Filter;
use crate::rows::{decode, encode, named, unreadable};

type Result<T> = std::result::Result<T, StoreError>;

/// Results that came into force since a time, by day, check and answer.
const BEGUN: (&str, &str, &str) = (
    "at_ms >= ?",
    "SELECT at_ms / 86400000, check_id, answer, COUNT(*) FROM check_history",
    " GROUP BY at_ms / 86400000, check_id, answer",
);
/// Results that ended since a time, by day, check and answer.
const ENDED: (&str, &str, &str) = (
    "until_ms >= ?",
    "SELECT until_ms / 86400000, check_id, answer, COUNT(*) FROM check_history",
    " GROUP BY until_ms / 86400000, check_id, answer",
);
/// Resources that one statement asks about.
const AT_ONCE: usize = 200;

#[async_trait]
impl EvidenceStore for Store {
    async fn evidence_of(
        &self,
        connection: &ConnectionId,
        resources: &[ResourceId],
    ) -> Result<Vec<JudgementEvidence>> {
        let mut found = Vec::new();
        for some in resources.chunks(AT_ONCE) {
            found.extend(of(self, connection, some).await?);
        }
        Ok(found)
    }
    async fn evidence_put(&self, changed: &[JudgementEvidence]) -> Result<()> {
        Ok(put(self, changed).await?)
    }
    async fn evidence_remove(&self, ended: &[EvidenceKey], at: Timestamp) -> Result<()> {
        Ok(remove(self, ended, at).await?)
    }
    async fn evidence_keys(&self, agent: &AgentId) -> Result<Vec<EvidenceKey>> {
        Ok(keys(self, agent).await?)
    }
    async fn evidence_list(
        &self,
        filter: &EvidenceFilter,
    ) -> Result<(Vec<JudgementEvidence>, u64)> {
        Ok(list(self, filter).await?)
    }
    async fn evidence_counts(&self, filter: &EvidenceFilter) -> Result<Vec<EvidenceCount>> {
        Ok(counts(self, filter).await?)
    }
    async fn evidence_changes(
        &self,
        filter: &EvidenceFilter,
        since: Timestamp,
    ) -> Result<Vec<EvidenceChange>> {
        Ok(changes(self, filter, since).await?)
    }
    async fn evidence_turnover(
        &self,
        filter: &EvidenceFilter,
        since: Timestamp,
    ) -> Result<Vec<EvidenceTurnover>> {
        Ok(turnover(self, filter, since).await?)
    }
    async fn evidence_history(
        &self,
        connection: &ConnectionId,
        resource: &ResourceId,
        check: &str,
    ) -> Result<Vec<JudgementEvidence>> {
        Ok(history(self, connection, resource, check).await?)
    }
}

fn evidence(row: &AnyRow) -> std::result::Result<JudgementEvidence, Fault> {
    let id: String = row.try_get(0)?;
    decode::<JudgementEvidence>(row.try_get(1)?).map_err(unreadable("result of a check", &id))
}

async fn of(
    store: &Store,
    connection: &ConnectionId,
    resources: &[ResourceId],
) -> std::result::Result<Vec<JudgementEvidence>, Fault> {
    let mut filter = Filter::default();
    filter.text("connection_id = ?", &connection.0);
    filter.one_of(
        "resource_id",
        resources.iter().map(|resource| resource.0.as_str()),
    );
    let sql = filter.sql("SELECT check_id, document FROM check_results", "");
    let rows = filter.query(sql).fetch_all(store.read()).await?;
    rows.iter().map(evidence).collect()
}

async fn put(store: &Store, changed: &[JudgementEvidence]) -> std::result::Result<(), Fault> {
    let mut tx = store.begin().await?;
    for one in changed {
        let document = encode(one)?;
        sqlx::query(
            "UPDATE check_history SET until_ms = $4
             WHERE connection_id = $1 AND resource_id = $2 AND check_id = $3 AND until_ms IS NULL AND at_ms < $4",
        )
        .bind(&one.connection.0)
        .bind(&one.resource.0)
        .bind(&one.result.check)
        .bind(one.at.as_millisecond())
        .execute(&mut *tx)
        .await?;
        // Before the current result is replaced: its answer is what this one takes the place of.
        sqlx::query(
            "INSERT INTO check_history (connection_id, resource_id, check_id, at_ms, answer, account, document, was)
             VALUES ($1, $2, $3, $4, $5, $6, $7, (SELECT answer FROM check_results
                 WHERE connection_id = $1 AND resource_id = $2 AND check_id = $3))
             ON CONFLICT (connection_id, resource_id, check_id, at_ms)
             DO UPDATE SET answer = excluded.answer, account = excluded.account, document = excluded.document, until_ms = NULL",
        )
        .bind(&one.connection.0)
        .bind(&one.resource.0)
        .bind(&one.result.check)
        .bind(one.at.as_millisecond())
        .bind(one.result.answer.as_str())
        .bind(&one.account)
        .bind(&document)
        .execute(&mut *tx)
        .await?;
        sqlx::query(
            "INSERT INTO check_results (connection_id, resource_id, check_id, answer, account, agent_id, document)
             VALUES ($1, $2, $3, $4, $5, $6, $7)
             ON CONFLICT (connection_id, resource_id, check_id)
             DO UPDATE SET answer = excluded.answer, account = excluded.account,
                 agent_id = excluded.agent_id, document = excluded.document",
        )
        .bind(&one.connection.0)
        .bind(&one.resource.0)
        .bind(&one.result.check)
        .bind(one.result.answer.as_str())
        .bind(&one.account)
        .bind(&one.agent.0)
        .bind(&document)
        .execute(&mut *tx)
        .await?;
    }

    Ok(tx.commit().await?)
}

async fn remove(
    store: &Store,
    ended: &[EvidenceKey],
    at: Timestamp,
) -> std::result::Result<(), Fault> {
    let mut tx = store.begin().await?;
    for (connection, resource, check) in ended {
        sqlx::query(
            "UPDATE check_history SET until_ms = $4
             WHERE connection_id = $1 AND resource_id = $2 AND check_id = $3 AND until_ms IS NULL",
        )
        .bind(&connection.0)
        .bind(&resource.0)
        .bind(check)
        .bind(at.as_millisecond())
        .execute(&mut *tx)
        .await?;
        sqlx::query(
            "DELETE FROM check_results WHERE connection_id = $1 AND resource_id = $2 AND check_id = $3",
        )
        .bind(&connection.0)
        .bind(&resource.0)
        .bind(check)
        .execute(&mut *tx)
        .await?;
    }

    Ok(tx.commit().await?)
}

async fn keys(store: &Store, agent: &AgentId) -> std::result::Result<Vec<EvidenceKey>, Fault> {
    let rows = sqlx::query(
        "SELECT connection_id, resource_id, check_id FROM check_results WHERE agent_id = $1",
    )
    .bind(&agent.0)
    .fetch_all(store.read())
    .await?;
    rows.iter()
        .map(|row| {
            Ok((
                ConnectionId(row.try_get(0)?),
                ResourceId::new(row.try_get::<String, _>(1)?),
                row.try_get(2)?,
            ))
        })
        .collect()
}

/// Conditions of a filter that both tables have the columns of.
fn chosen(wanted: &EvidenceFilter) -> (Filter, Option<String>) {
    let mut filter = Filter::default();
    let checks = wanted.checks.iter().map(String::as_str);
    let order = filter.one_of_in_order("check_id", checks);
    filter.visible("connection_id", &wanted.visible);
    if let Some(answer) = wanted.answer {
        filter.text("answer = ?", answer.as_str());
    }
    filter.like_one_of("resource_id", &wanted.resources);
    filter.like_one_of("account", &wanted.accounts);
    (filter, order)
}

/// Results that a filter chooses.
struct Filtered {
    /// Table that has them.
    table: &'static str,
    filter: Filter,
    /// Place of a result's check among those that the filter names.
    order: Option<String>,
}

fn filtered(wanted: &EvidenceFilter) -> Filtered {
    let (mut filter, order) = chosen(wanted);
    let Some(before) = wanted.before else {
        return Filtered {
            table: "check_results",
            filter,
            order,
        };
    };

    filter.integer(
        "at_ms < ? AND (until_ms IS NULL OR until_ms >= ?)",
        before.as_millisecond(),
    );
    Filtered {
        table: "check_history",
        filter,
        order,
    }
}

async fn list(
    store: &Store,
    wanted: &EvidenceFilter,
) -> std::result::Result<(Vec<JudgementEvidence>, u64), Fault> {
    let Filtered {
        table,
        filter,
        order,
    } = filtered(wanted);
    let sql = filter.sql_of("SELECT COUNT(*) FROM ", table, "");
    let total: i64 = filter
        .query(sql)
        .fetch_one(store.read())
        .await?
        .try_get(0)?;

    let order = order.as_deref().unwrap_or("check_id");
    let page = filter.page_of(
        "SELECT check_id, document FROM ",
        table,
        &format!(" ORDER BY {order}, resource_id, connection_id"),
        wanted.limit,
        wanted.offset,
    );
    let rows = filter.query(page).fetch_all(store.read()).await?;
    let found = rows
        .iter()
        .map(evidence)
        .collect::<std::result::Result<Vec<_>, _>>()?;

    Ok((found, u64::try_from(total).unwrap_or(0)))
}

fn answer(text: &str) -> std::result::Result<CheckAnswer, Fault> {
    named("answer of a check", text, CheckAnswer::parse)
        .map_err(unreadable("result of a check", text))
}

async fn counts(
    store: &Store,
    wanted: &EvidenceFilter,
) -> std::result::Result<Vec<EvidenceCount>, Fault> {
    let Filtered { table, filter, .. } = filtered(wanted);
    let sql = filter.sql_of(
        "SELECT check_id, answer, COUNT(*) FROM ",
        table,
        " GROUP BY check_id, answer ORDER BY check_id, answer",
    );
    let rows = filter.query(sql).fetch_all(store.read()).await?;
    rows.iter()
        .map(|row| {
            let (text, count): (String, i64) = (row.try_get(1)?, row.try_get(2)?);
            Ok(EvidenceCount {
                check: row.try_get(0)?,
                answer: answer(&text)?,
                count: u64::try_from(count).unwrap_or(0),
            })
        })
        .collect()
}

async fn changes(
    store: &Store,
    wanted: &EvidenceFilter,
    since: Timestamp,
) -> std::result::Result<Vec<EvidenceChange>, Fault> {
    let (mut filter, _) = chosen(wanted);
    filter.integer("at_ms >= ?", since.as_millisecond());
    if let Some(before) = wanted.before {
        filter.integer("at_ms < ?", before.as_millisecond());
    }

    let sql = filter.sql(
        "SELECT check_id, COALESCE(was, ''), answer, COUNT(*) FROM check_history",
        " GROUP BY check_id, COALESCE(was, ''), answer ORDER BY check_id, COALESCE(was, ''), answer",
    );
    let rows = filter.query(sql).fetch_all(store.read()).await?;
    rows.iter()
        .map(|row| {
            let (was, text, count): (String, String, i64) =
                (row.try_get(1)?, row.try_get(2)?, row.try_get(3)?);
            let was = (!was.is_empty()).then(|| answer(&was)).transpose()?;
            Ok(EvidenceChange {
                check: row.try_get(0)?,
                was,
                answer: answer(&text)?,
                count: u64::try_from(count).unwrap_or(0),
            })
        })
        .collect()
}

/// Day, check and answer of a turnover.
type TurnoverKey = (i64, String, String);

async fn turnover(
    store: &Store,
    wanted: &EvidenceFilter,
    since: Timestamp,
) -> std::result::Result<Vec<EvidenceTurnover>, Fault> {
    let mut found: BTreeMap<TurnoverKey, (u64, u64)> = BTreeMap::new();
    for ((condition, head, tail), is_end) in [(BEGUN, false), (ENDED, true)] {
        let (mut filter, _) = chosen(wanted);
        filter.integer(condition, since.as_millisecond());
        let sql = filter.sql(head, tail);
        let rows = filter.query(sql).fetch_all(store.read()).await?;
        for row in rows {
            let key = (row.try_get(0)?, row.try_get(1)?, row.try_get(2)?);
            let count: i64 = row.try_get(3)?;
            let (begun, ended) = found.entry(key).or_default();
            let side = if is_end { ended } else { begun };
            *side = u64::try_from(count).unwrap_or(0);
        }
    }

    let turnover = found
        .into_iter()
        .map(|((day, check, text), (begun, ended))| {
            Ok(EvidenceTurnover {
                day,
                check,
                answer: answer(&text)?,
                begun,
                ended,
            })
        });
    turnover.collect()
}

async fn history(
    store: &Store,
    connection: &ConnectionId,
    resource: &ResourceId,
    check: &str,
) -> std::result::Result<Vec<JudgementEvidence>, Fault> {
    let rows = sqlx::query(
        "SELECT check_id, document FROM check_history
         WHERE connection_id = $1 AND resource_id = $2 AND check_id = $3 ORDER BY at_ms DESC LIMIT 1000",
    )
    .bind(&connection.0)
    .bind(&resource.0)
    .bind(check)
    .fetch_all(store.read())
    .await?;
    rows.iter().map(evidence).collect()
}
