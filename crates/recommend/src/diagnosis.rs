//! Diagnosis of agents and recommendations: the conditions of, each
//! with its listed causes, the evidence for or against every one, and the remedy.
//!
//! Pure: the engine gathers the facts. A cause that cannot be judged says so instead of being left
//! out.

use reeve_estate::named;

use crate::agent::{Agent, Mode};
use crate::guardrail::GuardrailName;
use crate::recommendation::Recommendation;

named!(
    /// A condition of requirements.
    Condition {
        /// Actions not executing although approved.
        NotExecuting => "approved_but_not_executed",
        /// Confidence stays below the threshold.
        LowConfidence => "consistently_low_confidence",
        /// Recommendations that nobody wants.
        Irrelevant => "irrelevant_recommendations",
    }
);

/// A possible cause of a condition, and whether it applies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiagnosisCause {
    /// Stable name of the cause.
    pub name: &'static str,
    /// `true` if the cause applies; `None` if the data does not tell.
    pub applies: Option<bool>,
    /// The facts, with their numbers.
    pub evidence: String,
    pub way_out: &'static str,
    /// The guardrail that blocks, where one does.
    pub block: Option<BlockedBy>,
}

/// Guardrail that blocks a recommendation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockedBy {
    /// Name of the guardrail.
    pub guardrail: GuardrailName,
    /// Limit and value in words.
    pub message: String,
}

/// A condition and its causes, in the order of requirements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnosis {
    pub condition: Condition,
    /// `true` if the condition is present; `None` if the data does not tell.
    pub present: Option<bool>,
    pub causes: Vec<DiagnosisCause>,
}

/// Facts about a recommendation that is not executed.
#[derive(Debug, Clone)]
pub struct StuckFacts<'a> {
    pub recommendation: &'a Recommendation,
    /// Its agent; `None` when it was deleted.
    pub agent: Option<&'a Agent>,
    /// `true` if the connection permits changes; `None` if the connection no longer exists.
    pub may_act: Option<bool>,
    /// Guardrail that would block the change at present.
    pub block: Option<BlockedBy>,
    /// Other policies in its way: exclusions, relations to other recommendations, actions on the
    /// resource.
    pub conflicts: Vec<String>,
    /// Past executions that failed, newest first.
    pub failures: Vec<DiagnosisFailure>,
}

/// Past execution that failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiagnosisFailure {
    pub reason: String,
    /// The cloud refused a step for a missing permission.
    pub denied: bool,
}

const fn cause(
    name: &'static str,
    applies: Option<bool>,
    evidence: String,
    way_out: &'static str,
) -> DiagnosisCause {
    DiagnosisCause {
        name,
        applies,
        evidence,
        way_out,
        block: None,
    }
}

