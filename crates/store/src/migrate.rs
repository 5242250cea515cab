//! Migrations: forward only, each in the order of its number, all in one transaction.
//!
//! A database that a newer program wrote is refused before anything is touched, and so is one whose
//! applied migrations read otherwise than this program's: both would end in half-understood rows.

use sha2::{Digest as _, Sha256};
use sqlx::any::Any;
use sqlx::{Row as _, Transaction};

use crate::address::Backend;
use crate::derived;
use crate::fault::Fault;
use crate::open::OpenError;

/// One step of the schema.
struct Migration {
    version: i64,
    sql: &'static str,
}

const MIGRATIONS: &[Migration] = &[
    Migration {
        version: 1,
        sql: include_str!("../migrations/0001_initial.sql"),
    },
    Migration {
        version: 2,
        sql: include_str!("../migrations/0002_saved_searches.sql"),
    },
    Migration {
        version: 3,
        sql: include_str!("../migrations/0003_exclusions.sql"),
    },
    Migration {
        version: 4,
        sql: include_str!("../migrations/0004_models.sql"),
    },
    Migration {
        version: 5,
        sql: include_str!("../migrations/0005_webhooks.sql"),
    },
    Migration {
        version: 6,
        sql: include_str!("../migrations/0006_anomalies.sql"),
    },
    Migration {
        version: 7,
        sql: include_str!("../migrations/0007_unsettled_actions.sql"),
    },
    Migration {
        version: 8,
        sql: include_str!("../migrations/0008_predictive.sql"),
    },
    Migration {
        version: 9,
        sql: include_str!("../migrations/0009_rollouts.sql"),
    },
    Migration {
        version: 10,
        sql: include_str!("../migrations/0010_threat_lists.sql"),
    },
    Migration {
        version: 11,
        sql: include_str!("../migrations/0011_threat_list_files.sql"),
    },
    Migration {
        version: 12,
        sql: include_str!("../migrations/0012_rollout_names.sql"),
    },
    Migration {
        version: 13,
        sql: include_str!("../migrations/0013_resource_changes.sql"),
    },
    Migration {
        version: 14,
        sql: include_str!("../migrations/0014_actions_by_resource.sql"),
    },
    Migration {
        version: 15,
        sql: include_str!("../migrations/0015_alerts.sql"),
    },
    Migration {
        version: 16,
        sql: include_str!("../migrations/0016_exports.sql"),
    },
    Migration {
        version: 17,
        sql: include_str!("../migrations/0017_budgets.sql"),
    },
    Migration {
        version: 18,
        sql: include_str!("../migrations/0018_reports.sql"),
    },
    Migration {
        version: 19,
        sql: include_str!("../migrations/0019_active_server.sql"),
    },
    Migration {
        version: 20,
        sql: include_str!("../migrations/0020_anomaly_lessons.sql"),
    },
    Migration {
        version: 21,
        sql: include_str!("../migrations/0021_descriptions.sql"),
    },
    Migration {
        version: 22,
        sql: include_str!("../migrations/0022_workloads.sql"),
    },
    Migration {
        version: 23,
        sql: include_str!("../migrations/0023_scale.sql"),
    },
    Migration {
        version: 24,
        sql: include_str!("../migrations/0024_sources.sql"),
    },
    Migration {
        version: 25,
        sql: include_str!("../migrations/0025_totals_revision.sql"),
    },
    Migration {
        version: 26,
        sql: include_str!("../migrations/0026_price_files.sql"),
    },
    Migration {
        version: 28,
        sql: include_str!("../migrations/0028_lease_root.sql"),
    },
    Migration {
        version: 29,
        sql: include_str!("../migrations/0029_alert_deltas.sql"),
    },
    Migration {
        version: 30,
        sql: include_str!("../migrations/0030_report_reviews.sql"),
    },
    Migration {
        version: 31,
        sql: include_str!("../migrations/0031_value_lists.sql"),
    },
    Migration {
        version: 33,
        sql: include_str!("../migrations/0033_database_arns.sql"),
    },
    Migration {
        version: 34,
        sql: include_str!("../migrations/0034_group_members.sql"),
    },
    Migration {
        version: 35,
        sql: include_str!("../migrations/0035_saving_ends.sql"),
    },
    Migration {
        version: 36,
        sql: include_str!("../migrations/0036_calendar_subscriptions.sql"),
    },
    Migration {
        version: 37,
        sql: include_str!("../migrations/0037_calendar_secrets.sql"),
    },
    Migration {
        version: 38,
        sql: include_str!("../migrations/0038_incidents.sql"),
    },
    Migration {
        version: 39,
        sql: include_str!("../migrations/0039_aspects.sql"),
    },
    Migration {
        version: 40,
        sql: include_str!("../migrations/0040_evidence.sql"),
    },
    Migration {
        version: 41,
        sql: include_str!("../migrations/0041_drift.sql"),
    },
    Migration {
        version: 42,
        sql: include_str!("../migrations/0042_description_changes.sql"),
    },
    Migration {
        version: 43,
        sql: include_str!("../migrations/0043_evidence_over_time.sql"),
    },
    Migration {
        version: 44,
        sql: include_str!("../migrations/0044_evidence_by_time.sql"),
    },
    Migration {
        version: 45,
        sql: include_str!("../migrations/0045_standing_approvals.sql"),
    },
    Migration {
        version: 47,
        sql: include_str!("../migrations/0047_exclusion_ends.sql"),
    },
    Migration {
        version: 48,
        sql: include_str!("../migrations/0048_incident_records.sql"),
    },
    Migration {
        version: 49,
        sql: include_str!("../migrations/0049_playbooks.sql"),
    },
    Migration {
        version: 50,
        sql: include_str!("../migrations/0050_inbound_alerts.sql"),
    },
    Migration {
        version: 51,
        sql: include_str!("../migrations/0051_threat_list_feeds.sql"),
    },
    Migration {
        version: 52,
        sql: include_str!("../migrations/0052_flows.sql"),
    },
    Migration {
        version: 55,
        sql: include_str!("../migrations/0055_attack_chains.sql"),
    },
    Migration {
        version: 56,
        sql: include_str!("../migrations/0056_anomaly_accounts.sql"),
    },
    Migration {
        version: 57,
        sql: include_str!("../migrations/0057_spot.sql"),
    },
    Migration {
        version: 58,
        sql: include_str!("../migrations/0058_runbooks.sql"),
    },
    Migration {
        version: 60,
        sql: include_str!("../migrations/0060_spot_markets.sql"),
    },
    Migration {
        version: 61,
        sql: include_str!("../migrations/0061_objectives.sql"),
    },
    Migration {
        version: 63,
        sql: include_str!("../migrations/0063_retention.sql"),
    },
    Migration {
        version: 65,
        sql: include_str!("../migrations/0065_streams.sql"),
    },
    Migration {
        version: 67,
        sql: include_str!("../migrations/0067_log_sources.sql"),
    },
    Migration {
        version: 69,
        sql: include_str!("../migrations/0069_restores.sql"),
    },
    Migration {
        version: 71,
        sql: include_str!("../migrations/0071_erasures.sql"),
    },
    Migration {
        version: 80,
        sql: include_str!("../migrations/0080_database_loads.sql"),
    },
];

