//! Metric sources: Prometheus servers that push or are queried, with the rules by which their
//! series become samples of resources.
//!
//! Changes are recorded before and after they are made. A token is answered once, when it is made.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use reeve_access::Secret;
use reeve_audit::{Entry, FieldCode, Json as AuditJson, ResourceRef, events};
use reeve_sources::{
    MappingRule, MetricSource, MetricSourceId, QueryCredentials, SourceKind, TOKEN_PREFIX,
    read_name, read_rules, ready_mappings,
};
use serde_json::json;

use crate::app::App;
use crate::change::same_version;
use crate::error::{Code, Problem, ProblemBody};
use crate::extract::{Body, Caller, Params};
use crate::log_entry;
use crate::paging::window;
use crate::wire::estate::SyncStartedBody;
use crate::wire::estate::metric_source::{
    MappingRuleBody, MetricPreviewBody, MetricPreviewRequest, MetricSourceBody, MetricSourceCreate,
    MetricSourcePatch, MetricSourceTokenBody, ReadyMappingBody,
};
use crate::wire::form::list::{List, Paging};

/// Most sources that an installation may have.
const MOST: usize = 100;
/// Path that servers push to.
const WRITE_PATH: &str = "/api/v1/metrics/write";

/// Ready rules for exporters that many people run.
#[utoipa::path(get, path = "/api/v1/metrics/mappings", tag = "metrics", operation_id = "metric_mappings",
    responses((status = 200, body = List<ReadyMappingBody>)))]
pub(super) async fn mappings() -> Json<List<ReadyMappingBody>> {
    let items: Vec<ReadyMappingBody> = ready_mappings().iter().map(Into::into).collect();
    Json(List {
        total: items.len() as u64,
        items,
        next_cursor: None,
    })
}

/// Metric sources, oldest first.
#[utoipa::path(get, path = "/api/v1/metrics/sources", tag = "metrics", operation_id = "metric_sources_list", params(Paging),
    responses((status = 200, body = List<MetricSourceBody>)))]
pub(super) async fn list(
    State(app): State<Arc<App>>,
    Params(params): Params<Paging>,
) -> Result<Json<List<MetricSourceBody>>, Problem> {
    let window = window(params.limit, params.offset, params.cursor.as_deref())?;
    let mut bodies = Vec::new();
    for source in app.metric_sources.metric_source_list().await? {
        bodies.push(body_of(&app, &source).await?);
    }
    Ok(Json(
        window.page(bodies.iter(), |body: &MetricSourceBody| body.clone()),
    ))
}

/// Add a source. The answer carries the token that its server pushes with, this once.
#[utoipa::path(post, path = "/api/v1/metrics/sources", tag = "metrics", operation_id = "metric_sources_create", request_body = MetricSourceCreate,
    responses((status = 201, body = MetricSourceTokenBody), (status = 409, body = ProblemBody), (status = 422, body = ProblemBody)))]
pub(super) async fn create(
    State(app): State<Arc<App>>,
    caller: Caller,
    Body(body): Body<MetricSourceCreate>,
) -> Result<(StatusCode, Json<MetricSourceTokenBody>), Problem> {
    let kind = SourceKind::parse(&body.kind).ok_or_else(|| {
        Problem::field(
            "kind",
            FieldCode::InvalidValue,
            format!("{:?} is not one of remote_write, query", body.kind),
        )
    })?;

    let credentials = body
        .credentials
        .map_or(Ok(QueryCredentials::None), |given| given.read())?;
    let now = app.now();
    let source = MetricSource {
        id: MetricSourceId(uuid::Uuid::now_v7().to_string()),
        name: read_name(&body.name)?,
        kind,
        url: url(&app, kind, body.url)?,
        credentials_kind: credentials_of(kind, &credentials)?.kind().to_owned(),
        rules: rules(body.rules)?,
        enabled: true,
        created_at: now,
        updated_at: now,
        version: 1,
    };

    if app.metric_sources.metric_source_list().await?.len() >= MOST {
        return Err(Problem::new(
            Code::Conflict,
            format!("There are {MOST} metric sources already; remove one first."),
        ));
    }

    let token = (kind == SourceKind::RemoteWrite)
        .then(|| Secret::generate(TOKEN_PREFIX))
        .transpose();
    let token = token.map_err(Problem::internal)?;
    let hash = token.as_ref().map(Secret::hash);
    app.change(
        entry(
            &caller,
            &events::INTEGRATION_CREATE,
            "create_metric_source",
            &source,
        )
        .after(state(&source)),
        app.metric_sources
            .metric_source_insert(&source, hash.as_ref(), &credentials),
    )
    .await?;

    Ok((
        StatusCode::CREATED,
        Json(with_token(&app, &source, token).await?),
    ))
}

/// Returns one source.
#[utoipa::path(get, path = "/api/v1/metrics/sources/{id}", tag = "metrics", operation_id = "metric_sources_get", params(("id" = String, Path)),
    responses((status = 200, body = MetricSourceBody), (status = 404, body = ProblemBody)))]
