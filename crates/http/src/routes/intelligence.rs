//! Intelligence Automation over HTTP: agents, recommendations, actions, approvals, guardrails, the
//! dashboard.
//!
//! Handlers read through the store's port and change through the engine alone; the engine records
//! before it acts.

mod actions;
mod agents;
mod alert_sources;
mod anomalies;
mod anomaly_settings;
mod anomaly_thresholds;
mod approvals;
mod attack_chains;
pub(crate) mod bodies;
mod calendars;
mod channels;
mod compliance;
pub(crate) mod deliveries;
mod dependencies;
mod diagnosis;
mod drift;
mod emergencies;
mod exclusions;
mod exposures;
mod flows;
mod guardrails;
mod inbound_alerts;
mod incidents;
mod models;
mod objectives;
mod overview;
mod portfolios;
mod predictive;
mod preview;
mod problems;
mod recommendations;
pub(crate) mod records;
mod responses;
mod rollouts;
mod runbooks;
mod savings;
mod threats;
mod traffic;
mod webhooks;

use utoipa_axum::routes;

pub(super) use problems::{asking, problem};

use reeve_access::Permission::{
    ApproveDirector, ApproveManager, ApproveSecurity, IntelligenceConfigure, IntelligenceOperate,
    IntelligenceTriage, IntelligenceView,
};

use crate::guard::{Access, Guarded};

const SIGN: Access = Access::NeedsAny(&[ApproveManager, ApproveDirector, ApproveSecurity]);
/// Ends what was signed: whoever may sign, and operators, who may have to stop it at once.
const END: Access = Access::NeedsAny(&[
    ApproveManager,
    ApproveDirector,
    ApproveSecurity,
    IntelligenceOperate,
]);

pub(super) fn routes(guarded: Guarded) -> Guarded {
    let guarded = guarded
        .add(
            Access::Needs(IntelligenceView),
            routes!(overview::dashboard),
        )
        .add(Access::Needs(IntelligenceView), routes!(agents::types));
    let guarded = checked(guarded)
        .add(
            Access::Needs(IntelligenceView),
            routes!(agents::scope_choices),
        )
        .add(Access::Needs(IntelligenceView), routes!(agents::list))
        .add(
            Access::Needs(IntelligenceConfigure),
            routes!(agents::create),
        )
        .add(Access::Needs(IntelligenceView), routes!(agents::get))
        .add(
            Access::Needs(IntelligenceConfigure),
            routes!(agents::patch, agents::delete),
        )
        .add(Access::Needs(IntelligenceOperate), routes!(agents::run))
        .add(Access::Needs(IntelligenceView), routes!(preview::agent))
        .add(
            Access::Needs(IntelligenceView),
            routes!(recommendations::list),
        )
        .add(
            Access::Needs(IntelligenceView),
            routes!(recommendations::get),
        )
        .add(
            Access::Needs(IntelligenceView),
            routes!(recommendations::explanation),
        )
        .add(
            Access::Needs(IntelligenceView),
            routes!(recommendations::patch),
        )
        .add(
            Access::Needs(IntelligenceView),
            routes!(diagnosis::recommendation),
        )
        .add(Access::Needs(IntelligenceView), routes!(diagnosis::agent))
        .add(Access::Needs(IntelligenceView), routes!(exclusions::list))
        .add(
            Access::Needs(IntelligenceOperate),
            routes!(exclusions::create),
        )
        .add(
            Access::Needs(IntelligenceOperate),
            routes!(exclusions::delete),
        )
        .add(
            Access::Needs(IntelligenceOperate),
            routes!(responses::execute),
        )
        .add(
            Access::Needs(IntelligenceOperate),
            routes!(responses::exception),
        )
        .add(
            Access::Needs(IntelligenceOperate),
            routes!(responses::schedule),
        )
        .add(Access::Needs(IntelligenceOperate), routes!(responses::test))
        .add(
            Access::Needs(IntelligenceOperate),
            routes!(responses::dismiss),
        )
        .add(
            Access::Needs(IntelligenceOperate),
            routes!(responses::snooze),
        )
        .add(
            Access::Needs(IntelligenceOperate),
            routes!(responses::reopen),
        )
        .add(
            Access::Needs(IntelligenceOperate),
            routes!(responses::feedback),
        )
        .add(Access::Needs(IntelligenceView), routes!(actions::list))
        .add(Access::Needs(IntelligenceView), routes!(actions::get))
        .add(
            Access::Needs(IntelligenceOperate),
            routes!(actions::roll_back),
        )
        .add(Access::Needs(IntelligenceView), routes!(approvals::list))
        .add(Access::Needs(IntelligenceView), routes!(approvals::get))
        // Who may sign stands in the request: a signature may be left to somebody without the right
        // of its own.
        .add(Access::Needs(IntelligenceView), routes!(approvals::approve))
        .add(Access::Needs(IntelligenceView), routes!(approvals::reject))
        .add(SIGN, routes!(approvals::delegate))
        .add(Access::Needs(IntelligenceView), routes!(models::list))
        .add(Access::Needs(IntelligenceView), routes!(models::get))
        .add(
            Access::Needs(IntelligenceConfigure),
            routes!(models::retrain),
        )
        .add(Access::Needs(IntelligenceView), routes!(guardrails::get))
        .add(Access::Needs(IntelligenceView), routes!(guardrails::status))
        .add(
            Access::Needs(IntelligenceConfigure),
            routes!(guardrails::put),
        )
        .add(
            Access::Needs(IntelligenceConfigure),
            routes!(guardrails::breaker_reset),
        )
        .add(
            Access::Needs(IntelligenceOperate),
            routes!(guardrails::kill_switch),
        );
    approved_beforehand(notified(exchanged(staged(foreseen(promised(strange(
        contained(drifted(mended(guarded))),
    )))))))
}

