//! Health, readiness, metrics.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

use reeve_access::{Permission, TokenHash};
use reeve_ledger::Delivery;

use crate::app::App;
use crate::error::{Code, Problem};
use crate::identify;

/// Alive: the process answers.
pub(crate) async fn healthz() -> &'static str {
    "ok\n"
}

/// Ready: the state store answers and the log is open.
pub(crate) async fn readyz(State(app): State<Arc<App>>) -> impl IntoResponse {
    match app.access.team_list().await {
        Ok(_) => (StatusCode::OK, "ready\n".to_owned()),
        Err(error) => {
            tracing::warn!(%error, "not ready");
            (
                StatusCode::SERVICE_UNAVAILABLE,
                "the state store does not answer\n".to_owned(),
            )
        }
    }
}

/// Prometheus metrics for callers with the token of the configuration or the permission
/// `audit.verify`: the size of the log and its growth tell strangers how much goes on here.
pub(crate) async fn guarded_metrics(
    State(app): State<Arc<App>>,
    method: Method,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let presented = identify::bearer(&headers).map(TokenHash::from_secret);
    let is_reader = app
        .settings
        .metrics_token
        .as_ref()
        .zip(presented)
        .is_some_and(|(token, given)| *token == given);

    if !is_reader {
        let needed = "Send the metrics_token of the configuration, or an API token with the permission audit.verify.";
        let principal = identify::principal(&app, &method, &headers).await?;
        let principal = principal.ok_or_else(|| Problem::new(Code::Unauthenticated, needed))?;
        if !principal.may(Permission::AuditVerify) {
            return Err(Problem::new(Code::Forbidden, needed));
        }
    }

    Ok(metrics(State(app)).await.into_response())
}

/// Prometheus metrics. They carry counts alone: nothing of entries, users or resources.
pub(crate) async fn metrics(State(app): State<Arc<App>>) -> impl IntoResponse {
    let mut registry = Registry::default();
    let size: Gauge = Gauge::default();
    size.set(i64::try_from(app.ledger.size()).unwrap_or(i64::MAX));
    registry.register("reeve_log_entries", "Entries in the signed log", size);
    alerts(&app, &mut registry).await;
    publication(&app, &mut registry);
    faults(&app, &mut registry);
    self_checks(&app, &mut registry);
    doors(&app, &mut registry);
    let mut text = String::new();
    if let Err(error) = encode(&mut text, &registry) {
        tracing::warn!(%error, "metrics could not be written");
    }

    (
        [(
            header::CONTENT_TYPE,
            "application/openmetrics-text; version=1.0.0; charset=utf-8",
        )],
        text,
    )
}

/// Position up to which alert rules have been evaluated.
async fn alerts(app: &App, registry: &mut Registry) {
    match app.alerts.alert_progress().await {
        Ok(None) => {}
        Ok(Some(progress)) => {
            let evaluated: Gauge = Gauge::default();
            evaluated.set(i64::try_from(progress.position).unwrap_or(i64::MAX));
            registry.register(
                "reeve_alerts_evaluated_entries",
                "Entries that alert rules have been evaluated on",
                evaluated,
            );
        }
        Err(error) => tracing::warn!(%error, "the position of the alert rules could not be read"),
    }
}

/// Faults of the log: entries are not taken, the anchor is not written, an entry is dated after
/// now.
fn faults(app: &App, registry: &mut Registry) {
    let health = app.ledger.health();
    let family = Family::<Vec<(String, String)>, Gauge>::default();

    for (fault, message) in [
        ("append", health.fault),
        ("anchor", health.anchor_fault),
        ("clock", health.clock_fault),
    ] {
        family
            .get_or_create(&vec![("fault".to_owned(), fault.to_owned())])
            .set(i64::from(message.is_some()));
    }

    registry.register(
        "reeve_log_faults",
        "Faults of the log, 1 while there is one",
        family,
    );
}

/// Results of the service's checks of itself, once there are any.
fn self_checks(app: &App, registry: &mut Registry) {
    let checks = [
        (
            "reeve_log_verification_faults",
            "Faults that the newest verification of the log found",
            app.self_checks.faults(),
        ),
        (
            "reeve_state_unexplained_changes",
            "Rows of the state that changed without an entry, since the start",
            app.self_checks.unexplained(),
        ),
    ];
    for (name, help, value) in checks {
        if let Some(value) = value {
            let gauge: Gauge = Gauge::default();
            gauge.set(value);
            registry.register(name, help, gauge);
        }
    }
}

/// Position of each place in the log's checkpoints, and failed deliveries in a row.
fn publication(app: &App, registry: &mut Registry) {
    let (sizes, failures) = (
        Family::<Vec<(String, String)>, Gauge>::default(),
        Family::<Vec<(String, String)>, Gauge>::default(),
    );
    for Delivery {
        target,
        size,
        failures: failed,
        ..
    } in app.ledger.deliveries()
    {
        let labels = vec![("target".to_owned(), target)];
        sizes
            .get_or_create(&labels)
            .set(i64::try_from(size).unwrap_or(i64::MAX));
        failures
            .get_or_create(&labels)
            .set(i64::try_from(failed).unwrap_or(i64::MAX));
    }

    registry.register(
        "reeve_checkpoint_delivered_entries",
        "Entries covered by the newest checkpoint that arrived",
        sizes,
    );

    registry.register(
        "reeve_checkpoint_failed_deliveries",
        "Deliveries that failed since one arrived",
        failures,
    );
}

/// Connections of clients, and entries of Reeve whose identifier somebody else had taken.
fn doors(app: &App, registry: &mut Registry) {
    let gauges = [
        (
            "reeve_connections",
            "Open connections of clients",
            app.connections.open_now(),
        ),
        (
            "reeve_connections_refused",
            "Connections refused because too many were open",
            app.connections.refused_so_far(),
        ),
        (
            "reeve_log_identifier_conflicts",
            "Entries of Reeve since the start whose identifier an entry of another submitter had",
            app.journal.displaced(),
        ),
    ];
    for (name, help, value) in gauges {
        let gauge: Gauge = Gauge::default();
        gauge.set(i64::try_from(value).unwrap_or(i64::MAX));
        registry.register(name, help, gauge);
    }
}
