//! The evaluator's position and state: moved and kept together, or not at all.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD as BASE64;
use jiff::Timestamp;
use reeve_alerts::{
    AlertProgress, ChangeTally, DegradedBy, DegradedRule, EvaluatorChanges, GroupKey, OldGroup,
    RuleId, StoredState, StoredTally,
};
use sqlx::{Any, Row as _, Transaction};

use super::firing;
use crate::batch::{Cell, Insert};
use crate::database::Store;
use crate::fault::Fault;
use crate::rows::{decode, encode, unreadable, version};

type Result<T> = std::result::Result<T, Fault>;

/// The one row of `alert_progress`.
const PROGRESS: i64 = 1;

fn unsigned(number: i64) -> u64 {
    u64::try_from(number).unwrap_or_default()
}

pub(super) async fn progress(store: &Store) -> Result<Option<AlertProgress>> {
    let row = sqlx::query("SELECT next_sequence, clock_ms FROM alert_progress WHERE id = $1")
        .bind(PROGRESS)
        .fetch_optional(store.read())
        .await?;
    let Some(row) = row else { return Ok(None) };
    let clock_ms: Option<i64> = row.try_get(1)?;
    let clock = clock_ms.map(Timestamp::from_millisecond).transpose();
    let clock = clock
        .map_err(|error| Fault::Backend(format!("the stored clock cannot be read: {error}")))?;

    Ok(Some(AlertProgress {
        position: unsigned(row.try_get(0)?),
        clock,
    }))
}

/// Removes a rule's state, except that of one revision.
pub(super) async fn forget(
    tx: &mut Transaction<'_, Any>,
    rule: &RuleId,
    except: Option<u64>,
) -> Result<()> {
    let kept = except.map_or(-1, version);
    for statement in [
        "DELETE FROM alert_groups WHERE rule_id = $1 AND revision <> $2",
        "DELETE FROM alert_tallies WHERE rule_id = $1 AND revision <> $2",
        "DELETE FROM alert_degraded WHERE rule_id = $1 AND revision <> $2",
    ] {
        sqlx::query(statement)
            .bind(&rule.0)
            .bind(kept)
            .execute(&mut **tx)
            .await?;
    }

    Ok(())
}

pub(super) async fn state(store: &Store) -> Result<StoredState> {
    // A process that did not know of a change yet may have kept counts of a rule that was removed
    // or revised.
    for statement in [
        "DELETE FROM alert_tallies WHERE NOT EXISTS (SELECT 1 FROM alert_rules AS rule
            WHERE rule.id = alert_tallies.rule_id AND rule.revision = alert_tallies.revision)",
        "DELETE FROM alert_degraded WHERE NOT EXISTS (SELECT 1 FROM alert_rules AS rule
            WHERE rule.id = alert_degraded.rule_id AND rule.revision = alert_degraded.revision)",
    ] {
        sqlx::query(statement).execute(store.write()).await?;
    }

    let snapshot = bodies(store, "SELECT body FROM alert_snapshot ORDER BY part").await?;
    let deltas = bodies(
        store,
        "SELECT body FROM alert_deltas ORDER BY next_sequence",
    )
    .await?;
    let is_old = snapshot.is_empty() && deltas.is_empty();
    let (old_groups, old_tallies) = if is_old {
        old(store).await?
    } else {
        Default::default()
    };

    Ok(StoredState {
        snapshot,
        deltas,
        old_groups,
        old_tallies,
    })
}

async fn bodies(store: &Store, statement: &'static str) -> Result<Vec<Vec<u8>>> {
    let rows = sqlx::query(statement).fetch_all(store.read()).await?;
    let body = |row: &sqlx::any::AnyRow| {
        let text: &str = row.try_get(0)?;
        BASE64.decode(text).map_err(|error| {
            Fault::Backend(format!("the state of alert rules cannot be read: {error}"))
        })
    };

    rows.iter().map(body).collect()
}

/// Returns the rows for each group that versions before the deltas kept, and the counts beside
/// them.
async fn old(store: &Store) -> Result<(Vec<OldGroup>, Vec<StoredTally>)> {
    let rows = sqlx::query(
        "SELECT rule_id, revision, group_key, state FROM alert_groups ORDER BY rule_id, group_hash",
    )
    .fetch_all(store.read())
    .await?;

    let group = |row: &sqlx::any::AnyRow| {
        Ok(OldGroup {
            rule: RuleId(row.try_get(0)?),
            revision: unsigned(row.try_get(1)?),
            key: GroupKey(row.try_get(2)?),
            state: row.try_get(3)?,
        })
    };
    let groups = rows.iter().map(group).collect::<Result<_>>()?;

    let rows = sqlx::query(
        "SELECT rule_id, revision, document FROM alert_tallies ORDER BY rule_id, revision",
    )
    .fetch_all(store.read())
    .await?;

    let tally = |row: &sqlx::any::AnyRow| {
        let rule: String = row.try_get(0)?;
        let tally = read_tally(row.try_get(2)?, &rule)?;
        Ok(StoredTally {
            rule: RuleId(rule),
            revision: unsigned(row.try_get(1)?),
            tally,
        })
    };

    Ok((groups, rows.iter().map(tally).collect::<Result<_>>()?))
}

fn read_tally(document: &str, rule: &str) -> Result<ChangeTally> {
    decode(document).map_err(unreadable("counts of alert rule", rule))
}

