//! Compares the rows that decide who may do what with those at the last digest: each row that
//! changed must be named by an entry of Reeve's in between. Format and limits:
//! `docs/formats/state-digest.md`.
//!
//! Every change of Reeve's own state is recorded before it is tried (`http/change.rs`). So the
//! position in the log is noted first; the rows are read once whatever was announced by then is
//! done; and the log is read to its end after that. A change that the rows show was announced
//! between the position of the last digest and that end.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result};
use reeve_audit::query::{Query, may_be_by_reeve};
use reeve_audit::{ActionMethod, ActionStatus, Actor, Entry, Json, ResourceRef, Severity, events};
use reeve_http::app::App;
use reeve_ledger::SearchRequest;
use reeve_store::{RowDigest, Store};
use reeve_trail::Trail;
use serde::{Deserialize, Serialize};
use serde_json::json;
use sha2::{Digest as _, Sha256};

/// Setting with the rows of the last digest. Its own digest is in the log, so that a change of it
/// shows.
const KEPT: &str = "state_digest";

/// Time after which a change that was announced is made, or has failed. Statements are given ten
/// seconds.
const SETTLED: Duration = Duration::from_secs(15);

/// Rows that an entry lists.
const LISTED: usize = 100;

/// Entries that announce a change of a digested row. Reading, calls of the interface and results of
/// runs change none.
const CHANGES: &str = "event_type:user.* OR event_type:team.* OR event_type:token.* OR event_type:policy.* OR \
    event_type:settings.* OR event_type:integration.create OR event_type:integration.modify OR \
    event_type:integration.delete OR event_type:audit.alert.create OR event_type:audit.alert.modify OR event_type:audit.alert.delete OR event_type:audit.export.destination.* OR \
    event_type:authentication.password_change OR event_type:intelligence.agent.* OR event_type:system.restore";

/// Rows as they were at a digest.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Kept {
    /// Version of the schema.
    schema: i64,
    /// Entries in the log before the rows were read.
    size: u64,
    rows: Vec<KeptRow>,
}

/// A row: table, identifier, owners, SHA-256.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct KeptRow(String, String, Vec<String>, String);

/// A row that changed and that no entry names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Unexplained {
    table: String,
    row: String,
    /// `added`, `removed` or `changed`; `unknown` if the rows of the last digest were altered, so
    /// that the table alone is known.
    change: &'static str,
}

/// Digests the state of a service.
pub(super) struct StateDigester {
    pub(super) app: Arc<App>,
    pub(super) store: Arc<Store>,
    pub(super) trail: Trail,
    /// Time between two digests, where it is not a day.
    pub(super) every: Option<Duration>,
}

impl StateDigester {
    /// Digests the state, compares it with the last digest, and records both.
    pub(super) async fn run(&self) -> Result<()> {
        let size = self.trail.end();
        tokio::time::sleep(self.every.map_or(SETTLED, |every| every.min(SETTLED))).await;
        let rows = self
            .store
            .row_digests()
            .await?
            .into_iter()
            .map(KeptRow::from)
            .collect();

        let now = Kept {
            schema: self.store.schema(),
            size,
            rows,
        };
        let last = self.last_entry().await?;
        let compared = match &last {
            None => Compared::baseline("first"),
            Some(last) => self.compare(last, &now).await?,
        };
        self.store
            .setting_put(KEPT, &serde_json::to_value(&now)?)
            .await?;

        if !compared.unexplained.is_empty() {
            let rows = compared.unexplained.len();
            tracing::error!(
                rows,
                "the state was changed without an entry: see the entry state.digest"
            );
        }

        self.app.self_checks.digested(compared.unexplained.len());
        self.app
            .journal
            .record_outcome(entry(&now, &compared)?)
            .await;
        Ok(())
    }

