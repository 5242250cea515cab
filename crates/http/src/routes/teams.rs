//! Teams: whose activities a manager sees.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use reeve_access::{Permission, Team};
use reeve_audit::{ResourceRef, events};
use utoipa_axum::routes;

use crate::app::App;
use crate::error::{Problem, ProblemBody};
use crate::extract::{Body, Caller};
use crate::guard::{Access, Guarded};
use crate::wire::access::{TeamBody, TeamCreate};
use crate::wire::form::list::List;
use crate::{log_entry, time};

pub(super) fn routes(guarded: Guarded) -> Guarded {
    guarded
        .add(Access::Needs(Permission::Administer), routes!(list, create))
        .add(
            Access::Needs(Permission::Administer),
            routes!(rename, delete),
        )
}

/// All teams with their members.
#[utoipa::path(get, path = "/api/v1/teams", tag = "access", responses((status = 200, body = List<TeamBody>)))]
async fn list(State(app): State<Arc<App>>) -> Result<Json<List<TeamBody>>, Problem> {
    let mut items = Vec::new();
    for team in app.access.team_list().await? {
        items.push(body_of(&app, &team).await?);
    }
    Ok(Json(List {
        total: items.len() as u64,
        items,
        next_cursor: None,
    }))
}

/// Add a team.
#[utoipa::path(post, path = "/api/v1/teams", tag = "access", request_body = TeamCreate,
    responses((status = 201, body = TeamBody), (status = 409, body = ProblemBody), (status = 422, body = ProblemBody)))]
async fn create(
    State(app): State<Arc<App>>,
    caller: Caller,
    Body(body): Body<TeamCreate>,
) -> Result<(StatusCode, Json<TeamBody>), Problem> {
    let team = Team::new(&body.name, app.now().as_millisecond())?;
    let resource = ResourceRef::new("team", team.id.0.clone());
    app.change(
        log_entry::did(&caller, &events::TEAM_CREATE, "create_team", resource).after(team.state()),
        app.access.team_insert(&team),
    )
    .await?;
    Ok((StatusCode::CREATED, Json(body_of(&app, &team).await?)))
}

/// Rename a team.
#[utoipa::path(patch, path = "/api/v1/teams/{id}", tag = "access", params(("id" = String, Path)), request_body = TeamCreate,
    responses((status = 200, body = TeamBody), (status = 404, body = ProblemBody)))]
async fn rename(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
    Body(body): Body<TeamCreate>,
) -> Result<Json<TeamBody>, Problem> {
    let before = find(&app, &id).await?;
    let team = before.renamed(&body.name)?;
    let resource = ResourceRef::new("team", team.id.0.clone());
    app.change(
        log_entry::did(&caller, &events::TEAM_MODIFY, "rename_team", resource)
            .before(before.state())
            .after(team.state()),
        app.access.team_update(&team),
    )
    .await?;

    Ok(Json(body_of(&app, &team).await?))
}

/// Remove a team; its members stay.
#[utoipa::path(delete, path = "/api/v1/teams/{id}", tag = "access", params(("id" = String, Path)),
    responses((status = 204), (status = 404, body = ProblemBody)))]
async fn delete(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<StatusCode, Problem> {
    let team = find(&app, &id).await?;
    let resource = ResourceRef::new("team", team.id.0.clone());
    app.change(
        log_entry::did(&caller, &events::TEAM_DELETE, "delete_team", resource).before(team.state()),
        app.access.team_delete(&team.id),
    )
    .await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn find(app: &App, id: &str) -> Result<Team, Problem> {
    app.access
        .team_list()
        .await?
        .into_iter()
        .find(|team| team.id.0 == id)
        .ok_or_else(|| Problem::not_found("team", id))
}

async fn body_of(app: &App, team: &Team) -> Result<TeamBody, Problem> {
    let members = app
        .access
        .team_members(std::slice::from_ref(&team.id))
        .await?;
    Ok(TeamBody {
        id: team.id.0.clone(),
        name: team.name.clone(),
        members: members.into_iter().map(|user| user.email).collect(),
        created_at: time::text_ms(team.created_at_ms),
    })
}
