//! Configurations of resources: now, at a time, between two times; relations; kinds and their
//! readings.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use jiff::{SignedDuration, Timestamp};
use reeve_audit::FieldCode;
use reeve_estate::{
    ConnectionId, DescriptionReading, DescriptionVersion, Difference, Document, KindInfo,
    Neighbour, Resource, ResourceId,
};
use serde_json::{Map, Value};

use crate::app::App;
use crate::error::{Code, Problem, ProblemBody};
use crate::extract::{Caller, Params};
use crate::paging::window;
use crate::time;
use crate::wire::estate::description::{
    ConfigurationBody, ConfigurationParams, DifferenceBody, DifferenceParams, KindBody,
    KindReadingBody, RelationBody, VersionBody,
};
use crate::wire::form::list::{List, Paging};

/// The provider's description of a resource, now or at a time.
#[utoipa::path(get, path = "/api/v1/resources/{id}/configuration", tag = "estate",
    params(("id" = String, Path), ConfigurationParams),
    responses((status = 200, body = ConfigurationBody), (status = 404, body = ProblemBody), (status = 422, body = ProblemBody)))]
pub(super) async fn configuration(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
    Params(params): Params<ConfigurationParams>,
) -> Result<Json<ConfigurationBody>, Problem> {
    let visible = app.visible(&caller.principal).await?;
    let resource = visible.resource(&ResourceId(id)).await?;
    let at = time::parse_option("at", params.at.as_deref())?.unwrap_or_else(|| app.now());
    let found = app
        .descriptions
        .document_at(&resource.connection, &resource.id, at)
        .await?;
    let missing = || {
        Problem::new(
            Code::NotFound,
            format!(
                "No configuration of {} is known at {}.",
                resource.id,
                time::text(at)
            ),
        )
    };
    let (version, document) = found.ok_or_else(missing)?;

    Ok(Json(ConfigurationBody {
        resource_id: resource.id.0,
        hash: document.hash(),
        seen_at: time::text(version.seen_at),
        until: version.until.map(time::text),
        configuration: document.json().clone(),
    }))
}

/// The versions of a resource's configuration, newest first.
#[utoipa::path(get, path = "/api/v1/resources/{id}/versions", tag = "estate", params(("id" = String, Path), Paging),
    responses((status = 200, body = List<VersionBody>), (status = 404, body = ProblemBody), (status = 422, body = ProblemBody)))]
pub(super) async fn versions(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
    Params(paging): Params<Paging>,
) -> Result<Json<List<VersionBody>>, Problem> {
    let window = window(paging.limit, paging.offset, paging.cursor.as_deref())?;
    let visible = app.visible(&caller.principal).await?;
    let resource = visible.resource(&ResourceId(id)).await?;
    let versions = app
        .descriptions
        .versions(&resource.connection, &resource.id)
        .await?;
    Ok(Json(window.page(versions.into_iter(), version_body)))
}

fn version_body(version: DescriptionVersion) -> VersionBody {
    VersionBody {
        hash: version.hash,
        seen_at: time::text(version.seen_at),
        until: version.until.map(time::text),
    }
}

/// The members of a configuration that differ between two times.
#[utoipa::path(get, path = "/api/v1/resources/{id}/difference", tag = "estate",
    params(("id" = String, Path), DifferenceParams),
    responses((status = 200, body = DifferenceBody), (status = 404, body = ProblemBody), (status = 422, body = ProblemBody)))]
pub(super) async fn difference(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
    Params(params): Params<DifferenceParams>,
) -> Result<Json<DifferenceBody>, Problem> {
    let visible = app.visible(&caller.principal).await?;
    let resource = visible.resource(&ResourceId(id)).await?;
    let to = time::parse_option("to", params.to.as_deref())?.unwrap_or_else(|| app.now());
    let from = time::parse_option("from", params.from.as_deref())?
        .unwrap_or_else(|| to.checked_sub(SignedDuration::from_hours(24)).unwrap_or(to));

    if from > to {
        return Err(Problem::field(
            "from",
            FieldCode::OutOfRange,
            "must not lie after to",
        ));
    }

    let (before, after) = (
        document(&app, &resource, from).await?,
        document(&app, &resource, to).await?,
    );
    let json = |document: &Option<Document>| {
        document.as_ref().map_or_else(
            || Value::Object(Map::new()),
            |document| document.json().clone(),
        )
    };
    let difference = Difference::between(&json(&before), &json(&after));

    Ok(Json(DifferenceBody {
        from_hash: before.as_ref().map(Document::hash),
        to_hash: after.as_ref().map(Document::hash),
        before: Value::Object(difference.before),
        after: Value::Object(difference.after),
        is_cut: difference.is_cut,
    }))
}