pub(super) async fn get(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
) -> Result<Json<MetricSourceBody>, Problem> {
    let source = app
        .metric_sources
        .metric_source_get(&MetricSourceId(id))
        .await?;
    Ok(Json(body_of(&app, &source).await?))
}

/// Change a source.
#[utoipa::path(patch, path = "/api/v1/metrics/sources/{id}", tag = "metrics", operation_id = "metric_sources_patch", params(("id" = String, Path)),
    request_body = MetricSourcePatch,
    responses((status = 200, body = MetricSourceBody), (status = 404, body = ProblemBody), (status = 409, body = ProblemBody), (status = 422, body = ProblemBody)))]
pub(super) async fn patch(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
    Body(body): Body<MetricSourcePatch>,
) -> Result<Json<MetricSourceBody>, Problem> {
    let before = app
        .metric_sources
        .metric_source_get(&MetricSourceId(id))
        .await?;
    same_version("metric source", before.version, body.version)?;
    let credentials = body.credentials.map(|given| given.read()).transpose()?;
    let mut after = MetricSource {
        updated_at: app.now(),
        version: before.version + 1,
        ..before.clone()
    };

    if let Some(name) = &body.name {
        after.name = read_name(name)?;
    }
    if let Some(address) = body.url {
        after.url = url(&app, after.kind, Some(address))?;
    }

    if let Some(credentials) = &credentials {
        credentials_of(after.kind, credentials)?
            .kind()
            .clone_into(&mut after.credentials_kind);
    } else if after.url != before.url && before.credentials_kind != "none" {
        // Whoever may change the address need not know the credentials, so these are not sent to
        // another one.
        let message =
            "must be given again: the address changes, and they were given for the one before";
        return Err(Problem::field(
            "credentials",
            FieldCode::MissingField,
            message,
        ));
    }

    if let Some(given) = body.rules {
        after.rules = rules(given)?;
    }

    after.enabled = body.enabled.unwrap_or(before.enabled);
    app.change(
        entry(
            &caller,
            &events::INTEGRATION_MODIFY,
            "modify_metric_source",
            &after,
        )
        .before(state(&before))
        .after(state(&after)),
        app.metric_sources
            .metric_source_update(&after, None, credentials.as_ref()),
    )
    .await?;

    Ok(Json(body_of(&app, &after).await?))
}

/// Remove a source. Its samples stay until they expire; its token opens nothing any more.
#[utoipa::path(delete, path = "/api/v1/metrics/sources/{id}", tag = "metrics", operation_id = "metric_sources_delete", params(("id" = String, Path)),
    responses((status = 204), (status = 404, body = ProblemBody)))]
pub(super) async fn delete(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<StatusCode, Problem> {
    let source = app
        .metric_sources
        .metric_source_get(&MetricSourceId(id))
        .await?;
    app.change(
        entry(
            &caller,
            &events::INTEGRATION_DELETE,
            "delete_metric_source",
            &source,
        )
        .before(state(&source)),
        app.metric_sources.metric_source_delete(&source.id),
    )
    .await?;

    Ok(StatusCode::NO_CONTENT)
}

/// Make a new token. The one before opens nothing any more.
#[utoipa::path(post, path = "/api/v1/metrics/sources/{id}/rotate-token", tag = "metrics", operation_id = "metric_sources_rotate",
    params(("id" = String, Path)),
    responses((status = 200, body = MetricSourceTokenBody), (status = 404, body = ProblemBody), (status = 409, body = ProblemBody)))]
pub(super) async fn rotate(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Json<MetricSourceTokenBody>, Problem> {
    let source = app
        .metric_sources
        .metric_source_get(&MetricSourceId(id))
        .await?;
    if source.kind != SourceKind::RemoteWrite {
        return Err(Problem::new(
            Code::Conflict,
            "A server that is queried pushes nothing and has no token.",
        ));
    }

    let token = Secret::generate(TOKEN_PREFIX).map_err(Problem::internal)?;
    let after = MetricSource {
        updated_at: app.now(),
        version: source.version + 1,
        ..source
    };

    app.change(
        entry(
            &caller,
            &events::INTEGRATION_MODIFY,
            "rotate_metric_source_token",
            &after,
        ),
        app.metric_sources
            .metric_source_update(&after, Some(&token.hash()), None),
    )
    .await?;

    Ok(Json(with_token(&app, &after, Some(token)).await?))
}

/// Show what rules make of the series of a source: which belong to which resources, and why the
/// others do not. Nothing is stored.
#[utoipa::path(post, path = "/api/v1/metrics/sources/{id}/preview", tag = "metrics", operation_id = "metric_sources_preview",
    params(("id" = String, Path)), request_body = MetricPreviewRequest,
    responses((status = 200, body = MetricPreviewBody), (status = 404, body = ProblemBody), (status = 422, body = ProblemBody), (status = 502, body = ProblemBody)))]
