//! The evaluator's position and state: moved and kept together, or not at all.

use jiff::Timestamp;
use reeve_alerts::{Changes, GroupKey, Progress, RuleId, StoredGroup, StoredTally, Tally};
use sha2::{Digest as _, Sha256};
use sqlx::{Any, Row as _, Transaction};

use super::firing;
use crate::database::Store;
use crate::fault::Fault;
use crate::rows::alert::TallyRow;
use crate::rows::{decode, encode, unreadable, version};

type Result<T> = std::result::Result<T, Fault>;

/// The one row of `alert_progress`.
const PROGRESS: i64 = 1;

fn unsigned(number: i64) -> u64 {
    u64::try_from(number).unwrap_or_default()
}

pub(super) async fn progress(store: &Store) -> Result<Option<Progress>> {
    let row = sqlx::query("SELECT next_sequence, clock_ms FROM alert_progress WHERE id = $1")
        .bind(PROGRESS)
        .fetch_optional(store.read())
        .await?;
    let Some(row) = row else { return Ok(None) };
    let clock_ms: Option<i64> = row.try_get(1)?;
    let clock = clock_ms.map(Timestamp::from_millisecond).transpose();
    let clock = clock.map_err(|error| Fault::Backend(format!("the stored clock cannot be read: {error}")))?;
    Ok(Some(Progress { position: unsigned(row.try_get(0)?), clock }))
}

/// Removes a rule's state, except that of one revision.
pub(super) async fn forget(tx: &mut Transaction<'_, Any>, rule: &RuleId, except: Option<u64>) -> Result<()> {
    let kept = except.map_or(-1, version);
    for statement in [
        "DELETE FROM alert_groups WHERE rule_id = $1 AND revision <> $2",
        "DELETE FROM alert_tallies WHERE rule_id = $1 AND revision <> $2",
    ] {
        sqlx::query(statement).bind(&rule.0).bind(kept).execute(&mut **tx).await?;
    }
    Ok(())
}

pub(super) async fn state(store: &Store) -> Result<(Vec<StoredGroup>, Vec<StoredTally>)> {
    // A process that did not know of a change yet may have kept state of a rule that was removed or revised.
    for statement in [
        "DELETE FROM alert_groups WHERE NOT EXISTS (SELECT 1 FROM alert_rules AS rule
            WHERE rule.id = alert_groups.rule_id AND rule.revision = alert_groups.revision)",
        "DELETE FROM alert_tallies WHERE NOT EXISTS (SELECT 1 FROM alert_rules AS rule
            WHERE rule.id = alert_tallies.rule_id AND rule.revision = alert_tallies.revision)",
    ] {
        sqlx::query(statement).execute(store.write()).await?;
    }
    let rows = sqlx::query("SELECT rule_id, revision, group_key, state FROM alert_groups ORDER BY rule_id, group_hash")
        .fetch_all(store.read())
        .await?;
    let group = |row: &sqlx::any::AnyRow| {
        Ok(StoredGroup {
            rule: RuleId(row.try_get(0)?),
            revision: unsigned(row.try_get(1)?),
            key: GroupKey(row.try_get(2)?),
            state: Some(row.try_get(3)?),
        })
    };
    let groups = rows.iter().map(group).collect::<Result<_>>()?;
    let rows = sqlx::query("SELECT rule_id, revision, document FROM alert_tallies ORDER BY rule_id, revision")
        .fetch_all(store.read())
        .await?;
    let tally = |row: &sqlx::any::AnyRow| {
        let rule: String = row.try_get(0)?;
        let tally = read_tally(row.try_get(2)?, &rule)?;
        Ok(StoredTally { rule: RuleId(rule), revision: unsigned(row.try_get(1)?), tally })
    };
    Ok((groups, rows.iter().map(tally).collect::<Result<_>>()?))
}

fn read_tally(document: &str, rule: &str) -> Result<Tally> {
    decode::<TallyRow>(document).and_then(TallyRow::into_tally).map_err(unreadable("counts of alert rule", rule))
}

pub(super) async fn tally(store: &Store, rule: &RuleId, revision: u64) -> Result<Option<Tally>> {
    let row = sqlx::query("SELECT document FROM alert_tallies WHERE rule_id = $1 AND revision = $2")
        .bind(&rule.0)
        .bind(version(revision))
        .fetch_optional(store.read())
        .await?;
    row.map(|row| read_tally(row.try_get(0)?, &rule.0)).transpose()
}

pub(super) async fn advance(store: &Store, from: Option<u64>, to: Progress, changes: &Changes) -> Result<()> {
    let mut tx = store.begin().await?;
    move_on(&mut tx, from, to).await?;
    for group in &changes.groups {
        keep_group(&mut tx, group).await?;
    }
    for stored in &changes.tallies {
        sqlx::query(
            "INSERT INTO alert_tallies (rule_id, revision, document) VALUES ($1, $2, $3)
             ON CONFLICT (rule_id, revision) DO UPDATE SET document = excluded.document",
        )
        .bind(&stored.rule.0)
        .bind(version(stored.revision))
        .bind(encode(&TallyRow::from(stored.tally))?)
        .execute(&mut *tx)
        .await?;
    }
    for fired in &changes.fired {
        firing::insert(&mut tx, fired).await?;
    }
    for growth in &changes.grown {
        firing::grow(&mut tx, growth).await?;
    }
    Ok(tx.commit().await?)
}

async fn move_on(tx: &mut Transaction<'_, Any>, from: Option<u64>, to: Progress) -> Result<()> {
    let clock_ms = to.clock.map(Timestamp::as_millisecond);
    let Some(from) = from else {
        sqlx::query("INSERT INTO alert_progress (id, next_sequence, clock_ms) VALUES ($1, $2, $3)")
            .bind(PROGRESS)
            .bind(version(to.position))
            .bind(clock_ms)
            .execute(&mut **tx)
            .await
            .map_err(|error| Fault::or_taken(error, || "another process has begun to evaluate the log".to_owned()))?;
        return Ok(());
    };
    let done =
        sqlx::query("UPDATE alert_progress SET next_sequence = $3, clock_ms = $4 WHERE id = $1 AND next_sequence = $2")
            .bind(PROGRESS)
            .bind(version(from))
            .bind(version(to.position))
            .bind(clock_ms)
            .execute(&mut **tx)
            .await?;
    if done.rows_affected() == 0 {
        return Err(Fault::Conflict("another process has evaluated the log in the meantime".to_owned()));
    }
    Ok(())
}

async fn keep_group(tx: &mut Transaction<'_, Any>, group: &StoredGroup) -> Result<()> {
    let hash = hex::encode(Sha256::digest(group.key.0.as_bytes()));
    let query = match &group.state {
        Some(state) => sqlx::query(
            "INSERT INTO alert_groups (rule_id, revision, group_hash, group_key, state) VALUES ($1, $2, $3, $4, $5)
             ON CONFLICT (rule_id, revision, group_hash) DO UPDATE SET state = excluded.state",
        )
        .bind(&group.rule.0)
        .bind(version(group.revision))
        .bind(hash)
        .bind(&group.key.0)
        .bind(state),
        None => sqlx::query("DELETE FROM alert_groups WHERE rule_id = $1 AND revision = $2 AND group_hash = $3")
            .bind(&group.rule.0)
            .bind(version(group.revision))
            .bind(hash),
    };
    query.execute(&mut **tx).await?;
    Ok(())
}
