//! Answers of people to drifts: accepted until a time, and open again.

use reeve_recommend::caller::Caller;
use reeve_recommend::drift::{Acceptance, Drift, DriftFilter, DriftId, DriftState};
use reeve_recommend::error::EngineError;

use super::{DriftService, log_entry};
use crate::acceptance::AcceptanceInput;

impl DriftService {
    /// Accepts a drift until a time; one that is accepted already gets the new reason and end.
    ///
    /// # Errors
    /// [`EngineError::Invalid`] with every failing field; [`EngineError::Conflict`] if the drift is
    /// resolved, or the resource changed since it was seen.
    pub async fn accept(
        &self,
        id: &DriftId,
        input: &AcceptanceInput,
        caller: &Caller,
    ) -> Result<Drift, EngineError> {
        let _turn = self.turn.lock().await;
        let drift = self.ports.drifts.drift_get(id).await?;
        let now = self.records.clock.now();
        let (reason, ends_at) = input.checked(now)?;
        if drift.state == DriftState::Resolved {
            let words = "the drift is resolved: the resource agrees with the baseline";
            return Err(EngineError::Conflict(words.to_owned()));
        }
        input.check_seen(drift.hash.as_deref())?;

        let acceptance = Acceptance {
            by: caller.name.clone(),
            at: now,
            reason,
            ends_at,
            hash: drift.hash.clone(),
        };
        let baseline = self.ports.drifts.baseline_get(&drift.baseline).await?;
        let entry = log_entry::accepted(&drift, &baseline, &acceptance, caller);
        let accepted = Drift {
            state: DriftState::Accepted,
            acceptance: Some(acceptance),
            ..drift
        };
        let write = std::slice::from_ref(&accepted);
        self.records
            .change(entry, self.ports.drifts.drift_put(write))
            .await?;
        Ok(accepted)
    }

    /// Withdraws the acceptance of a drift.
    ///
    /// # Errors
    /// [`EngineError::Conflict`] if it is not accepted.
    pub async fn reopen(
        &self,
        id: &DriftId,
        reason: Option<&str>,
        caller: &Caller,
    ) -> Result<Drift, EngineError> {
        let reason = crate::records::optional("reason", reason)?;
        let _turn = self.turn.lock().await;
        let drift = self.ports.drifts.drift_get(id).await?;
        if drift.state != DriftState::Accepted {
            let words = format!(
                "the drift is {}; only an accepted one is reopened",
                drift.state
            );
            return Err(EngineError::Conflict(words));
        }

        let baseline = self.ports.drifts.baseline_get(&drift.baseline).await?;
        let reason = reason.unwrap_or_else(|| "the acceptance was withdrawn".to_owned());
        let entry = log_entry::reopened(&drift, &baseline, &reason, caller);
        let open = Drift {
            state: DriftState::Open,
            ..drift
        };
        let write = std::slice::from_ref(&open);
        self.records
            .change(entry, self.ports.drifts.drift_put(write))
            .await?;
        Ok(open)
    }

    /// Opens the drifts again whose acceptance is over; returns their number.
    ///
    /// # Errors
    /// The store or the log failed.
    pub async fn reopen_ended(&self) -> Result<u64, EngineError> {
        let _turn = self.turn.lock().await;
        let ended = DriftFilter {
            ended_by: Some(self.records.clock.now()),
            ..DriftFilter::default()
        };
        let (ended, count) = self.ports.drifts.drift_list(&ended).await?;
        for drift in ended {
            let baseline = self.ports.drifts.baseline_get(&drift.baseline).await?;
            let (reason, caller) = ("the acceptance ended", Caller::system());
            let entry = log_entry::reopened(&drift, &baseline, reason, &caller);
            self.records.record(vec![entry]).await?;
            let open = Drift {
                state: DriftState::Open,
                ..drift
            };
            self.ports.drifts.drift_put(&[open]).await?;
        }
        Ok(count)
    }
}
