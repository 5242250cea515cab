//! `failure_prediction` of machines: events that the cloud has scheduled (a retirement, a restart) and
//! status checks that fail. Both are facts of EC2's `DescribeInstanceStatus`, not estimates, and advice:
//! stopping a machine and starting it again moves it to another host and loses what is on instance
//! store volumes.

use jiff::Timestamp;
use reeve_estate::document::NOT_READ;
use reeve_estate::{Provider, Resource};
use reeve_recommend::agent::Impact;
use reeve_recommend::judgement::Facts;
use reeve_recommend::judgement::assessment::is_production;
use reeve_recommend::judgement::proposal::{Abstention, Path, Proposal};
use reeve_recommend::plan::procedure::advice_only;
use reeve_recommend::recommendation::title::title;
use reeve_recommend::recommendation::{Effort, FactorKind, Factors, ImpactAssessment, Priority};
use reeve_recommend::words::minute;
use serde_json::Value;

use super::PREVENTION;
use super::quiet::quiet_words;
use super::settings::Thresholds;
use crate::configuration_fact::ConfigurationFact;

/// Name of the rule.
pub(super) const RULE: &str = "failure_prediction";
/// Part of the machine that the finding is about.
const ASPECT: &str = "health";
/// Member of a machine's document with its status.
const STATUS: &str = "InstanceStatus";

/// Condition of a machine that fails or is about to.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Condition {
    /// The cloud ends or restarts it.
    Scheduled {
        code: String,
        description: String,
        not_before: Option<Timestamp>,
    },
    /// A status check fails: of the host (`system`) or of the machine itself (`instance`).
    Impaired { check: &'static str },
}

impl Condition {
    /// Returns `true` if the machine does not come back without a person's doing.
    fn ends_it(&self) -> bool {
        match self {
            Condition::Scheduled { code, .. } => {
                matches!(code.as_str(), "instance-retirement" | "instance-stop")
            }
            Condition::Impaired { .. } => true,
        }
    }

    fn title(&self, name: &str) -> String {
        match self {
            Condition::Scheduled { code, .. } => {
                let what = match code.as_str() {
                    "instance-retirement" => "The cloud retires ",
                    "instance-stop" => "The cloud stops ",
                    "instance-reboot" | "system-reboot" => "The cloud restarts ",
                    _ => "The cloud maintains the host of ",
                };
                title(what, name, "")
            }
            Condition::Impaired { check } => {
                title("", name, &format!(" fails its {check} status check"))
            }
        }
    }

    fn words(&self) -> String {
        match self {
            Condition::Scheduled {
                code,
                description,
                not_before,
            } => {
                let at = not_before.map_or_else(
                    || "at a time that is not known".to_owned(),
                    |at| format!("not before {}", minute(at)),
                );
                format!("AWS has scheduled {code} {at}: {description}")
            }
            Condition::Impaired { check: "system" } => {
                "The system status check fails: the host, its network or its power is impaired"
                    .to_owned()
            }
            Condition::Impaired { .. } => {
                "The instance status check fails: the operating system does not answer".to_owned()
            }
        }
    }

    fn action(&self, name: &str) -> String {
        match self {
            Condition::Scheduled { code, .. }
                if matches!(code.as_str(), "instance-reboot" | "system-reboot") =>
            {
                format!("Restart {name} at a time of your choice before the scheduled one")
            }
            Condition::Impaired { check: "instance" } => {
                format!("Look at the console output of {name}, and restart it")
            }
            _ => format!(
                "Stop {name} and start it again, which moves it to another host; copy what is on instance store volumes first"
            ),
        }
    }
}

