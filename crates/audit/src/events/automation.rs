//! Event types: agents, workflows, scheduled tasks, remediations.

use super::{Area, EventKind, Severity, Source, kinds};

kinds! { Automation:
    AGENT_RUN = "intelligence.agent.run", Info, Reeve,
        "An agent ran: its policy was evaluated over the estate.",
        ["resource.type", "resource.id", "metadata.agent_id", "metadata.agent_type"];
    RECOMMENDATION = "intelligence.recommendation", Info, Reeve,
        "A recommendation was made, or went from one state to another.",
        ["resource.type", "resource.id", "metadata.recommendation_id", "metadata.title"];
    APPROVAL = "intelligence.approval", Info, Reeve,
        "An approval was asked for, given, refused or withdrawn.",
        ["resource.type", "resource.id", "metadata.recommendation_id", "metadata.approval_id", "metadata.plan_hash"];
    ACTION = "intelligence.action", Info, Reeve,
        "A recommendation was executed or rolled back, as a whole.",
        ["resource.type", "resource.id", "metadata.recommendation_id", "metadata.action_id", "metadata.asked_by"];
    CHECK = "intelligence.check", Info, Reeve,
        "An execution checked a condition before or after a change.",
        ["resource.type", "resource.id", "metadata.recommendation_id", "metadata.action_id", "metadata.step"];
    EVIDENCE = "intelligence.evidence", Info, Reeve,
        "Checks of compliance gave other results about resources than before.",
        ["resource.type", "resource.id", "metadata.agent_id", "metadata.results"];
    CHECKS_LOAD = "intelligence.checks.load", Info, Reeve,
        "Files of people's own checks and frameworks came into force, left it or were refused.",
        ["resource.type", "resource.id", "metadata.revision", "metadata.in_force", "metadata.refused", "changes.after"];
    BASELINE_PIN = "intelligence.baseline.pin", Info, Reeve,
        "The configuration of a scope, or of single resources, was pinned as its baseline.",
        ["resource.type", "resource.id", "metadata.baseline", "changes.after"];
    BASELINE_REMOVE = "intelligence.baseline.remove", Info, Reeve,
        "A baseline was removed with its drifts.",
        ["resource.type", "resource.id", "metadata.baseline", "changes.before"];
    DRIFT_DETECT = "intelligence.drift.detect", Low, Reeve,
        "A resource differs from a baseline.",
        ["resource.type", "resource.id", "metadata.drift_id", "metadata.baseline_id", "metadata.baseline", "metadata.form"];
    DRIFT_RESOLVE = "intelligence.drift.resolve", Info, Reeve,
        "A resource agrees with a baseline again, because it changed back or because its present configuration was pinned.",
        ["resource.type", "resource.id", "metadata.drift_id", "metadata.baseline_id", "metadata.baseline", "metadata.resolution"];
    DRIFT_ACCEPT = "intelligence.drift.accept", Info, Reeve,
        "A drift was accepted until a time.",
        ["resource.type", "resource.id", "metadata.drift_id", "metadata.baseline_id", "metadata.baseline", "metadata.reason", "metadata.ends_at"];
    DRIFT_REOPEN = "intelligence.drift.reopen", Low, Reeve,
        "A drift that was accepted is open again: the acceptance ended or was withdrawn, or the resource changed further.",
        ["resource.type", "resource.id", "metadata.drift_id", "metadata.baseline_id", "metadata.baseline", "metadata.reason"];
    OBJECTIVE_CREATE = "intelligence.objective.create", Info, Reeve,
        "An objective of a service was added.",
        ["resource.type", "resource.id", "changes.after"];
    OBJECTIVE_MODIFY = "intelligence.objective.modify", Info, Reeve,
        "An objective of a service was changed.",
        ["resource.type", "resource.id", "changes.before", "changes.after"];
    OBJECTIVE_DELETE = "intelligence.objective.delete", Info, Reeve,
        "An objective of a service was removed.",
        ["resource.type", "resource.id", "changes.before"];
    OBJECTIVE_BURN = "intelligence.objective.burn", High, Reeve,
        "The error budget of an objective began to be used too fast to last.",
        ["resource.type", "resource.id", "metadata.objective_name", "metadata.metric", "metadata.burn_hour", "metadata.budget_left_percent"];
    RUNBOOK_OUTCOME = "intelligence.runbook.outcome", Info, Reeve,
        "A change by a runbook was verified: the issue is over, it is still there, or the change failed.",
        ["resource.type", "resource.id", "metadata.runbook", "metadata.outcome", "metadata.action_id"];
    RUNBOOK_BREAKER = "intelligence.runbook.breaker", Medium, Reeve,
        "The circuit breaker of a runbook on a resource, or on all, opened or closed.",
        ["resource.type", "resource.id", "metadata.runbook", "metadata.failures", "metadata.reason"];
    MODEL = "intelligence.model", Info, Reeve,
        "A model was trained, promoted or rolled back.",
        ["resource.type", "resource.id", "metadata.agent_id", "metadata.model"];
    PREDICTION = "intelligence.prediction", Info, Reeve,
        "Predictive rules were evaluated.",
        ["resource.type", "resource.id"];
    ANOMALY = "intelligence.anomaly", Info, Reeve,
        "An anomaly was found, answered or closed.",
        ["resource.type", "resource.id"];
    INCIDENT = "intelligence.incident", Info, Reeve,
        "An incident was opened, joined, worked on, merged, closed or removed.",
        ["resource.type", "resource.id", "metadata.incident_id", "metadata.title"];
    PLAYBOOK_RUN = "intelligence.playbook.run", Info, Reeve,
        "A playbook was run on an incident, sent a message about it, or is being rolled back.",
        ["resource.type", "resource.id", "metadata.incident_id", "metadata.run_id", "metadata.playbook"];
    INBOUND_ALERT = "intelligence.inbound_alert", Info, Reeve,
        "An alert of another tool arrived, was closed or judged here, was closed by its sender or with its incident, or expired.",
        ["resource.type", "resource.id", "metadata.inbound_alert_id", "metadata.alert_source_id", "metadata.title"];
    ROLLOUT = "intelligence.rollout", Info, Reeve,
        "A rollout, which is a workflow of stages and gates, began, advanced or ended.",
        ["resource.type", "resource.id"];
}