/// Migration that adds the columns that follow from documents: where it is applied, they are filled
/// once all migrations are.
const FILLED: i64 = 23;
/// The same of the accounts of anomalies.
const ACCOUNTS_FILLED: i64 = 56;

/// The schema this program writes.
pub(crate) const CURRENT: i64 = MIGRATIONS[MIGRATIONS.len() - 1].version;

/// The key of PostgreSQL's advisory lock: two programs that start at once migrate one after the
/// other. ("reeve" in ASCII)
const LOCK: &str = "SELECT CAST(pg_advisory_xact_lock(491429193317) AS TEXT)";

/// PostgreSQL's name for comparing bytes is "C", SQLite's is "binary": with this the migrations
/// read the same on both.
const COLLATION: &str = r#"CREATE COLLATION IF NOT EXISTS "binary" FROM "C""#;

const JOURNAL: &str = "CREATE TABLE IF NOT EXISTS schema_versions (
    version BIGINT NOT NULL PRIMARY KEY, checksum TEXT NOT NULL, applied_at_ms BIGINT NOT NULL)";

/// Brings the schema up to date. The transaction holds the database's write lock (SQLite) or takes
/// one here.
pub(crate) async fn run(tx: &mut Transaction<'_, Any>, backend: Backend) -> Result<(), OpenError> {
    run_to(tx, backend, CURRENT).await
}

