//! The dependency map around a resource.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use reeve_audit::FieldCode;
use reeve_dependencies::DependencyBounds;
use reeve_estate::ResourceId;

use crate::app::App;
use crate::error::{Problem, ProblemBody};
use crate::extract::{Caller, Params};
use crate::wire::dependency::{DependencyMapBody, DependencyParams};

/// Most days of flows that a map reads.
const MOST_DAYS: u32 = 90;

/// The resources around one, with declared, observed and correlated dependencies.
#[utoipa::path(get, path = "/api/v1/intelligence/dependencies", tag = "intelligence", operation_id = "dependency_map",
    params(DependencyParams),
    responses((status = 200, body = DependencyMapBody), (status = 404, body = ProblemBody), (status = 422, body = ProblemBody)))]
pub(super) async fn map(
    State(app): State<Arc<App>>,
    caller: Caller,
    Params(params): Params<DependencyParams>,
) -> Result<Json<DependencyMapBody>, Problem> {
    let Some(id) = params.resource.filter(|id| !id.is_empty()) else {
        let message = "name the resource in the middle of the map";
        return Err(Problem::field("resource", FieldCode::MissingField, message));
    };
    let usual = DependencyBounds::default();
    let hops = within(
        "hops",
        params.hops,
        usual.hops,
        (1, DependencyBounds::MOST_HOPS),
    )?;
    let most = DependencyBounds::MOST_NODES as u32;
    let nodes = within("limit", params.limit, usual.nodes as u32, (2, most))?;
    let days = within(
        "days",
        params.days,
        usual.days.unsigned_abs(),
        (1, MOST_DAYS),
    )?;

    // A map stays within the connection of its middle, so that a scope of accounts holds for all of it.
    let visible = app.visible(&caller.principal).await?;
    let center = visible.resource(&ResourceId(id)).await?;
    let bounds = DependencyBounds {
        hops,
        nodes: nodes as usize,
        days: days.cast_signed(),
    };
    let mut map = app.maps.around(&center, bounds, app.now()).await?;
    app.maps.correlate(&mut map, &center.connection).await?;
    if params.collapse.unwrap_or(true) {
        map = map.collapsed();
    }
    Ok(Json(DependencyMapBody::from(&map)))
}

fn within(
    field: &str,
    given: Option<u32>,
    usual: u32,
    (least, most): (u32, u32),
) -> Result<u32, Problem> {
    let value = given.unwrap_or(usual);
    if (least..=most).contains(&value) {
        return Ok(value);
    }
    let message = format!("must be {least} to {most}");
    Err(Problem::field(field, FieldCode::OutOfRange, &message))
}
