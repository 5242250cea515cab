//! The audit entries of alerts of other tools. All carry `metadata.inbound_alert_id`.

use reeve_audit::{ActionMethod, ActionStatus, Entry, Json, ResourceRef, events};
use reeve_recommend::caller::Caller;
use reeve_recommend::log_entry::entry;

use crate::alert::InboundAlert;
use crate::source::AlertSource;

/// Builds the entry of an operation on an alert.
pub(crate) fn about(operation: &str, alert: &InboundAlert, caller: &Caller) -> Entry {
    let report = &alert.report;
    entry(
        events::INBOUND_ALERT.event_type(),
        operation,
        ActionStatus::Success,
        caller,
    )
    .on(ResourceRef::new("inbound_alert", alert.id.0.clone()))
    .with_severity(alert.weight.severity)
    .with_metadata("inbound_alert_id", alert.id.0.clone())
    .with_metadata("alert_source_id", alert.source.0.clone())
    .with_metadata("title", report.title.clone())
}

/// Caller of entries about what a sender did.
pub(crate) fn sender(source: &AlertSource) -> Caller {
    Caller {
        name: source.name.clone(),
        method: ActionMethod::Api,
        ..Caller::system()
    }
}

/// The arrival of a report: what the sender says, and the weight with its reasons.
pub(crate) fn received(
    operation: &str,
    alert: &InboundAlert,
    sender_id: &str,
    source: &AlertSource,
) -> Entry {
    let report = &alert.report;
    let text = |value: &Option<String>| value.clone().map_or(Json::Null, Json::from);
    let reasons: Vec<String> = alert
        .weight
        .factors
        .iter()
        .map(|factor| factor.reason.clone())
        .collect();

    about(operation, alert, &sender(source))
        .with_metadata("alert_source", source.name.clone())
        .with_metadata("sender_id", sender_id.to_owned())
        .with_metadata("sender_severity", report.severity.as_str())
        .with_metadata("techniques", Json::from(report.techniques.clone()))
        .with_metadata("principal", text(&report.principal))
        .with_metadata(
            "address",
            text(&report.address.map(|address| address.to_string())),
        )
        .with_metadata("account", text(&report.account))
        .with_metadata("resource", text(&report.resource))
        .with_metadata("weight", Json::from(alert.weight.value))
        .with_metadata("weight_reasons", Json::from(reasons))
}
