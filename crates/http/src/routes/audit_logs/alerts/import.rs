//! Import of SIGMA rules, as drafts.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use reeve_alerts::{RuleState, SigmaProblem, read_sigma};
use reeve_audit::FieldCode;

use crate::app::App;
use crate::error::{Problem, ProblemBody};
use crate::extract::{Body, Caller};
use crate::wire::alert::{
    AlertImport, AlertImportBody, AlertRuleBody, RefusedRuleBody, RuleProblemBody,
};

/// Import SIGMA rules as drafts. A rule that is not understood as a whole is refused, with the
/// lines that are not.
#[utoipa::path(post, path = "/api/v1/audit-logs/alerts/import", tag = "audit-logs", request_body = AlertImport,
    responses((status = 200, body = AlertImportBody), (status = 422, body = ProblemBody)))]
pub(super) async fn import(
    State(app): State<Arc<App>>,
    caller: Caller,
    Body(given): Body<AlertImport>,
) -> Result<Json<AlertImportBody>, Problem> {
    if given
        .format
        .as_deref()
        .is_some_and(|format| format != "sigma")
    {
        return Err(Problem::field(
            "format",
            FieldCode::InvalidValue,
            "must be sigma",
        ));
    }

    let rules = read_sigma(&given.text).map_err(|problem| {
        Problem::field(
            "text",
            FieldCode::InvalidValue,
            format!("line {}: {}", problem.line, problem.message),
        )
    })?;

    let (mut imported, mut refused) = (Vec::new(), Vec::new());
    for rule in rules {
        let mut refuse = |title: String, problems: Vec<SigmaProblem>| {
            let problems = problems.into_iter();
            let problems = problems
                .map(|SigmaProblem { line, message }| RuleProblemBody { line, message })
                .collect();
            refused.push(RefusedRuleBody { title, problems });
        };
        let settings = match rule.settings {
            Ok(settings) => settings,
            Err(problems) => {
                refuse(rule.title, problems);
                continue;
            }
        };
        let known = app.alerts.alert_rule_named(&[&settings.name]).await?;
        if !known.is_empty() {
            let message = "an alert rule of this name exists already".to_owned();
            refuse(
                rule.title,
                vec![SigmaProblem {
                    line: rule.line,
                    message,
                }],
            );
            continue;
        }
        imported.push(AlertRuleBody::new(
            &crate::routes::audit_logs::alerts::add(&app, &caller, settings, RuleState::Draft)
                .await?,
        ));
    }

    Ok(Json(AlertImportBody { imported, refused }))
}