pub(super) async fn preview(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    Body(body): Body<MetricPreviewRequest>,
) -> Result<Json<MetricPreviewBody>, Problem> {
    let source = app
        .metric_sources
        .metric_source_get(&MetricSourceId(id))
        .await?;
    let rules = body.rules.map_or_else(|| Ok(source.rules.clone()), rules)?;
    let preview = app.metric_intake.preview(&source, &rules).await;
    let preview = preview.map_err(|message| Problem::new(Code::CloudFailed, message))?;
    Ok(Json((&preview).into()))
}

/// Query a source now; the result is read from the source.
#[utoipa::path(post, path = "/api/v1/metrics/sources/{id}/sync", tag = "metrics", operation_id = "metric_sources_sync", params(("id" = String, Path)),
    responses((status = 202, body = SyncStartedBody), (status = 404, body = ProblemBody), (status = 409, body = ProblemBody)))]
pub(super) async fn sync(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<(StatusCode, Json<SyncStartedBody>), Problem> {
    let source = app
        .metric_sources
        .metric_source_get(&MetricSourceId(id))
        .await?;
    if source.kind != SourceKind::Query || !source.enabled {
        return Err(Problem::new(
            Code::Conflict,
            "Only a source that is queried and switched on can be synced.",
        ));
    }

    let begin = async {
        let begun = app.metric_intake.sync(&source.id, &caller.email).await;
        begun.then_some(()).ok_or_else(|| {
            Problem::new(Code::Conflict, "A sync of this source is running already.")
        })
    };

    app.change(
        entry(
            &caller,
            &events::INTEGRATION_SYNC,
            "sync_metric_source",
            &source,
        ),
        begin,
    )
    .await?;

    Ok((
        StatusCode::ACCEPTED,
        Json(SyncStartedBody {
            status: "syncing".to_owned(),
        }),
    ))
}

fn rules(given: Vec<MappingRuleBody>) -> Result<Vec<MappingRule>, Problem> {
    Ok(read_rules(given.into_iter().map(Into::into).collect())?)
}

fn url(app: &App, kind: SourceKind, given: Option<String>) -> Result<Option<String>, Problem> {
    let given = given
        .map(|url| url.trim().to_owned())
        .filter(|url| !url.is_empty());
    match (kind, given) {
        (SourceKind::RemoteWrite, None) => Ok(None),
        (SourceKind::RemoteWrite, Some(_)) => Err(Problem::field(
            "url",
            FieldCode::InvalidValue,
            "is for servers that are queried; this one pushes",
        )),
        (SourceKind::Query, None) => Err(Problem::field(
            "url",
            FieldCode::MissingField,
            "is needed: the address of the server",
        )),
        (SourceKind::Query, Some(url)) => {
            if url.contains(['?', '#']) || url.contains(char::is_whitespace) {
                return Err(Problem::field(
                    "url",
                    FieldCode::InvalidValue,
                    "must have no query, fragment or white space",
                ));
            }
            app.metric_intake
                .check_url(&url)
                .map_err(|reason| Problem::field("url", FieldCode::InvalidValue, reason))?;
            Ok(Some(url))
        }
    }
}

fn credentials_of(
    kind: SourceKind,
    credentials: &QueryCredentials,
) -> Result<&QueryCredentials, Problem> {
    if kind == SourceKind::RemoteWrite && *credentials != QueryCredentials::None {
        return Err(Problem::field(
            "credentials",
            FieldCode::InvalidValue,
            "are for servers that are queried; this one pushes",
        ));
    }
    Ok(credentials)
}

async fn body_of(app: &App, source: &MetricSource) -> Result<MetricSourceBody, Problem> {
    let state = app.metric_sources.metric_source_state(&source.id).await?;
    Ok(MetricSourceBody::new(
        source,
        app.metric_intake.status(&source.id),
        &state,
    ))
}

async fn with_token(
    app: &App,
    source: &MetricSource,
    token: Option<Secret>,
) -> Result<MetricSourceTokenBody, Problem> {
    let workspace = app.workspace.workspace_get().await?;
    let public = app.settings.public_url(&workspace);
    let write_path = public.map_or_else(
        || WRITE_PATH.to_owned(),
        |public| public.address_of(WRITE_PATH),
    );

    Ok(MetricSourceTokenBody {
        source: body_of(app, source).await?,
        write_path: token.is_some().then_some(write_path),
        token: token.map(|token| token.reveal().to_owned()),
    })
}

fn entry(
    caller: &Caller,
    kind: &reeve_audit::EventKind,
    operation: &str,
    source: &MetricSource,
) -> Entry {
    log_entry::did(
        caller,
        kind,
        operation,
        ResourceRef::new("metric_source", source.id.0.clone()),
    )
}

fn state(source: &MetricSource) -> AuditJson {
    let rules = source
        .rules
        .iter()
        .map(|rule| MappingRuleBody::from(rule.draft()));
    AuditJson::from(json!({
        "name": source.name,
        "kind": source.kind.as_str(),
        "url": source.url,
        "credentials": source.credentials_kind,
        "rules": rules.collect::<Vec<_>>(),
        "enabled": source.enabled,
    }))
}
