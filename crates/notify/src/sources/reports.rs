//! Runs of reports that have ended, to the channels that the report names.

use reeve_audit::{ActionStatus, Entry, Json, events};
use reeve_estate::StoreError;
use reeve_recommend::words::minute;
use reeve_reports::{ReportKind, RunId};
use serde_json::Value;

use super::pages::SourcePage;
use super::{Sources, fact, message, place, store_error};
use crate::delivery::{Happening, Topic};
use crate::notification::Gravity;
use crate::webhook::Facts;

pub(super) async fn run(sources: &Sources, entry: &Entry) -> Result<Option<Happening>, StoreError> {
    let Some(id) = entry
        .resource
        .id
        .clone()
        .filter(|_| entry.event_type == events::REPORT.event_type())
    else {
        return Ok(None);
    };

    let run = sources
        .reports
        .run_get(&RunId(id.clone()))
        .await
        .map_err(store_error)?;
    let channels = run.receiving_channels();
    if channels.is_empty() {
        return Ok(None);
    }

    let succeeded = entry.action.status == Some(ActionStatus::Success);
    // The entry has what the run came to; the run itself is moved to its end after it.
    let result = |name: &str| {
        entry
            .metadata
            .extra
            .get("report")
            .and_then(|report| report.get(name))
    };

    let period = run.request.period.resolve(run.created_at);
    let (start, end) = (minute(period.start), minute(period.end));
    let mut facts = vec![
        fact("Period", format!("{start} to {end}")),
        fact(
            "Entries",
            result("found")
                .and_then(Json::as_f64)
                .unwrap_or_default()
                .to_string(),
        ),
    ];

    facts.extend(
        result("error")
            .and_then(Json::as_str)
            .map(|error| fact("Reason", error)),
    );

    let page = match run.request.kind {
        ReportKind::Compliance { .. } => SourcePage::ComplianceRun(&id),
        ReportKind::Custom { .. } => SourcePage::CustomRun(&id),
    };
    let place = place(sources, &page, &run.report_name).await?;
    let (outcome, gravity) = if succeeded {
        ("Report ready", Gravity::Info)
    } else {
        ("Report failed", Gravity::Warning)
    };

    let subject = run.delivery_subject();
    let mut message = message(
        format!("{outcome}: {}", run.report_name),
        gravity,
        facts,
        place,
        &subject,
    );
    message.to.clone_from(&run.recipients);

    message.attachment = succeeded.then(|| sources.forms.report_file(&run));
    Ok(Some(Happening {
        topic: Topic::Reports,
        event: None,
        name: "report",
        at: entry.timestamp,
        agents: Vec::new(),
        facts: Facts::default(),
        data: Value::Null,
        finding: None,
        message,
        channels: Some(channels),
        subject,
    }))
}