/// Diagnoses why an approved recommendation is not executed.
#[must_use]
pub fn not_executing(facts: &StuckFacts<'_>) -> Diagnosis {
    let mode = facts.agent.map(|agent| agent.mode);
    let learning = cause(
        "agent_mode_is_learning",
        Some(mode == Some(Mode::Learning) || mode.is_none()),
        mode.map_or("its agent was deleted".to_owned(), |mode| {
            format!("the agent's mode is {mode}")
        }),
        "Its agent only learns: set it to Safe mode under Agents. If it was deleted, another agent finds this again.",
    );

    let refusal = facts.failures.iter().find(|failure| failure.denied);
    let permissions = cause(
        "missing_iam_permissions",
        Some(facts.may_act == Some(false) || refusal.is_some()),
        match (facts.may_act, refusal) {
            (_, Some(failure)) => format!("the cloud refused: {}", failure.reason),
            (Some(false), None) => "its connection is observe only".to_owned(),
            (None, None) => "its connection no longer exists".to_owned(),
            (Some(true), None) => {
                "its connection allows changes, and the cloud refused none".to_owned()
            }
        },
        "Allow actions on the connection and give its role the permission that the message names; then test the connection.",
    );

    let guardrail = cause(
        "guardrail_blocks_it",
        Some(facts.block.is_some()),
        facts.block.as_ref().map_or_else(
            || "no guardrail would block it now".to_owned(),
            |block| format!("{}: {}", block.guardrail, block.message),
        ),
        "Change the limit if it is too tight, wait where it is a matter of time, or schedule it for the named time.",
    );

    let guardrail = DiagnosisCause {
        block: facts.block.clone(),
        ..guardrail
    };
    let conflicts = cause(
        "conflicting_policies",
        Some(!facts.conflicts.is_empty()),
        listed(
            &facts.conflicts,
            "no exclusion, other recommendation or running action blocks it",
        ),
        "Remove the exclusion, or answer the other recommendation first.",
    );

    let reasons: Vec<String> = facts
        .failures
        .iter()
        .map(|failure| failure.reason.clone())
        .collect();

    let errors = cause(
        "errors_in_audit_logs",
        Some(!facts.failures.is_empty()),
        listed(&reasons, "no execution of it failed"),
        "Read its history: search the audit log for metadata.recommendation_id and its id.",
    );
    let causes = vec![learning, permissions, guardrail, conflicts, errors];

    let wanted = facts.recommendation.status.is_end()
        || !causes.iter().any(|cause| cause.applies == Some(true));
    Diagnosis {
        condition: Condition::NotExecuting,
        present: Some(!wanted),
        causes,
    }
}

/// Facts about an agent's findings.
#[derive(Debug, Clone, Default)]
pub struct FindingFacts {
    /// Days of samples its scope had at the last run; `None` before the first.
    pub days_observed: Option<u32>,
    /// Resources its scope had then.
    pub resources_seen: u64,
    /// Resources in scope that were made in the last two weeks, or went away since.
    pub resources_changed: u64,
    /// Resources in scope without any tag.
    pub resources_untagged: u64,
    /// Findings that the last run skipped, as (reason, count).
    pub skipped: Vec<(String, u64)>,
    /// Names in its scope that no resource has.
    pub scope_unmatched: Vec<String>,
    /// Confidence of its recommendations, percent.
    pub confidences: Vec<f64>,
    /// Its recommendations that name something that was not measured.
    pub unmeasured: u64,
    /// Its recommendations that people answered with `not_applicable`, or dismissed.
    pub rejected: u64,
    /// All of its recommendations that people answered or that ended.
    pub answered: u64,
}

/// Confidence is consistently low when three quarters of the findings are below the agent's
/// threshold.
const LOW_SHARE: f64 = 0.75;
/// Findings are irrelevant when people reject more than this share of those they answer.
const REJECTED_SHARE: f64 = 0.3;
/// Reasons of rules that abstain because the past of a load does not foretell it: work at other
/// hours each week, work that comes again after long pauses, a load that grows, a commitment that
/// lost in weeks it was tried on. That a smaller size has too little network or disk is no
/// variability.
pub const VARIABLE: &[&str] = &[
    "irregular_work",
    "rare_work",
    "use_comes_again",
    "used_at_other_times",
    "growing",
    "lost_on_held_out_weeks",
];
/// Fewer answers than this tell nothing.
const FEW: u64 = 5;