/// Judges the status of a machine.
pub(super) fn judge(facts: &Facts<'_>, settings: &Thresholds) -> Result<Proposal, Abstention> {
    let machine = facts.resource;
    let unread = |code, detail: &str| {
        Err(Abstention::unjudged(PREVENTION, code, detail).with_aspect(ASPECT))
    };

    if !settings.failures {
        let detail = format!("the setting {RULE}.enabled is off");
        return Err(Abstention::decided(PREVENTION, "switched_off", detail).with_aspect(ASPECT));
    }
    if machine.provider != Provider::Aws {
        return unread("cloud_not_covered", "status checks are read of EC2 alone");
    }
    let Some(status) = facts
        .document
        .and_then(|document| document.json().get(STATUS))
    else {
        return unread(
            "status_not_read",
            "its status was not read: the next sync reads it, with ec2:DescribeInstanceStatus",
        );
    };
    if status.as_str() == Some(NOT_READ) {
        return unread(
            "status_not_read",
            "the permission ec2:DescribeInstanceStatus is missing",
        );
    }

    let conditions = conditions(status);
    let Some(gravest) = gravest(&conditions) else {
        let detail = "no event is scheduled, and no status check fails";
        return Err(Abstention::decided(PREVENTION, "healthy", detail).with_aspect(ASPECT));
    };
    Ok(propose(facts, settings, gravest, &conditions))
}

/// Returns the conditions that a status tells of. Events that are over say so in their description.
fn conditions(status: &Value) -> Vec<Condition> {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let mut found = Vec::new();

    for one in list(status) {
        for event in list(&one["eventsSet"]) {
            let text = |member: &str| event[member].as_str().unwrap_or_default().to_owned();
            let description = text("description");
            if description.starts_with("[Completed]") || description.starts_with("[Canceled]") {
                continue;
            }
            found.push(Condition::Scheduled {
                code: text("code"),
                not_before: text("notBefore").parse().ok(),
                description,
            });
        }

        for (member, check) in [("systemStatus", "system"), ("instanceStatus", "instance")] {
            if one[member]["status"].as_str() == Some("impaired") {
                found.push(Condition::Impaired { check });
            }
        }
    }

    found
}

/// Returns the condition to name first: one that ends the machine before one that restarts it, the
/// earlier before the later.
fn gravest(conditions: &[Condition]) -> Option<&Condition> {
    conditions.iter().min_by_key(|condition| {
        let at = match condition {
            Condition::Scheduled { not_before, .. } => *not_before,
            Condition::Impaired { .. } => Some(Timestamp::MIN),
        };
        (!condition.ends_it(), at.unwrap_or(Timestamp::MAX))
    })
}

fn propose(
    facts: &Facts<'_>,
    settings: &Thresholds,
    gravest: &Condition,
    conditions: &[Condition],
) -> Proposal {
    let machine = facts.resource;
    let mut path = Path::default();
    path.ask(
        "Is an event scheduled, or does a status check fail?",
        true,
        gravest.words(),
    );

    let mut factors: Factors = conditions
        .iter()
        .map(|condition| (FactorKind::Measured, condition.words()))
        .collect();
    factors.extend(quiet_words(facts, settings).map(|words| (FactorKind::Consequence, words)));
    factors.add(
        FactorKind::Consequence,
        advice_only("Reeve does not move machines between hosts"),
    );

    ConfigurationFact {
        kind: PREVENTION,
        rule: RULE,
        title: gravest.title(&machine.name),
        aspect: ASPECT.to_owned(),
        priority: priority(machine, gravest),
        risk: Impact::Medium,
        impact: ImpactAssessment {
            cost_percent: Some(0.0),
            cost: "none".to_owned(),
            performance_degradation_percent: None,
            performance: "The machine is away while it restarts or moves".to_owned(),
            security: "none".to_owned(),
        },
        effort: Effort::Medium,
        plan: None,
        reason_code: RULE.to_owned(),
        action: gravest.action(&machine.name),
        factors,
        data_points: conditions.len() as u64,
        path,
    }
    .about(machine)
}

fn priority(machine: &Resource, gravest: &Condition) -> Priority {
    match (gravest.ends_it(), is_production(machine)) {
        (true, true) => Priority::Critical,
        (true, false) | (false, true) => Priority::High,
        (false, false) => Priority::Medium,
    }
}
