//! Rules that ship with Reeve: drafts that one call enables, and those that a new installation
//! begins with.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use reeve_alerts::{AlertRule, ReadyRule, RuleState, ready_rules};
use reeve_audit::{ActionMethod, ActionStatus, Actor, Entry, ResourceRef, events};

use crate::app::App;
use crate::error::{Problem, ProblemBody};
use crate::extract::{Caller, Params};
use crate::paging::window;
use crate::wire::alert::{AlertGroupByBody, AlertRuleBody, AlertThresholdBody, ReadyRuleBody};
use crate::wire::form::list::{List, Paging};

/// The rules that ship with Reeve, each with the rule that was made of it.
#[utoipa::path(get, path = "/api/v1/audit-logs/alerts/ready", tag = "audit-logs", params(Paging),
    responses((status = 200, body = List<ReadyRuleBody>)))]
pub(super) async fn list(
    State(app): State<Arc<App>>,
    Params(paging): Params<Paging>,
) -> Result<Json<List<ReadyRuleBody>>, Problem> {
    let window = window(paging.limit, paging.offset, paging.cursor.as_deref())?;
    let ready = ready_rules();
    let names: Vec<&str> = ready.iter().map(|one| one.settings.name.as_str()).collect();
    let rules = app.alerts.alert_rule_named(&names).await?;
    Ok(Json(
        window.page(ready.into_iter(), |one| body(one, &rules)),
    ))
}

/// Enable a rule that ships with Reeve. What was changed of it before stays changed.
#[utoipa::path(post, path = "/api/v1/audit-logs/alerts/ready/{key}/enable", tag = "audit-logs",
    params(("key" = String, Path)),
    responses((status = 200, body = AlertRuleBody), (status = 201, body = AlertRuleBody), (status = 404, body = ProblemBody),
        (status = 409, body = ProblemBody)))]
pub(super) async fn enable(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(key): Path<String>,
) -> Result<(StatusCode, Json<AlertRuleBody>), Problem> {
    let Some(ready) = ready_rules().into_iter().find(|ready| ready.key == key) else {
        return Err(Problem::not_found("ready rule", &key));
    };

    let rules = app.alerts.alert_rule_named(&[&ready.settings.name]).await?;
    if let Some(before) = made_of(&ready, &rules) {
        let after = before.with_state(RuleState::Enabled, app.now());
        return Ok((
            StatusCode::OK,
            crate::routes::audit_logs::alerts::change(&app, &caller, "alert.enable", before, after)
                .await?,
        ));
    }

    let rule =
        crate::routes::audit_logs::alerts::add(&app, &caller, ready.settings, RuleState::Enabled)
            .await?;
    Ok((StatusCode::CREATED, Json(AlertRuleBody::new(&rule))))
}

/// Adds the rules that a new installation begins with: without them nothing would watch Reeve
/// itself until somebody enabled them. A rule whose name exists is left as it is.
///
/// # Errors
/// The log refused an entry, or the store failed.
pub async fn add_first_rules(app: &App) -> Result<(), Problem> {
    let first = ready_rules()
        .into_iter()
        .filter(|ready| ready.is_enabled_at_first);

    for ReadyRule { settings, .. } in first {
        if !app
            .alerts
            .alert_rule_named(&[&settings.name])
            .await?
            .is_empty()
        {
            continue;
        }

        let rule =
            crate::routes::audit_logs::alerts::new_rule(app, settings, RuleState::Enabled, "Reeve");
        let entry = Entry::for_event(&events::ALERT_CREATE)
            .by(Actor::system())
            .on(ResourceRef::new("alert_rule", rule.id.0.clone()))
            .with_action("alert.create", ActionStatus::Success, ActionMethod::System)
            .after(crate::routes::audit_logs::alerts::record(&rule));
        app.change(
            entry,
            app.alerts
                .alert_rule_insert(&rule, crate::routes::audit_logs::alerts::MOST),
        )
        .await?;
    }

    Ok(())
}

/// The rule that was made of a ready one: the one of its name, which is unique.
fn made_of<'r>(ready: &ReadyRule, rules: &'r [AlertRule]) -> Option<&'r AlertRule> {
    rules
        .iter()
        .find(|rule| rule.settings.name == ready.settings.name)
}

fn body(ready: ReadyRule, rules: &[AlertRule]) -> ReadyRuleBody {
    let rule = made_of(&ready, rules);
    let settings = &ready.settings;
    ReadyRuleBody {
        rule_id: rule.map(|rule| rule.id.0.clone()),
        state: rule
            .map_or(RuleState::Draft, |rule| rule.state)
            .as_str()
            .to_owned(),
        name: settings.name.clone(),
        description: settings.description.clone(),
        condition: settings.condition.clone(),
        threshold: AlertThresholdBody::new(settings),
        group_by: AlertGroupByBody::new(&settings.group_by),
        severity: settings.severity.as_str().to_owned(),
        class: settings
            .class
            .map(|class| class.as_str().to_owned())
            .unwrap_or_default(),
        attack: settings
            .attack
            .iter()
            .map(|id| id.as_str().to_owned())
            .collect(),
        key: ready.key,
    }
}