pub(super) async fn tally(
    store: &Store,
    rule: &RuleId,
    revision: u64,
) -> Result<Option<ChangeTally>> {
    let row =
        sqlx::query("SELECT document FROM alert_tallies WHERE rule_id = $1 AND revision = $2")
            .bind(&rule.0)
            .bind(version(revision))
            .fetch_optional(store.read())
            .await?;
    row.map(|row| read_tally(row.try_get(0)?, &rule.0))
        .transpose()
}

/// Keeps counts for people to see, many with one statement.
pub(super) async fn tally_put(store: &Store, tallies: &[StoredTally]) -> Result<()> {
    let mut insert = Insert::new(
        "INSERT INTO alert_tallies (rule_id, revision, document)",
        "ON CONFLICT (rule_id, revision) DO UPDATE SET document = excluded.document",
    );
    for stored in tallies {
        let document = encode(&stored.tally)?;
        insert.row([
            Cell::Text(stored.rule.0.clone()),
            Cell::Integer(version(stored.revision)),
            Cell::Text(document),
        ]);
    }

    let mut tx = store.begin().await?;
    insert.run(&mut tx).await?;
    Ok(tx.commit().await?)
}

pub(super) async fn degraded(store: &Store) -> Result<Vec<DegradedRule>> {
    let rows = sqlx::query(
        "SELECT degraded.rule_id, degraded.revision, degraded.bound, degraded.since_ms, degraded.at_ms
         FROM alert_degraded AS degraded JOIN alert_rules AS rule
           ON rule.id = degraded.rule_id AND rule.revision = degraded.revision
         ORDER BY degraded.rule_id",
    )
    .fetch_all(store.read())
    .await?;

    let instant = |ms: i64| {
        Timestamp::from_millisecond(ms)
            .map_err(|error| Fault::Backend(format!("a stored time cannot be read: {error}")))
    };

    let row = |row: &sqlx::any::AnyRow| {
        let bound: &str = row.try_get(2)?;
        let by = DegradedBy::parse(bound)
            .ok_or_else(|| Fault::Backend(format!("there is no bound {bound}")))?;
        Ok(DegradedRule {
            rule: RuleId(row.try_get(0)?),
            revision: unsigned(row.try_get(1)?),
            by,
            since: instant(row.try_get(3)?)?,
            at: instant(row.try_get(4)?)?,
        })
    };

    rows.iter().map(row).collect()
}

pub(super) async fn advance(
    store: &Store,
    from: Option<u64>,
    to: AlertProgress,
    changes: &EvaluatorChanges,
) -> Result<()> {
    let mut tx = store.begin().await?;
    move_on(&mut tx, from, to).await?;
    keep_state(&mut tx, to, changes).await?;
    for fired in &changes.fired {
        firing::insert(&mut tx, fired).await?;
    }

    for growth in &changes.grown {
        firing::grow(&mut tx, growth).await?;
    }

    for met in &changes.degraded {
        sqlx::query(
            "INSERT INTO alert_degraded (rule_id, revision, bound, since_ms, at_ms) VALUES ($1, $2, $3, $4, $5)
             ON CONFLICT (rule_id, revision) DO UPDATE
             SET bound = excluded.bound, since_ms = excluded.since_ms, at_ms = excluded.at_ms",
        )
        .bind(&met.rule.0)
        .bind(version(met.revision))
        .bind(met.by.as_str())
        .bind(met.since.as_millisecond())
        .bind(met.at.as_millisecond())
        .execute(&mut *tx)
        .await?;
    }

    Ok(tx.commit().await?)
}

/// Adds the delta, or puts a snapshot in place of everything before it.
async fn keep_state(
    tx: &mut Transaction<'_, Any>,
    to: AlertProgress,
    changes: &EvaluatorChanges,
) -> Result<()> {
    let Some(snapshot) = &changes.snapshot else {
        if !changes.delta.is_empty() {
            sqlx::query("INSERT INTO alert_deltas (next_sequence, body) VALUES ($1, $2)")
                .bind(version(to.position))
                .bind(BASE64.encode(&changes.delta))
                .execute(&mut **tx)
                .await?;
        }
        return Ok(());
    };

    for statement in [
        "DELETE FROM alert_deltas",
        "DELETE FROM alert_snapshot",
        "DELETE FROM alert_groups",
    ] {
        sqlx::query(statement).execute(&mut **tx).await?;
    }

    for (number, part) in (0_i64..).zip(snapshot) {
        sqlx::query("INSERT INTO alert_snapshot (part, body) VALUES ($1, $2)")
            .bind(number)
            .bind(BASE64.encode(part))
            .execute(&mut **tx)
            .await?;
    }

    Ok(())
}

async fn move_on(
    tx: &mut Transaction<'_, Any>,
    from: Option<u64>,
    to: AlertProgress,
) -> Result<()> {
    let clock_ms = to.clock.map(Timestamp::as_millisecond);
    let Some(from) = from else {
        sqlx::query("INSERT INTO alert_progress (id, next_sequence, clock_ms) VALUES ($1, $2, $3)")
            .bind(PROGRESS)
            .bind(version(to.position))
            .bind(clock_ms)
            .execute(&mut **tx)
            .await
            .map_err(|error| {
                Fault::or_taken(error, || {
                    "another process has begun to evaluate the log".to_owned()
                })
            })?;
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
        return Err(Fault::Conflict(
            "another process has evaluated the log in the meantime".to_owned(),
        ));
    }

    Ok(())
}