/// Runbooks. One decides what is changed automatically, as a configuration does; a trial reads the
/// samples of every resource of a kind.
fn mended(guarded: Guarded) -> Guarded {
    guarded
        .add(Access::Needs(IntelligenceView), routes!(runbooks::list))
        .add(
            Access::Needs(IntelligenceConfigure),
            routes!(runbooks::create),
        )
        .add(
            Access::Needs(IntelligenceConfigure),
            routes!(runbooks::try_text),
        )
        .add(Access::Needs(IntelligenceView), routes!(runbooks::get))
        .add(
            Access::Needs(IntelligenceConfigure),
            routes!(runbooks::put, runbooks::delete),
        )
        .add(
            Access::Needs(IntelligenceConfigure),
            routes!(runbooks::try_stored),
        )
        .add(
            Access::Needs(IntelligenceConfigure),
            routes!(runbooks::close_breakers),
        )
}

/// Baselines and drifts. A pin decides what is normal, as a configuration does; an acceptance ends.
fn drifted(guarded: Guarded) -> Guarded {
    guarded
        .add(Access::Needs(IntelligenceView), routes!(drift::baselines))
        .add(Access::Needs(IntelligenceConfigure), routes!(drift::create))
        .add(Access::Needs(IntelligenceView), routes!(drift::baseline))
        .add(Access::Needs(IntelligenceConfigure), routes!(drift::delete))
        .add(Access::Needs(IntelligenceConfigure), routes!(drift::pin))
        .add(Access::Needs(IntelligenceView), routes!(drift::list))
        .add(Access::Needs(IntelligenceView), routes!(drift::get))
        .add(Access::Needs(IntelligenceOperate), routes!(drift::accept))
        .add(Access::Needs(IntelligenceOperate), routes!(drift::reopen))
}

/// Incidents and playbooks. A playbook decides what is done automatically, as a configuration does;
/// each change that a run asks for needs its own approval.
fn contained(guarded: Guarded) -> Guarded {
    guarded
        .add(Access::Needs(IntelligenceView), routes!(incidents::list))
        .add(
            Access::Needs(IntelligenceTriage),
            routes!(incidents::create),
        )
        .add(Access::Needs(IntelligenceView), routes!(incidents::get))
        .add(
            Access::Needs(IntelligenceTriage),
            routes!(incidents::patch, incidents::delete),
        )
        .add(Access::Needs(IntelligenceTriage), routes!(incidents::merge))
        .add(
            Access::Needs(IntelligenceTriage),
            routes!(incidents::member_add),
        )
        .add(
            Access::Needs(IntelligenceTriage),
            routes!(incidents::member_remove),
        )
        .add(
            Access::Needs(IntelligenceTriage),
            routes!(incidents::note_add),
        )
        .add(
            Access::Needs(IntelligenceTriage),
            routes!(incidents::task_add),
        )
        .add(
            Access::Needs(IntelligenceTriage),
            routes!(incidents::task_patch),
        )
        .add(
            Access::Needs(IntelligenceView),
            routes!(incidents::timeline),
        )
        .add(Access::Needs(IntelligenceView), routes!(incidents::graph))
        .add(
            Access::Needs(IntelligenceView),
            routes!(incidents::report::report),
        )
        .add(
            Access::Needs(IntelligenceView),
            routes!(incidents::playbooks::runs),
        )
        .add(
            Access::Needs(IntelligenceOperate),
            routes!(incidents::playbooks::run),
        )
        .add(
            Access::Needs(IntelligenceOperate),
            routes!(incidents::playbooks::roll_back),
        )
        .add(
            Access::Needs(IntelligenceView),
            routes!(incidents::playbooks::list),
        )
        .add(
            Access::Needs(IntelligenceConfigure),
            routes!(incidents::playbooks::create),
        )
        .add(
            Access::Needs(IntelligenceView),
            routes!(incidents::playbooks::get),
        )
        .add(
            Access::Needs(IntelligenceConfigure),
            routes!(incidents::playbooks::put, incidents::playbooks::delete),
        )
}