/// Brings the schema to a version, which is at least the one it has.
pub(crate) async fn run_to(
    tx: &mut Transaction<'_, Any>,
    backend: Backend,
    version: i64,
) -> Result<(), OpenError> {
    if backend == Backend::Postgres {
        sqlx::raw_sql(LOCK)
            .execute(&mut **tx)
            .await
            .map_err(OpenError::statement)?;
        sqlx::raw_sql(COLLATION)
            .execute(&mut **tx)
            .await
            .map_err(OpenError::statement)?;
    }

    sqlx::raw_sql(JOURNAL)
        .execute(&mut **tx)
        .await
        .map_err(OpenError::statement)?;
    let applied = applied(tx).await?;

    if let Some((newest, _)) = applied.last().filter(|(newest, _)| *newest > CURRENT) {
        return Err(OpenError::Newer {
            found: *newest,
            known: CURRENT,
        });
    }

    let is_applied = |version| applied.iter().any(|(applied, _)| *applied == version);
    let (is_filled, has_accounts) = (is_applied(FILLED), is_applied(ACCOUNTS_FILLED));
    for migration in MIGRATIONS
        .iter()
        .filter(|migration| migration.version <= version)
    {
        let checksum = hex::encode(Sha256::digest(migration.sql));
        match applied
            .iter()
            .find(|(version, _)| *version == migration.version)
        {
            Some((_, kept)) if *kept == checksum => {}
            Some(_) => {
                return Err(OpenError::Altered {
                    version: migration.version,
                });
            }
            None => apply(tx, migration, &checksum).await?,
        }
    }

    // The newest schema, because the program's statements are for no other.
    let unreadable = |fault: Fault| OpenError::statement(sqlx::Error::Protocol(fault.to_string()));
    if !is_filled && version == CURRENT {
        derived::fill(tx).await.map_err(unreadable)?;
    }
    if !has_accounts && version == CURRENT {
        derived::fill_anomalies(tx).await.map_err(unreadable)?;
    }

    Ok(())
}

async fn applied(tx: &mut Transaction<'_, Any>) -> Result<Vec<(i64, String)>, OpenError> {
    sqlx::query("SELECT version, checksum FROM schema_versions ORDER BY version")
        .fetch_all(&mut **tx)
        .await
        .map_err(OpenError::statement)?
        .iter()
        .map(|row| Ok((row.try_get(0)?, row.try_get(1)?)))
        .collect::<Result<_, sqlx::Error>>()
        .map_err(OpenError::statement)
}