/// Diagnoses why an agent's confidence stays low.
#[must_use]
pub fn low_confidence(agent: &Agent, facts: &FindingFacts) -> Diagnosis {
    let low = facts
        .confidences
        .iter()
        .filter(|c| **c < agent.confidence_threshold)
        .count();
    let present = (facts.confidences.len() as u64 >= FEW)
        .then_some(low as f64 >= LOW_SHARE * facts.confidences.len() as f64);
    let period = agent.learning_period_days.max(14);
    let days = facts.days_observed;
    let thin = skipped(facts, &["thin_data", "no_cpu_samples", "not_measured"]);
    let variable = skipped(facts, VARIABLE);
    let causes = vec![
        cause(
            "learning_period_too_short",
            days.map(|days| days < period),
            days.map_or("it has not run yet".to_owned(), |days| {
                format!("{days} of {period} days have samples")
            }),
            "Let it learn for 14 days at least, 30 where load follows the month.",
        ),
        cause(
            "insufficient_or_poor_history",
            Some(thin + facts.unmeasured > 0),
            format!(
                "{thin} resources had too little data, {} findings lack a measurement",
                facts.unmeasured
            ),
            "Install the agent that measures memory, or grant the permission to read the missing metrics.",
        ),
        changed(
            "environment_changes",
            facts,
            "Wait until the environment has stood for a learning period.",
        ),
        cause(
            "workload_too_variable",
            Some(share(variable, facts.resources_seen) > 0.2),
            format!(
                "{variable} of {} resources vary too much to be judged by their past",
                facts.resources_seen
            ),
            "Narrow the scope to steadier services, or scale them automatically instead of resizing.",
        ),
    ];

    Diagnosis {
        condition: Condition::LowConfidence,
        present,
        causes,
    }
}

/// Diagnoses why an agent's recommendations do not fit.
#[must_use]
pub fn irrelevant(agent: &Agent, facts: &FindingFacts) -> Diagnosis {
    let present =
        (facts.answered >= FEW).then(|| share(facts.rejected, facts.answered) > REJECTED_SHARE);
    let causes = vec![
        cause(
            "scope_or_filters_wrong",
            Some(
                !facts.scope_unmatched.is_empty()
                    || (facts.days_observed.is_some() && facts.resources_seen == 0),
            ),
            if facts.scope_unmatched.is_empty() {
                format!("its scope has {} resources", facts.resources_seen)
            } else {
                format!("no resource has {}", facts.scope_unmatched.join(", "))
            },
            "Correct the accounts and services of its scope.",
        ),
        changed(
            "recent_infrastructure_changes",
            facts,
            "Sync the connections and run the agent again; findings on removed resources expire.",
        ),
        cause(
            "confidence_threshold_too_low",
            Some(agent.confidence_threshold < 80.0),
            format!(
                "the threshold is {:.0} %, the default is 85 %",
                agent.confidence_threshold
            ),
            "Raise the confidence threshold.",
        ),
        cause(
            "inaccurate_tagging",
            Some(share(facts.resources_untagged, facts.resources_seen) > 0.3),
            format!(
                "{} of {} resources have no tag",
                facts.resources_untagged, facts.resources_seen
            ),
            "Tag resources with their purpose (env, service, owner), and those to exclude with reeve:ignore.",
        ),
    ];

    Diagnosis {
        condition: Condition::Irrelevant,
        present,
        causes,
    }
}

/// Both conditions may come of an estate that changes under the agent.
fn changed(name: &'static str, facts: &FindingFacts, way_out: &'static str) -> DiagnosisCause {
    let (changed, seen) = (facts.resources_changed, facts.resources_seen);
    let evidence = format!("{changed} of {seen} resources came or went in two weeks");
    cause(name, Some(share(changed, seen) > 0.2), evidence, way_out)
}

fn skipped(facts: &FindingFacts, reasons: &[&str]) -> u64 {
    facts
        .skipped
        .iter()
        .filter(|(reason, _)| reasons.contains(&reason.as_str()))
        .map(|(_, count)| count)
        .sum()
}

fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 {
        0.0
    } else {
        part as f64 / whole as f64
    }
}

fn listed(items: &[String], none: &str) -> String {
    const SHOWN: usize = 3;

    if items.is_empty() {
        return none.to_owned();
    }

    let rest = items.len().saturating_sub(SHOWN);
    let more = if rest > 0 {
        format!("; and {rest} more")
    } else {
        String::new()
    };

    format!("{}{more}", items[..items.len().min(SHOWN)].join("; "))
}

#[cfg(test)]
mod tests;
