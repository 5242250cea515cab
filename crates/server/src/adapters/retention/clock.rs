//! Belief in the clock before anything is deleted: one that was set years ahead would end every
//! period at once.

use jiff::{SignedDuration, Timestamp};
use reeve_audit::Obstacle;
use reeve_audit::query::Query;
use reeve_ledger::SearchRequest;
use reeve_retention::PolicyVersion;
use reeve_trail::Trail;

/// Time that the service may have been off, or the clock have jumped, without a person's doing.
const LONGEST_GAP: SignedDuration = SignedDuration::from_hours(7 * 24);
/// Time for which entries must have been recorded after a longer gap. Within it people notice a wrong
/// clock, and the log of a running service is not silent so long.
const SETTLED: SignedDuration = SignedDuration::from_hours(24);

/// Refuses a time that neither the log nor a person confirms: the log has entries that were recorded
/// a day to seven days before it, or a person saved the policies within a day before it.
pub(super) async fn believed(
    trail: &Trail,
    policies: &PolicyVersion,
    now: Timestamp,
) -> Result<(), Obstacle> {
    let is_settled = |at: Timestamp| at <= now && now.duration_since(at) <= SETTLED;
    if policies.changed_at.is_some_and(is_settled) {
        return Ok(());
    }

    let (from, to) = (now - LONGEST_GAP, now - SETTLED);
    let query = Query::parse(&format!("recorded_at:>={from:.3} recorded_at:<={to:.3}"));
    let request = SearchRequest::newest(query.map_err(Obstacle::of)?, 1, now);
    let page = trail.search(&request).await.map_err(Obstacle::of)?;
    if page.entries.is_empty() {
        return Err("the log has no entry that was recorded a day to seven days ago, so the clock may be wrong: nothing is deleted before the log was written for a day, or the policies are saved again".into());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::sync::Arc;

    use reeve_audit::Draft;
    use reeve_lake::{EntrySearch, EntrySegments};
    use reeve_ledger::{Config, Ledger, keys};

    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[tokio::test]
    async fn a_clock_that_jumped_is_not_believed() {
        let home = tempfile::tempdir().unwrap();
        let signer = keys::load_or_create(home.path(), None).unwrap();
        let segments = Arc::new(EntrySegments::open(home.path()).await.unwrap());
        let config = Config::new(home.path(), signer.name());
        let ledger = Ledger::open(config, signer, segments.clone())
            .await
            .unwrap();
        let reader = EntrySearch::new(segments, Arc::new(ledger.clone()));
        let trail = Trail::service_wide(ledger.clone(), Arc::new(reader));
        let record = async |time: &str| {
            let text = format!(
                r#"{{"event_id":"{time}","event_type":"test.deed","timestamp":"2026-01-01T00:00:00Z"}}"#
            );
            let draft = Draft::from_bytes(text.as_bytes(), at(time)).unwrap();
            ledger.append(vec![draft]).await.unwrap();
        };
        let presets = PolicyVersion::presets();
        let check = async |time: &str| believed(&trail, &presets, at(time)).await.is_ok();

        for day in 1..=9 {
            record(&format!("2026-01-0{day}T10:00:00Z")).await;
        }
        assert!(check("2026-01-09T12:00:00Z").await);
        assert!(check("2026-01-16T09:00:00Z").await, "a week of holidays");
        assert!(!check("2026-01-16T11:00:00Z").await);

        // What is written at the wrong time confirms it after a day only.
        record("2040-01-01T10:00:00Z").await;
        assert!(!check("2040-01-01T10:01:00Z").await);
        assert!(check("2040-01-02T10:01:00Z").await);

        let saved = PolicyVersion {
            changed_at: Some(at("2040-01-01T10:00:00Z")),
            ..PolicyVersion::presets()
        };
        assert!(
            believed(&trail, &saved, at("2040-01-01T10:01:00Z"))
                .await
                .is_ok()
        );
        assert!(
            believed(&trail, &saved, at("2039-01-01T00:00:00Z"))
                .await
                .is_err()
        );
    }
}