async fn document(
    app: &App,
    resource: &Resource,
    at: Timestamp,
) -> Result<Option<Document>, Problem> {
    let found = app
        .descriptions
        .document_at(&resource.connection, &resource.id, at)
        .await?;
    Ok(found.map(|(_, document)| document))
}

/// The resources that a resource is related to, in both directions.
#[utoipa::path(get, path = "/api/v1/resources/{id}/relations", tag = "estate", params(("id" = String, Path), Paging),
    responses((status = 200, body = List<RelationBody>), (status = 404, body = ProblemBody), (status = 422, body = ProblemBody)))]
pub(super) async fn relations(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    Params(paging): Params<Paging>,
) -> Result<Json<List<RelationBody>>, Problem> {
    let window = window(paging.limit, paging.offset, paging.cursor.as_deref())?;
    let resource = app.estate.resource_get(&ResourceId(id)).await?;
    let most = window.start().saturating_add(window.limit);
    let (found, total) = app
        .descriptions
        .neighbours(&resource.connection, &resource.id, most)
        .await?;
    let skipped = usize::try_from(window.start()).unwrap_or(usize::MAX);
    let items: Vec<RelationBody> = found.into_iter().skip(skipped).map(relation_body).collect();
    let next_cursor = window.next(items.len(), total);

    Ok(Json(List {
        items,
        total,
        next_cursor,
    }))
}

fn relation_body(neighbour: Neighbour) -> RelationBody {
    let resource = neighbour.resource;
    RelationBody {
        relation: neighbour.kind.into(),
        direction: if neighbour.is_incoming {
            "incoming"
        } else {
            "outgoing"
        }
        .to_owned(),
        id: neighbour.id.0,
        kind: resource
            .as_ref()
            .map(|resource| resource.kind.as_str().to_owned()),
        state: resource
            .as_ref()
            .map(|resource| resource.state.as_str().to_owned()),
        name: resource.map(|resource| resource.name),
    }
}

/// The kinds of resources, by name.
#[utoipa::path(get, path = "/api/v1/resource-kinds", tag = "estate", params(Paging),
    responses((status = 200, body = List<KindBody>), (status = 422, body = ProblemBody)))]
pub(super) async fn kinds(
    State(app): State<Arc<App>>,
    Params(paging): Params<Paging>,
) -> Result<Json<List<KindBody>>, Problem> {
    let window = window(paging.limit, paging.offset, paging.cursor.as_deref())?;
    let kinds: Vec<&KindInfo> = app.kinds.iter().collect();
    Ok(Json(window.page(kinds.into_iter(), kind_body)))
}

fn kind_body(info: &KindInfo) -> KindBody {
    KindBody {
        kind: info.kind.as_str().to_owned(),
        class: info.class.into(),
        title: info.title.clone(),
        plural: info.plural.clone(),
        icon: info.icon.clone(),
        provider_types: info
            .types
            .iter()
            .map(|(provider, kind)| (provider.as_str().to_owned(), kind.clone()))
            .collect(),
    }
}

/// Outcome of the last reading of each kind in each region of a connection.
#[utoipa::path(get, path = "/api/v1/connections/{id}/readings", tag = "estate", params(("id" = String, Path), Paging),
    responses((status = 200, body = List<KindReadingBody>), (status = 404, body = ProblemBody), (status = 422, body = ProblemBody)))]
pub(super) async fn readings(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    Params(paging): Params<Paging>,
) -> Result<Json<List<KindReadingBody>>, Problem> {
    let window = window(paging.limit, paging.offset, paging.cursor.as_deref())?;
    let connection = app.estate.connection_get(&ConnectionId(id)).await?;
    let readings = app.descriptions.readings(&connection.id).await?;
    Ok(Json(window.page(readings.into_iter(), reading_body)))
}

fn reading_body(reading: DescriptionReading) -> KindReadingBody {
    KindReadingBody {
        kind: reading.kind.as_str().to_owned(),
        region: reading.region,
        outcome: reading.outcome.into(),
        permission: reading.permission,
        seen: reading.seen,
        message: Some(reading.message).filter(|message| !message.is_empty()),
        read_at: time::text(reading.read_at),
        complete_at: reading.complete_at.map(time::text),
    }
}