/// Frameworks with their controls, checks, results and exceptions.
fn checked(guarded: Guarded) -> Guarded {
    guarded
        .add(
            Access::Needs(IntelligenceView),
            routes!(compliance::frameworks),
        )
        .add(
            Access::Needs(IntelligenceView),
            routes!(compliance::trend::trend),
        )
        .add(
            Access::Needs(IntelligenceView),
            routes!(compliance::controls),
        )
        .add(
            Access::Needs(IntelligenceView),
            routes!(compliance::control),
        )
        .add(
            Access::Needs(IntelligenceView),
            routes!(compliance::results),
        )
        .add(
            Access::Needs(IntelligenceView),
            routes!(compliance::own::files),
        )
        .add(Access::Needs(IntelligenceView), routes!(compliance::check))
        .add(Access::Needs(IntelligenceView), routes!(exposures::list))
        .add(
            Access::Needs(IntelligenceView),
            routes!(exposures::privileges),
        )
        .add(Access::Needs(IntelligenceView), routes!(flows::groups))
        .add(Access::Needs(IntelligenceView), routes!(flows::sources))
        .add(Access::Needs(IntelligenceView), routes!(dependencies::map))
        .add(
            Access::Needs(IntelligenceOperate),
            routes!(compliance::exceptions::accept),
        )
}

/// Anomalies, their settings, and lists of indicators.
fn strange(guarded: Guarded) -> Guarded {
    guarded
        .add(Access::Needs(IntelligenceView), routes!(anomalies::list))
        .add(Access::Needs(IntelligenceView), routes!(anomalies::get))
        .add(Access::Needs(IntelligenceView), routes!(anomalies::course))
        .add(
            Access::Needs(IntelligenceView),
            routes!(attack_chains::list),
        )
        .add(Access::Needs(IntelligenceView), routes!(attack_chains::get))
        .add(
            Access::Needs(IntelligenceTriage),
            routes!(anomalies::acknowledge),
        )
        .add(
            Access::Needs(IntelligenceTriage),
            routes!(anomalies::feedback),
        )
        .add(
            Access::Needs(IntelligenceTriage),
            routes!(anomalies::reopen),
        )
        .add(Access::Needs(IntelligenceView), routes!(traffic::get))
        .add(Access::Needs(IntelligenceConfigure), routes!(traffic::put))
        .add(
            Access::Needs(IntelligenceView),
            routes!(anomaly_settings::get),
        )
        .add(
            Access::Needs(IntelligenceConfigure),
            routes!(anomaly_settings::put),
        )
        .add(
            Access::Needs(IntelligenceView),
            routes!(anomaly_thresholds::list),
        )
        .add(
            Access::Needs(IntelligenceOperate),
            routes!(anomaly_thresholds::reset),
        )
        .add(Access::Needs(IntelligenceView), routes!(threats::list))
        .add(Access::Needs(IntelligenceView), routes!(threats::get))
        .add(
            Access::Needs(IntelligenceConfigure),
            routes!(threats::put, threats::delete),
        )
        .add(
            Access::Needs(IntelligenceConfigure),
            routes!(threats::feed_put, threats::feed_delete),
        )
        .add(
            Access::Needs(IntelligenceConfigure),
            routes!(threats::feed_refresh),
        )
        .add(
            Access::Needs(IntelligenceConfigure),
            routes!(threats::import),
        )
        .add(Access::Needs(IntelligenceView), routes!(threats::export))
}

/// Objectives of services with their error budgets.
fn promised(guarded: Guarded) -> Guarded {
    guarded
        .add(Access::Needs(IntelligenceView), routes!(objectives::list))
        .add(
            Access::Needs(IntelligenceConfigure),
            routes!(objectives::create),
        )
        .add(Access::Needs(IntelligenceView), routes!(objectives::get))
        .add(Access::Needs(IntelligenceView), routes!(objectives::course))
        .add(
            Access::Needs(IntelligenceConfigure),
            routes!(objectives::put, objectives::delete),
        )
}

