//! Comparison of a request in the state store with what the log records: a change in the database
//! alone erases nothing.

use std::collections::BTreeSet;

use jiff::Timestamp;
use reeve_audit::query::{Expr, Match, QueryColumn};
use reeve_audit::{Entry, EventKind, Obstacle, events};
use reeve_http::erasures::digest;
use reeve_retention::{ERASURE_APPROVALS, ErasureRequest};
use reeve_trail::Trail;

use crate::adapters::retention::recorded::successful;

/// Entries about one request that are compared, at most.
const MOST_ENTRIES: usize = 100;

/// Refuses a request that the log does not have as it is, or that lacks approvals there.
pub(super) async fn check(
    trail: &Trail,
    request: &ErasureRequest,
    now: Timestamp,
) -> Result<(), Obstacle> {
    if digest(request) != request.digest {
        return Err("the request was changed in the state store: nothing is erased".into());
    }

    let created = about(trail, &events::ERASURE_CREATE, request, now).await?;
    let [created] = created.as_slice() else {
        return Err("the log does not have the request: nothing is erased".into());
    };
    if !about(trail, &events::ERASURE_REJECT, request, now)
        .await?
        .is_empty()
    {
        return Err("the log has a rejection of the request: nothing is erased".into());
    }

    let requester = actor(created);
    let approvals = about(trail, &events::ERASURE_APPROVE, request, now).await?;
    let people: BTreeSet<String> = approvals
        .iter()
        .map(actor)
        .filter(|person| *person != requester)
        .collect();
    if people.len() < ERASURE_APPROVALS {
        return Err(Obstacle::of(format_args!(
            "the log has approvals of the request by {} people other than its requester, and {ERASURE_APPROVALS} are needed: nothing is erased",
            people.len()
        )));
    }
    Ok(())
}

/// Entries of a type about a change of the request that succeeded, with its digest.
async fn about(
    trail: &Trail,
    kind: &EventKind,
    request: &ErasureRequest,
    now: Timestamp,
) -> Result<Vec<Entry>, Obstacle> {
    let of_request = Expr::field(
        QueryColumn::ResourceId,
        Match::Identical(request.id.clone()),
    );
    let mut found = successful(trail, kind, Some(of_request), MOST_ENTRIES, now).await?;
    found.retain(|entry| {
        let stated = entry.metadata.extra.get("digest");
        stated.and_then(|stated| stated.as_str()) == Some(request.digest.as_str())
    });
    Ok(found)
}

fn actor(entry: &Entry) -> String {
    entry.actor.id.clone().unwrap_or_default()
}