    /// The newest digest that is in the log.
    async fn last_entry(&self) -> Result<Option<serde_json::Value>> {
        let query = Query::parse("event_type:state.digest")?.and(may_be_by_reeve());
        let page = self
            .trail
            .search(&SearchRequest::newest(query, 1, self.app.now()))
            .await?;
        let Some(found) = page.entries.first() else {
            return Ok(None);
        };

        let entry: serde_json::Value = serde_json::from_slice(&found.canonical)?;
        Ok(entry.get("metadata").cloned())
    }

    async fn compare(&self, last: &serde_json::Value, now: &Kept) -> Result<Compared> {
        let kept: Option<Kept> = self
            .store
            .setting_get(KEPT)
            .await?
            .and_then(|kept| serde_json::from_value(kept).ok());
        let is_kept =
            |kept: &Kept| digest(kept).is_ok_and(|digest| last["digest"] == json!(digest));
        let from = last["size"].as_u64().unwrap_or(0);
        let named = self.named(from, self.trail.end()).await?;
        if named.was_restored {
            return Ok(Compared::baseline("restore"));
        }

        let Some(kept) = kept.filter(is_kept) else {
            return Ok(Compared::altered(last, now));
        };

        // A migration rewrites rows.
        if kept.schema != now.schema {
            return Ok(Compared::baseline("schema"));
        }

        let unexplained = changed(&kept.rows, &now.rows)
            .into_iter()
            .filter(|(row, _)| !row.2.iter().any(|owner| named.resources.contains(owner)))
            .map(|(row, change)| Unexplained {
                table: row.0.clone(),
                row: row.1.clone(),
                change,
            })
            .collect();

        Ok(Compared {
            baseline: None,
            unexplained,
        })
    }

    /// The resources that Reeve's entries about changes name.
    async fn named(&self, from: u64, end: u64) -> Result<Named> {
        let query = Query::parse(CHANGES)?.and(may_be_by_reeve());
        let mut scan = self.trail.scan(query, from..end, self.app.now());
        let mut named = Named::default();

        while let Some(stretch) = scan.next().await? {
            for stored in &stretch.entries {
                named.was_restored |= stored.entry.event_type.as_str() == events::RESTORE.name;
                if let Some(id) = stored.entry.resource.id.as_deref() {
                    named.resources.insert(id.to_owned());
                }
            }
        }

        Ok(named)
    }
}

/// Resources and facts that the entries since the last digest name.
#[derive(Debug, Default)]
struct Named {
    resources: BTreeSet<String>,
    was_restored: bool,
}

/// Result of a comparison.
struct Compared {
    /// Reason why there was nothing to compare with.
    baseline: Option<&'static str>,
    unexplained: Vec<Unexplained>,
}

impl Compared {
    fn baseline(reason: &'static str) -> Compared {
        Compared {
            baseline: Some(reason),
            unexplained: Vec::new(),
        }
    }

    /// The rows of the last digest are not those that the log has the digest of. The tables'
    /// digests in the log are compared instead.
    fn altered(last: &serde_json::Value, now: &Kept) -> Compared {
        let row = |table: &str| Unexplained {
            table: table.to_owned(),
            row: String::new(),
            change: "unknown",
        };

        let differs = |(table, digested): (&String, &serde_json::Value)| {
            (last["tables"][table]["sha256"] != digested["sha256"]).then(|| row(table))
        };

        let tables = tables(&now.rows);
        let mut unexplained: Vec<Unexplained> = tables.iter().filter_map(differs).collect();
        unexplained.insert(0, row("settings"));

        Compared {
            baseline: None,
            unexplained,
        }
    }
}

impl From<RowDigest> for KeptRow {
    fn from(digest: RowDigest) -> KeptRow {
        KeptRow(digest.table, digest.row, digest.owners, digest.sha256)
    }
}