/// Predictive rules, what they decided on, and calendars.
fn foreseen(guarded: Guarded) -> Guarded {
    guarded
        .add(Access::Needs(IntelligenceView), routes!(predictive::list))
        .add(
            Access::Needs(IntelligenceConfigure),
            routes!(predictive::create),
        )
        .add(Access::Needs(IntelligenceView), routes!(predictive::get))
        .add(
            Access::Needs(IntelligenceConfigure),
            routes!(predictive::patch, predictive::delete),
        )
        .add(
            Access::Needs(IntelligenceConfigure),
            routes!(predictive::preview),
        )
        .add(
            Access::Needs(IntelligenceOperate),
            routes!(predictive::evaluate),
        )
        .add(
            Access::Needs(IntelligenceView),
            routes!(predictive::predictions),
        )
        .add(Access::Needs(IntelligenceView), routes!(calendars::list))
        .add(
            Access::Needs(IntelligenceConfigure),
            routes!(calendars::create),
        )
        .add(Access::Needs(IntelligenceView), routes!(calendars::get))
        .add(
            Access::Needs(IntelligenceConfigure),
            routes!(calendars::patch, calendars::delete),
        )
        .add(Access::Needs(IntelligenceView), routes!(calendars::events))
}

/// The emergency lane of an agent, and its standing approvals.
fn approved_beforehand(guarded: Guarded) -> Guarded {
    guarded
        .add(Access::Needs(IntelligenceView), routes!(emergencies::get))
        .add(SIGN, routes!(emergencies::give))
        .add(SIGN, routes!(emergencies::sign))
        .add(END, routes!(emergencies::end))
}

/// Rollouts. Every change of one still asks for its own approval, so that operating is enough.
fn staged(guarded: Guarded) -> Guarded {
    guarded
        .add(Access::Needs(IntelligenceView), routes!(rollouts::list))
        .add(
            Access::Needs(IntelligenceOperate),
            routes!(rollouts::create),
        )
        .add(Access::Needs(IntelligenceView), routes!(rollouts::get))
        .add(Access::Needs(IntelligenceOperate), routes!(rollouts::stop))
        .add(
            Access::Needs(IntelligenceOperate),
            routes!(rollouts::resume),
        )
        .add(Access::Needs(IntelligenceOperate), routes!(rollouts::abort))
}

/// Alerts of other tools, and the sources that push them.
fn exchanged(guarded: Guarded) -> Guarded {
    guarded
        .add(Access::AlertSource, routes!(inbound_alerts::push))
        .add(
            Access::Needs(IntelligenceView),
            routes!(inbound_alerts::list),
        )
        .add(
            Access::Needs(IntelligenceView),
            routes!(inbound_alerts::get),
        )
        .add(
            Access::Needs(IntelligenceTriage),
            routes!(inbound_alerts::close),
        )
        .add(
            Access::Needs(IntelligenceView),
            routes!(alert_sources::list),
        )
        .add(
            Access::Needs(IntelligenceConfigure),
            routes!(alert_sources::create),
        )
        .add(Access::Needs(IntelligenceView), routes!(alert_sources::get))
        .add(
            Access::Needs(IntelligenceConfigure),
            routes!(alert_sources::patch, alert_sources::delete),
        )
        .add(
            Access::Needs(IntelligenceConfigure),
            routes!(alert_sources::rotate),
        )
}

/// Webhooks and notification channels.
fn notified(guarded: Guarded) -> Guarded {
    guarded
        .add(Access::Needs(IntelligenceView), routes!(webhooks::list))
        .add(
            Access::Needs(IntelligenceConfigure),
            routes!(webhooks::create),
        )
        .add(Access::Needs(IntelligenceView), routes!(webhooks::get))
        .add(
            Access::Needs(IntelligenceConfigure),
            routes!(webhooks::patch, webhooks::delete),
        )
        .add(
            Access::Needs(IntelligenceConfigure),
            routes!(webhooks::test),
        )
        .add(
            Access::Needs(IntelligenceConfigure),
            routes!(webhooks::rotate),
        )
        .add(
            Access::Needs(IntelligenceView),
            routes!(webhooks::deliveries),
        )
        .add(
            Access::Needs(IntelligenceConfigure),
            routes!(webhooks::replay),
        )
        .add(Access::SignedIn, routes!(channels::types))
        .add(Access::Needs(IntelligenceView), routes!(channels::list))
        .add(
            Access::Needs(IntelligenceConfigure),
            routes!(channels::create),
        )
        .add(Access::Needs(IntelligenceView), routes!(channels::get))
        .add(
            Access::Needs(IntelligenceConfigure),
            routes!(channels::patch, channels::delete),
        )
        .add(
            Access::Needs(IntelligenceConfigure),
            routes!(channels::test),
        )
        .add(
            Access::Needs(IntelligenceView),
            routes!(channels::deliveries),
        )
        .add(
            Access::Needs(IntelligenceConfigure),
            routes!(channels::replay),
        )
}
