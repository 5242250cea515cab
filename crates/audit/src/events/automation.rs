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
    MODEL = "intelligence.model", Info, Reeve,
        "A model was trained, promoted or rolled back.",
        ["resource.type", "resource.id", "metadata.agent_id", "metadata.model"];
    PREDICTION = "intelligence.prediction", Info, Reeve,
        "Predictive rules were evaluated.",
        ["resource.type", "resource.id"];
    ANOMALY = "intelligence.anomaly", Info, Reeve,
        "An anomaly was found, answered or closed.",
        ["resource.type", "resource.id"];
    ROLLOUT = "intelligence.rollout", Info, Reeve,
        "A rollout, which is a workflow of stages and gates, began, advanced or ended.",
        ["resource.type", "resource.id"];
}
