//! Timeline of an incident: its findings, what people and playbooks did, and the entries of the log
//! behind it, in one order.

use jiff::Timestamp;
use reeve_audit::Entry;
use reeve_estate::named;

use crate::incident::Incident;
use crate::run::PlaybookRun;

named!(
    /// Kind of a moment of a timeline.
    MomentKind {
        /// An entry of the log behind a finding.
        Entry => "entry",
        /// A finding began.
        Finding => "finding",
        /// The state changed.
        Status => "status",
        /// A person wrote a note.
        Note => "note",
        /// A task was added or done.
        Task => "task",
        /// A playbook was started or rolled back.
        Playbook => "playbook",
        /// A step of a playbook took effect, or failed.
        Step => "step",
    }
);

/// A moment of a timeline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimelineMoment {
    pub at: Timestamp,
    pub kind: MomentKind,
    /// E-mail address of a person, or the account of an entry; `None` for Reeve.
    pub by: Option<String>,
    /// One sentence.
    pub text: String,
    /// Identifier of the entry, finding or run.
    pub reference: Option<String>,
}

/// Returns the timeline, oldest first: moments of the record and its runs, and the entries of the
/// log behind its findings that the reader may see.
#[must_use]
pub fn moments(
    incident: &Incident,
    runs: &[PlaybookRun],
    entries: &[Entry],
) -> Vec<TimelineMoment> {
    let person = |by: &str| (by != "system").then(|| by.to_owned());
    let mut found = Vec::new();

    for member in incident.members.iter().filter(|one| one.is_evidence()) {
        let joined = member.because.as_ref();
        let because = joined.map_or_else(String::new, |why| format!(" (joined by {why})"));
        found.push(TimelineMoment {
            at: member.started_at,
            kind: MomentKind::Finding,
            by: None,
            text: format!("{}{because}", member.title),
            reference: Some(member.id.clone()),
        });
    }

    for change in &incident.history {
        let reason = change.reason.as_ref();
        let reason = reason.map_or_else(String::new, |reason| format!(": {reason}"));
        found.push(TimelineMoment {
            at: change.at,
            kind: MomentKind::Status,
            by: person(&change.by),
            text: format!("The incident is {}{reason}", change.to),
            reference: None,
        });
    }

    for note in &incident.notes {
        found.push(TimelineMoment {
            at: note.at,
            kind: MomentKind::Note,
            by: person(&note.by),
            text: note.text.clone(),
            reference: None,
        });
    }

    for task in &incident.tasks {
        let moment = |at: Timestamp, by: &str, text: String| TimelineMoment {
            at,
            kind: MomentKind::Task,
            by: person(by),
            text,
            reference: None,
        };
        let text = format!("Task: {}", task.text);
        found.push(moment(task.created_at, &task.created_by, text));
        if let Some((at, by)) = &task.done {
            found.push(moment(*at, by, format!("Task done: {}", task.text)));
        }
    }

    for run in runs {
        let moment =
            |at: Timestamp, kind: MomentKind, by: Option<String>, text: String| TimelineMoment {
                at,
                kind,
                by,
                text,
                reference: Some(run.id.0.clone()),
            };
        let by = person(&run.started_by);
        let text = format!("Playbook \"{}\" was started", run.title);
        found.push(moment(run.started_at, MomentKind::Playbook, by, text));
        if let Some(rollback) = &run.rollback {
            let text = format!("Rollback of playbook \"{}\" was requested", run.title);
            let by = person(&rollback.by);
            found.push(moment(rollback.at, MomentKind::Playbook, by, text));
        }

        for step in &run.steps {
            let Some(at) = step.at else { continue };
            let names: Vec<&str> = step.targets.iter().map(|one| one.name.as_str()).collect();
            let action = step.step.action.as_str().replace('_', " ");
            let state = step.state.as_str().replace('_', " ");
            let on = match names[..] {
                [] => String::new(),
                _ => format!(" ({})", names.join(", ")),
            };
            let text = format!("{action}{on}: {state}");
            found.push(moment(at, MomentKind::Step, None, text));
        }
    }

    found.extend(entries.iter().map(TimelineMoment::of_entry));
    found.sort_by_key(|one| (one.at, one.kind));
    found
}

impl TimelineMoment {
    fn of_entry(entry: &Entry) -> TimelineMoment {
        let actor = entry.actor.email.clone().or_else(|| entry.actor.id.clone());
        let operation = entry.action.operation.as_deref();
        let mut text = operation.unwrap_or(entry.event_type.as_str()).to_owned();
        if let Some(resource) = &entry.resource.id {
            text = format!("{text} on {resource}");
        }
        if let Some(address) = entry.actor.ip_address {
            text = format!("{text} from {}", address.to_canonical());
        }
        if let Some(status) = entry.action.status {
            text = format!("{text}: {}", status.as_str());
        }
        TimelineMoment {
            at: entry.timestamp,
            kind: MomentKind::Entry,
            by: actor,
            text,
            reference: Some(entry.event_id.as_str().to_owned()),
        }
    }
}
