//! Attack chains: the stages that principals reached, the next likely step, and what would stop it.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use reeve_access::RowFilter;
use reeve_anomalies::chain::AttackChain;
use reeve_audit::events;
use reeve_estate::StoreError;
use serde_json::json;

use crate::app::App;
use crate::error::{Problem, ProblemBody};
use crate::extract::{Caller, Params};
use crate::log_entry;
use crate::paging::window;
use crate::wire::attack_chain::{AttackChainBody, AttackChainParams};
use crate::wire::form::list::List;

/// Attack chains of the last 30 days whose principals the caller may see, the newest first.
#[utoipa::path(get, path = "/api/v1/intelligence/attack-chains", tag = "intelligence", params(AttackChainParams),
    responses((status = 200, body = List<AttackChainBody>), (status = 422, body = ProblemBody)))]
pub(super) async fn list(
    State(app): State<Arc<App>>,
    caller: Caller,
    Params(params): Params<AttackChainParams>,
) -> Result<Json<List<AttackChainBody>>, Problem> {
    let window = window(params.limit, params.offset, params.cursor.as_deref())?;
    let rows = RowFilter::for_principal(&caller.principal);
    let chains = app.anomaly_service.chains().await?;
    let shown: Vec<&AttackChain> = chains
        .iter()
        .filter(|chain| is_seen(chain, &rows))
        .filter(|chain| {
            params
                .predicted
                .is_none_or(|predicted| predicted == chain.predicted_at.is_some())
        })
        .collect();

    let page = window.page(shown.into_iter(), AttackChainBody::from);
    record_entries(&app, &caller, "list_attack_chains", &page.items).await?;
    Ok(Json(page))
}

/// Returns one attack chain.
#[utoipa::path(get, path = "/api/v1/intelligence/attack-chains/{id}", tag = "intelligence", params(("id" = String, Path)),
    responses((status = 200, body = AttackChainBody), (status = 404, body = ProblemBody)))]
pub(super) async fn get(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Json<AttackChainBody>, Problem> {
    let chain = app.anomaly_service.chain(&id).await?;
    if !is_seen(&chain, &RowFilter::for_principal(&caller.principal)) {
        return Err(StoreError::NotFound {
            what: "attack chain",
            id,
        }
        .into());
    }

    let body = AttackChainBody::from(&chain);
    record_entries(
        &app,
        &caller,
        "view_attack_chain",
        std::slice::from_ref(&body),
    )
    .await?;
    Ok(Json(body))
}

/// Returns `true` if the caller may see the entries of every principal of a chain: a part of one
/// would tell of the others.
fn is_seen(chain: &AttackChain, rows: &RowFilter) -> bool {
    chain
        .principals
        .iter()
        .all(|name| rows.allows_actor(Some(name), Some(name)))
}

/// Records that entries of the log were read with chains.
async fn record_entries(
    app: &App,
    caller: &Caller,
    operation: &str,
    chains: &[AttackChainBody],
) -> Result<(), Problem> {
    if chains.is_empty() {
        return Ok(());
    }

    let ids: Vec<&str> = chains.iter().map(|chain| chain.id.as_str()).collect();
    let found = chains.iter().map(|chain| chain.steps.len() as u64).sum();
    let asked = json!({ "attack_chains": ids });
    app.record_poll(
        caller,
        log_entry::read_log(caller, &events::AUDIT_VIEW, operation, asked, Some(found)),
    )
    .await
}
