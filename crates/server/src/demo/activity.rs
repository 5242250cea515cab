//! Activity of the company's people, recorded from the end of the last record.

use std::sync::Arc;

use anyhow::{Result, bail};
use jiff::{SignedDuration, Timestamp};

use reeve_audit::{Draft, Submitter};
use reeve_ledger::AppendError;
use reeve_trail::Log;

use super::state::DemoState;

/// Time that the first record reaches back.
const HISTORY: SignedDuration = SignedDuration::from_hours(30 * 24);
/// Time that is asked of the estate at once.
const SLICE: SignedDuration = SignedDuration::from_hours(12);
/// Entries appended at once.
const BATCH: usize = 500;

/// Records everything up to now. What was recorded before is recognised by its event id and not
/// recorded again.
pub(super) async fn catch_up(log: &Log, state: &DemoState) -> Result<()> {
    let by = Arc::new(Submitter::local("demo"));
    let now = Timestamp::now();
    let mut from = match state.recorded_until() {
        Some(at) => at,
        None => now.checked_sub(HISTORY)?,
    };

    while from < now {
        let to = from.checked_add(SLICE)?.min(now);
        let drafts = state
            .estate
            .activity(from, to)
            .into_iter()
            .map(|entry| Draft::from_entry(entry, Timestamp::now()))
            .collect::<Result<Vec<_>, _>>()
            .map_err(|errors| anyhow::anyhow!("{errors:?}"))?;
        let drafts =
            Draft::submitted_by(drafts, &by).map_err(|(_, error)| anyhow::anyhow!("{error}"))?;
        for chunk in drafts.chunks(BATCH) {
            append(log, chunk.to_vec()).await?;
        }
        state.recorded(to);
        from = to;
    }

    Ok(())
}

async fn append(log: &Log, drafts: Vec<Draft>) -> Result<()> {
    loop {
        match log.append(drafts.clone()).await {
            Ok(_) => return Ok(()),
            Err(AppendError::Busy { retry_after_s }) => {
                tokio::time::sleep(std::time::Duration::from_secs(retry_after_s)).await
            }
            Err(error) => bail!("{error}"),
        }
    }
}
