//! Findings that an event makes again, more severe than before: what a person answered to the lesser
//! one is asked anew.

use reeve_recommend::caller::Caller;
use reeve_recommend::error::EngineError;
use reeve_recommend::recommendation::Recommendation;
use reeve_recommend::recommendation::lifecycle::Status;
use reeve_recommend::recommendation::origin::OriginCause;

use crate::records::Records;

/// Returns `true` if an event found something again, more severe than before.
pub(crate) fn is_more_severe(known: &Recommendation, made: &Recommendation) -> bool {
    let by_event = |recommendation: &Recommendation| {
        matches!(
            recommendation.origin.cause,
            OriginCause::Anomaly(_) | OriginCause::Incident(_) | OriginCause::Event(_)
        )
    };
    by_event(known)
        && by_event(made)
        && known.origin.rule == made.origin.rule
        && made.priority < known.priority
}

/// Reopens a recommendation for a more severe event: one that was snoozed for a lesser one, or whose
/// requested plan no longer fits.
pub(crate) async fn reopen_for_severity(
    records: &Records,
    known: &Recommendation,
    made: &Recommendation,
    caller: &Caller,
) -> Result<Option<Recommendation>, EngineError> {
    let hash = |recommendation: &Recommendation| {
        recommendation.plan.as_ref().map(|plan| plan.hash.clone())
    };

    let opened = match known.status {
        Status::Snoozed => true,
        Status::PendingApproval | Status::Approved | Status::Scheduled => hash(known) != hash(made),
        _ => false,
    };

    if !opened {
        return Ok(None);
    }

    let reason = format!("the threat is now {}", made.priority);
    records
        .reopen_unsigned(known, &reason, caller)
        .await
        .map(Some)
}
