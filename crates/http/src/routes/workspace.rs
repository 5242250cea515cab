//! Settings of the workspace: name, time zone, currency, retention of samples, public address.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use jiff::tz::TimeZone;
use reeve_access::{Permission, PublicUrl, Workspace};
use reeve_audit::{FieldCode, Json as AuditJson, ResourceRef, events};
use utoipa_axum::routes;

use crate::app::{App, AppSettings};
use crate::error::{Code, Problem, ProblemBody};
use crate::extract::{Body, Caller};
use crate::guard::{Access, Guarded};
use crate::log_entry;
use crate::wire::access::workspace::{WorkspaceBody, WorkspaceSettings};

/// Longest name, characters.
const LONGEST: usize = 100;
/// Days of samples: agents judge a month at least.
const SAMPLES_DAYS: std::ops::RangeInclusive<u32> = 30..=3660;
/// Rates beyond this are mistakes.
const GREATEST_RATE: f64 = 1e9;

pub(super) fn routes(guarded: Guarded) -> Guarded {
    guarded
        .add(Access::SignedIn, routes!(get))
        .add(Access::Needs(Permission::Administer), routes!(put))
}

/// The settings of the workspace.
#[utoipa::path(get, path = "/api/v1/settings", tag = "settings", operation_id = "settings_get", responses((status = 200, body = WorkspaceBody)))]
async fn get(State(app): State<Arc<App>>) -> Result<Json<WorkspaceBody>, Problem> {
    Ok(Json(WorkspaceBody::new(
        &app.workspace.workspace_get().await?,
        &app.settings,
    )))
}

/// Change the settings of the workspace. What is left out stays.
#[utoipa::path(put, path = "/api/v1/settings", tag = "settings", operation_id = "settings_put", request_body = WorkspaceSettings,
    responses((status = 200, body = WorkspaceBody), (status = 409, body = ProblemBody), (status = 422, body = ProblemBody)))]
async fn put(
    State(app): State<Arc<App>>,
    caller: Caller,
    Body(body): Body<WorkspaceSettings>,
) -> Result<Json<WorkspaceBody>, Problem> {
    let before = app.workspace.workspace_get().await?;
    if let Some(read) = body.version.filter(|read| *read != before.version) {
        let message = format!(
            "The settings were changed by someone else: version {} is stored, you sent version {read}. Reload them and try again.",
            before.version
        );
        return Err(Problem::new(Code::Conflict, message));
    }

    if app.settings.public_url.is_some() && body.public_url.is_some() {
        let message = "is set as public_url in the configuration of the service: change it there";
        return Err(Problem::field(
            "public_url",
            FieldCode::InvalidValue,
            message,
        ));
    }

    let after = changed(&before, body)?;
    let configured = &app.settings;
    let entry = log_entry::did(
        &caller,
        &events::SETTINGS_MODIFY,
        "modify_settings",
        ResourceRef::new("workspace", "workspace"),
    )
    .before(record(&before, configured))
    .after(record(&after, configured));
    app.change(entry, app.workspace.workspace_put(&after))
        .await?;

    Ok(Json(WorkspaceBody::new(&after, configured)))
}

fn changed(before: &Workspace, body: WorkspaceSettings) -> Result<Workspace, Problem> {
    let mut after = Workspace {
        version: before.version + 1,
        ..before.clone()
    };
    if let Some(name) = body.name {
        let name = name.trim();
        if name.is_empty() || name.chars().count() > LONGEST || name.contains(char::is_control) {
            return Err(Problem::field(
                "name",
                FieldCode::InvalidValue,
                format!("must have 1 to {LONGEST} characters without control characters"),
            ));
        }
        name.clone_into(&mut after.name);
    }

    if let Some(time_zone) = body.time_zone {
        let message = "must be a time zone of the IANA database, such as Europe/Berlin";
        let known = |name: &str| {
            TimeZone::get(name)
                .map_err(|_| Problem::field("time_zone", FieldCode::InvalidValue, message))
        };
        after.time_zone = match time_zone.trim() {
            "" => None,
            // As the database writes it.
            name => known(name)?.iana_name().map(str::to_owned),
        };
    }

    if let Some(given) = body.currency {
        after.currency = currency("currency", &given)?;
        if after.currency != before.currency {
            // A rate is of one currency.
            after.usd_rate = None;
        }
    }

    if let Some(rate) = body.usd_rate {
        if !(0.0..=GREATEST_RATE).contains(&rate) {
            return Err(Problem::field(
                "usd_rate",
                FieldCode::InvalidValue,
                "must be more than 0, or 0 to remove the rate",
            ));
        }
        after.usd_rate = (rate > 0.0 && after.currency != "USD").then_some(rate);
    }

    if let Some(days) = body.samples_days {
        if !SAMPLES_DAYS.contains(&days) {
            return Err(Problem::field(
                "samples_days",
                FieldCode::InvalidValue,
                "must be 30 to 3660 days",
            ));
        }
        after.samples_days = Some(days);
    }

    if let Some(url) = body.public_url {
        let message =
            "must be an https or http address without a query, such as https://reeve.example.com";
        let invalid = || Problem::field("public_url", FieldCode::InvalidValue, message);
        after.public_url = match url.trim() {
            "" => None,
            url => Some(PublicUrl::parse(url).ok_or_else(invalid)?),
        };
    }

    Ok(after)
}

/// Returns the time zone of a schedule: the given one, else the workspace's.
pub(crate) async fn schedule_zone(
    app: &App,
    schedule: Option<&str>,
    given: Option<String>,
) -> Result<Option<String>, Problem> {
    if given.is_some() || schedule.is_none_or(|pattern| pattern.trim().is_empty()) {
        return Ok(given);
    }
    Ok(app.workspace.workspace_get().await?.time_zone)
}

/// Returns the time zone of a schedule that always names one: the given one, else the workspace's,
/// else UTC.
pub(crate) async fn named_zone(app: &App, given: Option<&str>) -> Result<String, Problem> {
    if let Some(zone) = given {
        return Ok(zone.to_owned());
    }
    Ok(app
        .workspace
        .workspace_get()
        .await?
        .time_zone
        .unwrap_or_else(|| "UTC".to_owned()))
}

/// Reads the code of a currency.
pub(super) fn currency(field: &str, given: &str) -> Result<String, Problem> {
    let code = given.trim().to_ascii_uppercase();
    if code.len() != 3 || !code.bytes().all(|byte| byte.is_ascii_uppercase()) {
        return Err(Problem::field(
            field,
            FieldCode::InvalidValue,
            "must be a code of three letters, such as USD or EUR",
        ));
    }
    Ok(code)
}

/// The settings as they stand in the log.
fn record(workspace: &Workspace, configured: &AppSettings) -> AuditJson {
    AuditJson::from(
        serde_json::to_value(WorkspaceBody::new(workspace, configured)).unwrap_or_default(),
    )
}
