//! Connections: one an account. Secrets go in and never come out.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use reeve_access::Permission;
use reeve_audit::{FieldCode, Json as AuditJson, ResourceRef, events};
use reeve_estate::connection::rules;
use reeve_estate::{
    Connection, ConnectionCredentials, ConnectionId, ConnectionStatus, Provider, SyncReport,
};
use serde_json::json;
use utoipa_axum::routes;

use crate::app::App;
use crate::error::{Code, Problem, ProblemBody};
use crate::extract::{Body, Caller, Params};
use crate::guard::{Access, Guarded};
use crate::iam_policy::{PolicyWish, iam_policy};
use crate::wire::estate::{
    ConnectionBody, ConnectionCreate, ConnectionPatch, ConnectionTestBody, CredentialsBody,
    DeniedBody, LoginBody, PolicyBody, PolicyParams, SyncBody, SyncStartedBody,
};
use crate::wire::form::list::List;
use crate::{log_entry, time};

pub(super) fn routes(guarded: Guarded) -> Guarded {
    guarded
        .add(Access::Needs(Permission::EstateView), routes!(list))
        .add(Access::Needs(Permission::EstateManage), routes!(create))
        .add(Access::Needs(Permission::EstateManage), routes!(policy))
        .add(Access::Needs(Permission::EstateView), routes!(get))
        .add(
            Access::Needs(Permission::EstateManage),
            routes!(patch, delete),
        )
        .add(Access::Needs(Permission::EstateManage), routes!(test))
        .add(Access::Needs(Permission::EstateManage), routes!(sync))
}

/// Returns all connections.
#[utoipa::path(get, path = "/api/v1/connections", tag = "estate", responses((status = 200, body = List<ConnectionBody>)))]
async fn list(State(app): State<Arc<App>>) -> Result<Json<List<ConnectionBody>>, Problem> {
    let items: Vec<ConnectionBody> = app
        .estate
        .connection_list()
        .await?
        .iter()
        .map(body_of)
        .collect();
    Ok(Json(List {
        total: items.len() as u64,
        items,
        next_cursor: None,
    }))
}

/// The IAM policy that a connection to AWS needs.
#[utoipa::path(get, path = "/api/v1/connections/policy/aws", tag = "estate", params(PolicyParams),
    responses((status = 200, body = PolicyBody), (status = 422, body = ProblemBody)))]
async fn policy(
    State(app): State<Arc<App>>,
    Params(params): Params<PolicyParams>,
) -> Result<Json<PolicyBody>, Problem> {
    let names = params
        .changes
        .as_deref()
        .unwrap_or_default()
        .split(',')
        .map(str::trim);

    let changes = names
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect();
    let wish = PolicyWish {
        observe_only: params.observe_only.unwrap_or(false),
        changes,
    };
    let policy = iam_policy(&app.settings.aws_reads, &wish)
        .map_err(|error| Problem::field("changes", FieldCode::InvalidValue, error))?;

    Ok(Json(PolicyBody { policy }))
}

/// Returns one connection.
#[utoipa::path(get, path = "/api/v1/connections/{id}", tag = "estate", params(("id" = String, Path)),
    responses((status = 200, body = ConnectionBody), (status = 404, body = ProblemBody)))]
async fn get(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
) -> Result<Json<ConnectionBody>, Problem> {
    Ok(Json(body_of(
        &app.estate.connection_get(&ConnectionId(id)).await?,
    )))
}

/// Add a connection. It is tested on demand and synced on schedule; nothing is called before that.
#[utoipa::path(post, path = "/api/v1/connections", tag = "estate", request_body = ConnectionCreate,
    responses((status = 201, body = ConnectionBody), (status = 409, body = ProblemBody), (status = 422, body = ProblemBody)))]
async fn create(
    State(app): State<Arc<App>>,
    caller: Caller,
    Body(body): Body<ConnectionCreate>,
) -> Result<(StatusCode, Json<ConnectionBody>), Problem> {
    let provider = rules::read_provider(&body.provider)?;
    let connection = Connection {
        id: ConnectionId(uuid::Uuid::now_v7().to_string()),
        name: free_name(&app, &body.name, None).await?,
        provider,
        account: String::new(),
        regions: regions(match (body.regions.is_empty(), provider) {
            (false, _) => body.regions,
            // A database has no region; its resources are listed under this name.
            (true, Provider::Database) => vec!["global".to_owned()],
            (true, _) => vec!["us-east-1".to_owned()],
        })?,
        credentials: credentials(body.credentials, body.login)?,
        assume_role: rules::read_role(body.assume_role)?,
        external_id: body.external_id.filter(|text| !text.is_empty()),
        endpoint: endpoint(&app, body.endpoint)?,
        allow_actions: body.allow_actions,
        status: ConnectionStatus::New,
        last_sync: None,
        last_error: None,
        created_at: app.now(),
    };
    check_kind(&connection)?;

    let entry = log_entry::did(
        &caller,
        &events::INTEGRATION_CREATE,
        "create_connection",
        resource(&connection),
    )
    .after(state(&connection));
    app.change(entry, app.estate.connection_insert(&connection))
        .await?;

    Ok((StatusCode::CREATED, Json(body_of(&connection))))
}

