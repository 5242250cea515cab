//! Deliveries of webhooks and channels: the log of what was sent, and sending it again.

use axum::Json;
use axum::http::StatusCode;
use reeve_audit::Entry;
use reeve_notify::delivery::{DeliveryId, DeliveryStatus, DeliveryTarget, DispatchError};

use crate::app::App;
use crate::error::{Code, Problem};
use crate::paging::window;
use crate::wire::form::list::{List, Paging};
use crate::wire::notification::webhook::DeliveryBody;

/// A page of a target's deliveries.
pub(super) async fn page(
    app: &App,
    target: &DeliveryTarget,
    params: &Paging,
) -> Result<Json<List<DeliveryBody>>, Problem> {
    let window = window(params.limit, params.offset, params.cursor.as_deref())?;
    let (found, total) = app
        .dispatcher
        .deliveries
        .delivery_list(target, window.limit, window.start())
        .await?;
    let next_cursor = window.next(found.len(), total);

    Ok(Json(List {
        items: found.iter().map(DeliveryBody::new).collect(),
        total,
        next_cursor,
    }))
}

/// Sends one again.
pub(super) async fn replay(
    app: &App,
    target: &DeliveryTarget,
    id: DeliveryId,
    entry: Entry,
) -> Result<(StatusCode, Json<DeliveryBody>), Problem> {
    let delivery = app.dispatcher.deliveries.delivery_get(&id).await?;
    if delivery.target != *target {
        return Err(Problem::not_found("delivery", &id.0));
    }

    if delivery.status == DeliveryStatus::Pending {
        return Err(Problem::new(
            Code::Conflict,
            "The delivery is still being retried. Wait until it has succeeded or failed.",
        ));
    }

    let again = delivery.replayed(app.now());
    app.change(entry, app.dispatcher.deliveries.delivery_update(&again))
        .await?;
    Ok((StatusCode::ACCEPTED, Json(DeliveryBody::new(&again))))
}

/// Returns the problem for a test that could not be made at all.
pub(crate) fn problem(error: DispatchError) -> Problem {
    match error {
        DispatchError::Store(error) => error.into(),
        DispatchError::Record(error) => Problem::new(Code::LedgerUnavailable, error.to_string()),
    }
}
