//! The report about an incident as PDF.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use jiff::Timestamp;
use reeve_incidents::{Incident, IncidentId, PlaybookRun, TimelineMoment};

use super::bodies;
use crate::app::App;
use crate::error::{Problem, ProblemBody};
use crate::extract::Caller;
use crate::incident_report::{IncidentReport, ReportSection};
use crate::routes::intelligence::problems::problem;
use crate::time;

/// Report about an incident as PDF: summary, findings, timeline, what was done, tasks and notes, as
/// far as the caller may see them.
#[utoipa::path(get, path = "/api/v1/intelligence/incidents/{id}/report", tag = "intelligence", operation_id = "incidents_report", params(("id" = String, Path)),
    responses((status = 200, content_type = "application/pdf", body = Vec<u8>), (status = 404, body = ProblemBody)))]
pub(in crate::routes::intelligence) async fn report(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Response, Problem> {
    let incident = app.incidents.incident_get(&IncidentId(id)).await?;
    let runs = app.incident_service.runs_of(&incident.id).await;
    let runs = runs.map_err(problem)?;
    let moments = bodies::moments(&app, &caller, &incident, &runs).await?;
    let record = bodies::record(&app, &caller, &incident).await?;

    let report = IncidentReport {
        id: incident.id.0.clone(),
        title: format!("Incident: {}", incident.title),
        lead: lead(&incident),
        reader: caller.principal.email.clone(),
        generated_at: app.now(),
        sections: vec![
            summary(
                &incident,
                &record
                    .people
                    .iter()
                    .map(|one| one.name.clone())
                    .collect::<Vec<_>>(),
            ),
            findings(&incident),
            assets(&record.assets),
            actions(&runs),
            timeline(&moments),
            tasks(&incident),
        ],
    };
    let typesetter = app.typesetter.clone();
    // Layout takes a moment.
    let made = tokio::task::spawn_blocking(move || typesetter.typeset(report)).await;
    let pdf = made
        .map_err(|error| Problem::internal(format!("typesetting stopped: {error}")))?
        .map_err(Problem::internal)?;

    let name = format!("attachment; filename=\"incident-{}.pdf\"", incident.id.0);
    let headers = [
        (header::CONTENT_TYPE, "application/pdf".to_owned()),
        (header::CONTENT_DISPOSITION, name),
    ];
    Ok((headers, pdf).into_response())
}

fn minute(at: Timestamp) -> String {
    at.strftime("%Y-%m-%d %H:%M:%S UTC").to_string()
}

fn lead(incident: &Incident) -> String {
    let evidence = incident.members.iter().filter(|one| one.is_evidence());
    let count = evidence.count() as u64 + incident.left_out;
    let plural = if count == 1 { "" } else { "s" };
    format!(
        "An incident of {} severity that is {}, with {count} finding{plural}.",
        incident.severity, incident.status
    )
}

fn summary(incident: &Incident, people: &[String]) -> ReportSection {
    let owner = incident.owner.as_deref().unwrap_or("none");
    let mut bullets = vec![
        format!(
            "Began {}, last sign {}",
            minute(incident.started_at),
            minute(incident.last_at)
        ),
        format!(
            "Opened {} by {}",
            minute(incident.opened_at),
            incident.opened_by
        ),
        format!("Owner: {owner}"),
    ];
    for change in incident.history.iter().skip(1) {
        let reason = change.reason.as_ref();
        let reason = reason.map_or_else(String::new, |reason| format!(": {reason}"));
        bullets.push(format!(
            "{} {} by {}{reason}",
            minute(change.at),
            change.to,
            change.by
        ));
    }
    if !people.is_empty() {
        bullets.push(format!("Accounts: {}", people.join(", ")));
    }
    ReportSection {
        title: "Summary".to_owned(),
        paragraphs: Some(incident.description.clone())
            .filter(|text| !text.is_empty())
            .into_iter()
            .collect(),
        bullets,
        table: None,
    }
}

fn findings(incident: &Incident) -> ReportSection {
    let rows = incident.members.iter().map(|member| {
        vec![
            time::text(member.started_at),
            member.severity.to_string(),
            member.title.clone(),
            member.because.clone().unwrap_or_default(),
        ]
    });
    ReportSection {
        title: "Findings".to_owned(),
        table: Some((
            vec![
                ("Began", 2.2),
                ("Severity", 1.0),
                ("Finding", 5.0),
                ("Joined by", 2.0),
            ],
            rows.collect(),
        )),
        ..ReportSection::default()
    }
}

fn assets(assets: &[crate::wire::incident::IncidentAssetBody]) -> ReportSection {
    let rows = assets.iter().map(|asset| {
        let used = if asset.is_used {
            "used by the attacker"
        } else {
            "reached or tried"
        };
        vec![
            asset.name.clone().unwrap_or_else(|| asset.id.clone()),
            asset
                .kind
                .clone()
                .unwrap_or_else(|| "not in the inventory".to_owned()),
            used.to_owned(),
        ]
    });
    ReportSection {
        title: "Assets".to_owned(),
        table: Some((
            vec![("Resource", 4.0), ("Kind", 2.0), ("Part", 2.0)],
            rows.collect(),
        )),
        ..ReportSection::default()
    }
}

fn actions(runs: &[PlaybookRun]) -> ReportSection {
    let mut rows = Vec::new();
    for run in runs.iter().rev() {
        for step in &run.steps {
            let names: Vec<&str> = step.targets.iter().map(|one| one.name.as_str()).collect();
            rows.push(vec![
                step.at.map(time::text).unwrap_or_default(),
                run.title.clone(),
                step.step.action.as_str().replace('_', " "),
                names.join(", "),
                step.state.as_str().replace('_', " "),
            ]);
        }
    }
    let paragraphs = if rows.is_empty() {
        vec!["No playbook was run.".to_owned()]
    } else {
        Vec::new()
    };
    ReportSection {
        title: "Response".to_owned(),
        paragraphs,
        table: (!rows.is_empty()).then(|| {
            let columns = vec![
                ("Time", 2.2),
                ("Playbook", 2.4),
                ("Step", 2.0),
                ("Resources", 2.4),
                ("State", 1.2),
            ];
            (columns, rows)
        }),
        bullets: Vec::new(),
    }
}

fn timeline(moments: &[TimelineMoment]) -> ReportSection {
    let rows = moments.iter().map(|moment| {
        vec![
            time::text(moment.at),
            moment.by.clone().unwrap_or_else(|| "Reeve".to_owned()),
            moment.text.clone(),
        ]
    });
    ReportSection {
        title: "Timeline".to_owned(),
        table: Some((
            vec![("Time", 2.2), ("By", 2.2), ("Event", 5.6)],
            rows.collect(),
        )),
        ..ReportSection::default()
    }
}

fn tasks(incident: &Incident) -> ReportSection {
    let tasks = incident.tasks.iter().map(|task| match &task.done {
        Some((at, by)) => format!("Done by {by}, {}: {}", minute(*at), task.text),
        None => format!("Open: {}", task.text),
    });
    let notes = incident
        .notes
        .iter()
        .map(|note| format!("{} {}: {}", minute(note.at), note.by, note.text));
    ReportSection {
        title: "Tasks and notes".to_owned(),
        bullets: tasks.chain(notes).collect(),
        ..ReportSection::default()
    }
}