/// Change a connection.
#[utoipa::path(patch, path = "/api/v1/connections/{id}", tag = "estate", params(("id" = String, Path)), request_body = ConnectionPatch,
    responses((status = 200, body = ConnectionBody), (status = 404, body = ProblemBody), (status = 422, body = ProblemBody)))]
async fn patch(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
    Body(body): Body<ConnectionPatch>,
) -> Result<Json<ConnectionBody>, Problem> {
    let before = app.estate.connection_get(&ConnectionId(id)).await?;
    let mut connection = before.clone();
    if let Some(name) = &body.name {
        connection.name = free_name(&app, name, Some(&connection.id)).await?;
    }
    if let Some(given) = body.regions {
        connection.regions = regions(given)?;
    }

    let gives_credentials = body.credentials.is_some() || body.login.is_some();
    if gives_credentials {
        connection.credentials = credentials(body.credentials, body.login)?;
    }
    if body.assume_role.is_some() {
        connection.assume_role = rules::read_role(body.assume_role)?;
    }
    if let Some(external) = body.external_id {
        connection.external_id = Some(external).filter(|text| !text.is_empty());
    }
    if body.endpoint.is_some() {
        connection.endpoint = endpoint(&app, body.endpoint)?;
    }

    before.check_change(&connection, gives_credentials)?;
    check_kind(&connection)?;
    connection.allow_actions = body.allow_actions.unwrap_or(connection.allow_actions);
    if let Some(enabled) = body.enabled {
        connection.enable(enabled);
    }

    let entry = log_entry::did(
        &caller,
        &events::INTEGRATION_MODIFY,
        "modify_connection",
        resource(&connection),
    )
    .before(state(&before))
    .after(state(&connection));
    app.change(entry, app.estate.connection_update(&connection))
        .await?;

    Ok(Json(body_of(&connection)))
}

/// Remove a connection with its inventory.
#[utoipa::path(delete, path = "/api/v1/connections/{id}", tag = "estate", params(("id" = String, Path)),
    responses((status = 204), (status = 404, body = ProblemBody)))]
async fn delete(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<StatusCode, Problem> {
    let connection = app.estate.connection_get(&ConnectionId(id)).await?;
    let entry = log_entry::did(
        &caller,
        &events::INTEGRATION_DELETE,
        "delete_connection",
        resource(&connection),
    )
    .before(state(&connection));
    app.change(entry, app.estate.connection_delete(&connection.id))
        .await?;

    Ok(StatusCode::NO_CONTENT)
}

/// Prove the credentials with the cheapest call there is.
#[utoipa::path(post, path = "/api/v1/connections/{id}/test", tag = "estate", params(("id" = String, Path)),
    responses((status = 200, body = ConnectionTestBody), (status = 404, body = ProblemBody)))]
async fn test(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Json<ConnectionTestBody>, Problem> {
    let mut connection = app.estate.connection_get(&ConnectionId(id)).await?;
    let entry = log_entry::did(
        &caller,
        &events::INTEGRATION_TEST,
        "test_connection",
        resource(&connection),
    );
    let announced = app.announce(entry).await?;

    let answer = match app.syncer.test(&connection).await {
        Ok(account) => {
            connection.account.clone_from(&account);
            connection.last_error = None;
            ConnectionTestBody {
                ok: true,
                account: Some(account),
                message: None,
            }
        }
        Err(error) => {
            connection.last_error = Some(error.message.clone());
            ConnectionTestBody {
                ok: false,
                account: None,
                message: Some(error.message),
            }
        }
    };
    app.conclude(announced, answer.message.as_deref()).await;

    app.estate.connection_update(&connection).await?;
    Ok(Json(answer))
}

/// Begin a sync; where it stands is read from the connection.
#[utoipa::path(post, path = "/api/v1/connections/{id}/sync", tag = "estate", params(("id" = String, Path)),
    responses((status = 202, body = SyncStartedBody), (status = 404, body = ProblemBody), (status = 409, body = ProblemBody)))]
