//! Isolation of a machine that a security anomaly is of: the proposal and the plan.
//!
//! The machine's security groups give way to one that lets nothing through, its disks and memory
//! stay as they are, and its release gives exactly the same groups back. What it cannot do is said:
//! credentials that were carried away work elsewhere until they expire, and EC2 may let a
//! connection that stands already live on until it ends ("Security group connection tracking").

use reeve_estate::{Money, Provider, Resource};
use reeve_recommend::agent::Impact;
use reeve_recommend::change::Isolate;
use reeve_recommend::judgement::event::SecurityThreat;
use reeve_recommend::judgement::proposal::Proposal;
use reeve_recommend::judgement::trust::Trust;
use reeve_recommend::plan::Plan;
use reeve_recommend::recommendation::title::title;
use reeve_recommend::recommendation::{
    Decision, Effort, Explanation, FactorKind, Factors, ImpactAssessment, Priority,
    RecommendationType,
};

/// Action of the agent type (requirement A-074).
pub(super) const RULE: &str = "auto_quarantine";
/// The code that every proposal of it carries.
const CODE: &str = "security_anomaly";
/// Sentences of evidence that are taken over.
pub(super) const MOST_EVIDENCE: usize = 6;

/// The plan that cuts a machine off.
///
/// # Errors
/// Reason why there is no plan, in words.
pub fn plan(machine: &Resource) -> Result<Plan, &'static str> {
    let spec = &machine.specification;
    if machine.provider != Provider::Aws {
        return Err("Reeve isolates machines on AWS alone");
    }

    if machine.group.is_some() {
        return Err(
            "it belongs to a scaling group, which ends a member that no longer answers: detach it first, or its memory \
                    and disks are lost with it",
        );
    }

    if spec.security_groups.is_empty() {
        return Err(
            "its security groups are not known, or it has several network interfaces, each with groups of its own",
        );
    }

    let change = Isolate {
        security_groups: spec.security_groups.clone(),
    };
    Ok(Plan::new(&change, machine.id.as_str()))
}

/// Code that names the cause of a threat: `anomaly:7`.
pub(super) fn cause_code(threat: &SecurityThreat) -> String {
    let cause = &threat.cause;
    format!("{}:{}", cause.kind(), cause.id().unwrap_or_default())
}

/// Returns the deciding factors, as sentences.
fn factors(threat: &SecurityThreat, by_hand: Option<&str>, code_owner: Option<&str>) -> Factors {
    let mut factors = Factors::from([
        (FactorKind::Measured, threat.title.as_str()),
        (
            FactorKind::Consequence,
            "Its disks and its memory stay as they are, for the investigation; rolling back restores its security groups",
        ),
        (
            FactorKind::Consequence,
            "Stolen credentials work elsewhere until they expire: revoke the sessions of the machine's role too",
        ),
    ]);

    factors.extend(
        threat
            .evidence
            .iter()
            .take(MOST_EVIDENCE)
            .map(|text| (FactorKind::Measured, text.clone())),
    );

    let by_hand = by_hand.map(|why| format!("Advice only, no automatic change: {why}"));
    let code = code_owner.map(|tag| {
        format!(
            "It is managed by infrastructure as code ({tag}), which may restore its security groups"
        )
    });

    factors.extend(
        by_hand
            .into_iter()
            .chain(code)
            .map(|text| (FactorKind::Consequence, text)),
    );

    factors
}

/// The proposal: with a plan where Reeve can carry it out, else as advice with the reason.
pub(super) fn proposal(machine: &Resource, threat: &SecurityThreat) -> Proposal {
    let plan = plan(machine);
    let code_owner = reeve_recommend::guardrail::ownership::owned_by_code(machine);
    let factors = factors(threat, plan.as_ref().err().copied(), code_owner.as_deref());
    let mut reason_codes = vec![CODE.to_owned(), cause_code(threat)];
    reason_codes.extend(code_owner.map(|_| "iac_managed".to_owned()));
    let score = threat.score;
    let action = format!("Isolate {} from every network", machine.name);
    let cut_off = "it serves no traffic while isolated";

    Proposal {
        kind: RecommendationType::SecurityGroup,
        rule: RULE,
        title: title("Isolate ", &machine.name, " from every network"),
        subject: reeve_recommend::plan::procedure::subject(machine, None),
        priority: threat.severity,
        confidence: (score * 100.0).clamp(0.0, 100.0),
        trust: Trust { raw: score, features: Vec::new(), cap_percent: None },
        impact_level: Impact::High,
        impact: ImpactAssessment {
            cost_percent: Some(0.0),
            cost: "none: it keeps running".to_owned(),
            performance_degradation_percent: None,
            performance: cut_off.to_owned(),
            security: "an intruder on the machine cannot reach anything else".to_owned(),
        },
        effort: Effort::Low,
        savings_monthly: Some(Money::ZERO),
        savings_after_discounts: None,
        monthly_cost: machine.monthly_cost,
        plan: plan.ok(),
        reason_codes,
        not_measured: Vec::new(),
        explanation: Explanation {
            action,
            factors,
            data_points: threat.readings,
            confidence_range: None,
            similar_cases: 0,
            models: Vec::new(),
            success_rate: None,
            risk: Impact::High,
            cost_reduction: "none".to_owned(),
            performance_impact: cut_off.to_owned(),
            decision_path: vec![
                Decision {
                    check: "Were the machine's own credentials used?".to_owned(),
                    answer: Some(true),
                    detail: cause_code(threat).replacen(':', " ", 1),
                },
                Decision {
                    check: "Is the threat critical, so that automatic isolation applies where it is configured?"
                        .to_owned(),
                    answer: Some(threat.severity == Priority::Critical),
                    detail: format!("its severity is {}, its score {score:.2}", threat.severity),
                },
            ],
        },
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use reeve_estate::{ResourceId, ResourceKind};
    use reeve_testkit::contract::estate::running;

    use super::*;

    #[test]
    fn what_cannot_be_cut_off_says_why() {
        let mut machine = running("i-1", ResourceKind::VirtualMachine, None);
        machine.specification.security_groups = vec!["sg-1".to_owned(), "sg-2".to_owned()];
        let made = plan(&machine).unwrap();
        let kinds: Vec<&str> = made.steps.iter().map(|step| step.kind.as_str()).collect();
        assert_eq!(kinds, ["precondition", "isolate", "verify"]);
        assert!(
            made.reversible
                && made.change_name() == Some("isolate")
                && made.steps[0].expect[0].1 == "sg-1,sg-2"
        );

        let why = |change: fn(&mut Resource)| {
            let mut other = machine.clone();
            change(&mut other);
            plan(&other).unwrap_err()
        };
        assert!(why(|machine| machine.provider = Provider::Gcp).contains("AWS"));

        assert!(why(|machine| machine.group = Some(ResourceId::new("asg-1"))).contains("detach"));
        assert!(
            why(|machine| machine.specification.security_groups.clear())
                .contains("several network interfaces")
        );
    }
}