/// Rows that differ between two digests, and how.
fn changed<'a>(before: &'a [KeptRow], now: &'a [KeptRow]) -> Vec<(&'a KeptRow, &'static str)> {
    let by_id = |rows: &'a [KeptRow]| -> BTreeMap<(&'a str, &'a str), &'a KeptRow> {
        rows.iter()
            .map(|row| ((row.0.as_str(), row.1.as_str()), row))
            .collect()
    };
    let (old, new) = (by_id(before), by_id(now));

    let removed = old
        .iter()
        .filter(|(id, _)| !new.contains_key(*id))
        .map(|(_, row)| (*row, "removed"));
    let other = new.iter().filter_map(|(id, row)| match old.get(id) {
        None => Some((*row, "added")),
        Some(before) if before.3 != row.3 => Some((*row, "changed")),
        Some(_) => None,
    });
    removed.chain(other).collect()
}

/// SHA-256 of the kept rows, hex.
fn digest(kept: &Kept) -> Result<String> {
    Ok(hex::encode(Sha256::digest(
        serde_json::to_vec(kept).context("the digest could not be written")?,
    )))
}

/// Rows and SHA-256 of each table.
fn tables(rows: &[KeptRow]) -> serde_json::Map<String, serde_json::Value> {
    let mut tables: BTreeMap<&str, (u64, Sha256)> = BTreeMap::new();
    for KeptRow(table, row, _, sha256) in rows {
        let (count, hash) = tables.entry(table).or_default();
        *count += 1;
        hash.update(format!("{row}\n{sha256}\n"));
    }

    let told = |(table, (rows, hash)): (&str, (u64, Sha256))| {
        (
            table.to_owned(),
            json!({ "rows": rows, "sha256": hex::encode(hash.finalize()) }),
        )
    };

    tables.into_iter().map(told).collect()
}

fn entry(now: &Kept, compared: &Compared) -> Result<Entry> {
    let listed: Vec<&Unexplained> = compared.unexplained.iter().take(LISTED).collect();
    let entry = Entry::for_event(&events::STATE_DIGEST)
        .by(Actor::system())
        .on(ResourceRef::new("reeve", "state"))
        .with_action(
            "digest_state",
            ActionStatus::Success,
            ActionMethod::Scheduled,
        )
        .with_metadata("digest", digest(now)?)
        .with_metadata("size", now.size)
        .with_metadata("schema", now.schema)
        .with_metadata(
            "tables",
            Json::from(serde_json::Value::Object(tables(&now.rows))),
        )
        .with_metadata("unexplained", Json::from(json!(listed)))
        .with_metadata("unexplained_total", compared.unexplained.len() as u64);

    let entry = match compared.baseline {
        Some(reason) => entry.with_metadata("baseline", reason),
        None => entry,
    };
    Ok(if listed.is_empty() {
        entry
    } else {
        entry.with_severity(Severity::Critical)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(table: &str, id: &str, sha256: &str) -> KeptRow {
        KeptRow(table.into(), id.into(), vec![id.into()], sha256.into())
    }

    #[test]
    fn added_removed_and_changed_rows_are_told_apart() {
        let before = [
            row("users", "a", "1"),
            row("users", "b", "1"),
            row("teams", "a", "1"),
        ];

        let now = [
            row("users", "a", "2"),
            row("teams", "a", "1"),
            row("tokens", "c", "1"),
        ];

        let found: Vec<(&str, &str, &str)> = changed(&before, &now)
            .into_iter()
            .map(|(row, change)| (&*row.0, &*row.1, change))
            .collect();
        assert_eq!(
            found,
            [
                ("users", "b", "removed"),
                ("tokens", "c", "added"),
                ("users", "a", "changed")
            ]
        );
    }

    #[test]
    fn where_the_kept_rows_were_altered_the_tables_are_compared() {
        let (before, now) = (
            [row("users", "a", "1"), row("teams", "t", "1")],
            [row("users", "a", "2"), row("teams", "t", "1")],
        );
        let last = json!({ "tables": tables(&before) });
        let now = Kept {
            schema: 1,
            size: 5,
            rows: now.to_vec(),
        };

        let found: Vec<String> = Compared::altered(&last, &now)
            .unexplained
            .into_iter()
            .map(|one| one.table)
            .collect();
        assert_eq!(found, ["settings", "users"]);
    }
}