async fn apply(
    tx: &mut Transaction<'_, Any>,
    migration: &Migration,
    checksum: &str,
) -> Result<(), OpenError> {
    sqlx::raw_sql(migration.sql)
        .execute(&mut **tx)
        .await
        .map_err(OpenError::statement)?;
    sqlx::query(
        "INSERT INTO schema_versions (version, checksum, applied_at_ms) VALUES ($1, $2, $3)",
    )
    .bind(migration.version)
    .bind(checksum)
    .bind(jiff::Timestamp::now().as_millisecond())
    .execute(&mut **tx)
    .await
    .map_err(OpenError::statement)?;

    tracing::info!(
        version = migration.version,
        "the state store's schema was brought up to date"
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn migrations_are_numbered_in_order_and_none_twice() {
        assert_eq!(MIGRATIONS[0].version, 1);
        for pair in MIGRATIONS.windows(2) {
            assert!(
                pair[0].version < pair[1].version,
                "{} before {}",
                pair[0].version,
                pair[1].version
            );
        }
    }

    /// A result that was replaced, a result in force, and one whose end was not kept.
    const RESULTS: &str = r#"
        INSERT INTO check_results VALUES ('c', 'a', 'versioned', 'pass', '1111', 'agent', '{"answer":"pass"}');
        INSERT INTO check_history VALUES ('c', 'a', 'versioned', 10, '{"answer":"fail"}');
        INSERT INTO check_history VALUES ('c', 'a', 'versioned', 20, '{"answer":"pass"}');
        INSERT INTO check_history VALUES ('c', 'gone', 'versioned', 10, '{"answer":"unknown"}')"#;

    #[tokio::test]
    async fn results_that_were_kept_before_get_their_answers_and_ends() {
        sqlx::any::install_default_drivers();
        let mut connection = <sqlx::AnyConnection as sqlx::Connection>::connect("sqlite::memory:")
            .await
            .unwrap();
        let mut tx = sqlx::Connection::begin(&mut connection).await.unwrap();
        run_to(&mut tx, Backend::Sqlite, 40).await.unwrap();
        sqlx::raw_sql(RESULTS).execute(&mut *tx).await.unwrap();
        run_to(&mut tx, Backend::Sqlite, CURRENT).await.unwrap();

        let rows = sqlx::query(
            "SELECT resource_id, at_ms, COALESCE(until_ms, 0), answer, COALESCE(was, ''), account FROM check_history ORDER BY 1, 2",
        )
        .fetch_all(&mut *tx)
        .await
        .unwrap();
        let read: Vec<(String, i64, i64, String, String, String)> = rows
            .iter()
            .map(|row| {
                (
                    row.get(0),
                    row.get(1),
                    row.get(2),
                    row.get(3),
                    row.get(4),
                    row.get(5),
                )
            })
            .collect();
        let row = |resource: &str, at, until, answer: &str, was: &str, account: &str| {
            let [resource, answer, was, account] =
                [resource, answer, was, account].map(str::to_owned);
            (resource, at, until, answer, was, account)
        };
        assert_eq!(
            read,
            [
                row("a", 10, 20, "fail", "", "1111"),
                row("a", 20, 0, "pass", "fail", "1111"),
                row("gone", 10, 10, "unknown", "", ""),
            ]
        );
    }

    #[tokio::test]
    async fn anomalies_that_were_kept_before_get_their_accounts() {
        sqlx::any::install_default_drivers();
        let mut connection = <sqlx::AnyConnection as sqlx::Connection>::connect("sqlite::memory:")
            .await
            .unwrap();
        let mut tx = sqlx::Connection::begin(&mut connection).await.unwrap();
        run_to(&mut tx, Backend::Sqlite, ACCOUNTS_FILLED - 1)
            .await
            .unwrap();
        sqlx::query(
            "INSERT INTO anomalies (id, key, class, status, place, started_at_ms, version, document)
             VALUES ('an-1', 'k', 'cost', 'open', 'i-1', 0, 1, $1)",
        )
        .bind(include_str!("../tests/fixtures/anomaly-v1.json"))
        .execute(&mut *tx)
        .await
        .unwrap();
        run_to(&mut tx, Backend::Sqlite, CURRENT).await.unwrap();

        let row = sqlx::query("SELECT account FROM anomalies")
            .fetch_one(&mut *tx)
            .await
            .unwrap();
        assert_eq!(row.get::<String, _>(0), "123456789012");
    }
}