async fn sync(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<(StatusCode, Json<SyncStartedBody>), Problem> {
    let connection = app.estate.connection_get(&ConnectionId(id)).await?;
    if connection.status == ConnectionStatus::Disabled {
        return Err(Problem::new(
            Code::Conflict,
            "The connection is disabled. Enable it first.",
        ));
    }

    let begin = async {
        let begun = app.syncer.sync(&connection.id, &caller.email).await;
        begun.then_some(()).ok_or_else(|| {
            Problem::new(
                Code::Conflict,
                "A sync of this connection is running already.",
            )
        })
    };

    app.change(
        log_entry::did(
            &caller,
            &events::INTEGRATION_SYNC,
            "sync_connection",
            resource(&connection),
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

async fn free_name(app: &App, name: &str, own: Option<&ConnectionId>) -> Result<String, Problem> {
    let name = rules::read_name(name)?;
    let taken = app
        .estate
        .connection_list()
        .await?
        .iter()
        .any(|other| other.name == name && Some(&other.id) != own);

    if taken {
        return Err(Problem::new(
            Code::Conflict,
            format!("A connection named {name:?} already exists."),
        ));
    }

    Ok(name)
}

fn regions(given: Vec<String>) -> Result<Vec<String>, Problem> {
    rules::check_regions(&given)?;
    Ok(given)
}

/// Checks that the fields of a connection belong to its provider.
fn check_kind(connection: &Connection) -> Result<(), Problem> {
    match connection.provider {
        Provider::Database => Ok(rules::check_database(connection)?),
        _ if matches!(connection.credentials, ConnectionCredentials::Login { .. }) => {
            Err(Problem::field(
                "login",
                FieldCode::InvalidValue,
                "belongs to connections of databases",
            ))
        }
        _ => Ok(()),
    }
}

fn credentials(
    given: Option<CredentialsBody>,
    login: Option<LoginBody>,
) -> Result<ConnectionCredentials, Problem> {
    if let Some(login) = login {
        return Ok(ConnectionCredentials::login(&login.user, login.password)?);
    }
    let Some(given) = given else {
        return Ok(ConnectionCredentials::Ambient);
    };
    Ok(ConnectionCredentials::access_key(
        &given.access_key_id,
        given.secret_access_key,
        given.session_token,
    )?)
}

fn endpoint(app: &App, given: Option<String>) -> Result<Option<String>, Problem> {
    let given = given.filter(|text| !text.is_empty());
    if let Some(url) = &given {
        if url.contains(char::is_whitespace) {
            return Err(Problem::field(
                "endpoint",
                FieldCode::InvalidValue,
                "must be an address without spaces",
            ));
        }
        app.syncer
            .check_endpoint(url)
            .map_err(|reason| Problem::field("endpoint", FieldCode::InvalidValue, reason))?;
    }

    Ok(given)
}

fn resource(connection: &Connection) -> ResourceRef {
    ResourceRef::new("connection", connection.id.0.clone())
}

fn state(connection: &Connection) -> AuditJson {
    AuditJson::from(json!({
        "name": connection.name,
        "provider": connection.provider.as_str(),
        "regions": connection.regions,
        "credentials": connection.credentials.kind(),
        "access_key_id": connection.credentials.masked_key_id(),
        "assume_role": connection.assume_role,
        "endpoint": connection.endpoint,
        "allow_actions": connection.allow_actions,
        "status": connection.status.as_str(),
    }))
}

fn body_of(connection: &Connection) -> ConnectionBody {
    ConnectionBody {
        id: connection.id.0.clone(),
        name: connection.name.clone(),
        provider: connection.provider.into(),
        account: connection.account.clone(),
        regions: connection.regions.clone(),
        credentials_kind: connection.credentials.kind().to_owned(),
        access_key_id: connection.credentials.masked_key_id(),
        assume_role: connection.assume_role.clone(),
        endpoint: connection.endpoint.clone(),
        allow_actions: connection.allow_actions,
        status: connection.status.into(),
        last_sync: connection.last_sync.as_ref().map(sync_body),
        last_error: connection.last_error.clone(),
        created_at: time::text(connection.created_at),
    }
}

fn sync_body(report: &SyncReport) -> SyncBody {
    SyncBody {
        started_at: time::text(report.started_at),
        finished_at: time::text(report.finished_at),
        resources: report.resources,
        samples: report.samples,
        denied: report
            .denied
            .iter()
            .map(|denied| DeniedBody {
                permission: denied.permission.clone(),
                region: denied.region.clone(),
                message: denied.message.clone(),
            })
            .collect(),
        problems: report.problems.clone(),
    }
}
