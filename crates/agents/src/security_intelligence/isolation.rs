//! Isolation of a machine that a security anomaly is of: the proposal and the plan.
//!
//! The machine's security groups give way to one that lets nothing through, its disks and memory
//! stay as they are, and its release gives exactly the same groups back. What it cannot do is said:
//! credentials that were carried away work elsewhere until they expire, and EC2 may let a
//! connection that stands already live on until it ends ("Security group connection tracking").

use reeve_estate::{Money, Provider, Resource};
use reeve_recommend::agent::Impact;
use reeve_recommend::change::Isolate;
use reeve_recommend::judgement::proposal::Proposal;
use reeve_recommend::judgement::trust::Trust;
use reeve_recommend::plan::Plan;
use reeve_recommend::plan::procedure::{advice_only, subject};
use reeve_recommend::recommendation::title::title;
use reeve_recommend::recommendation::{
    Explanation, FactorKind, Factors, ImpactAssessment, Priority, RecommendationDecision,
    RecommendationType,
};

use super::containment::Attack;

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

/// Returns the deciding factors, as sentences.
fn factors(attack: &Attack<'_>, by_hand: Option<&str>, code_owner: Option<&str>) -> Factors {
    let mut factors = Factors::from([
        (FactorKind::Measured, attack.title),
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
        attack
            .evidence
            .iter()
            .take(MOST_EVIDENCE)
            .map(|text| (FactorKind::Measured, text.clone())),
    );

    let by_hand = by_hand.map(advice_only);
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
pub(super) fn proposal(machine: &Resource, attack: &Attack<'_>) -> Proposal {
    let plan = plan(machine);
    let code_owner = reeve_recommend::guardrail::ownership::owned_by_code(machine);
    let factors = factors(attack, plan.as_ref().err().copied(), code_owner.as_deref());
    let mut reason_codes = vec![CODE.to_owned(), attack.code.clone()];
    reason_codes.extend(code_owner.map(|_| "iac_managed".to_owned()));
    let score = attack.score;
    let action = format!("Isolate {} from every network", machine.name);
    let cut_off = "it serves no traffic while isolated";

    let credentials = RecommendationDecision {
        check: "Were the machine's own credentials used?".to_owned(),
        answer: Some(true),
        detail: attack.code.replacen(':', " ", 1),
    };
    let is_critical =
        "Is the threat critical, so that automatic isolation applies where it is configured?";
    let is_critical = RecommendationDecision {
        check: is_critical.to_owned(),
        answer: Some(attack.severity == Priority::Critical),
        detail: format!("its severity is {}, its score {score:.2}", attack.severity),
    };
    let explanation = Explanation::new(action, Impact::High)
        .with_factors(factors)
        .with_data_points(attack.readings)
        .with_cost_reduction("none")
        .with_performance_impact(cut_off)
        .with_decision_path([credentials, is_critical]);

    let trust = Trust {
        raw: score,
        ..Trust::default()
    };
    Proposal::new(
        RecommendationType::SecurityGroup,
        RULE,
        title("Isolate ", &machine.name, " from every network"),
        subject(machine, None),
        ImpactAssessment {
            cost_percent: Some(0.0),
            cost: "none: it keeps running".to_owned(),
            performance_degradation_percent: None,
            performance: cut_off.to_owned(),
            security: "an intruder on the machine cannot reach anything else".to_owned(),
        },
        explanation,
    )
    .with_priority(attack.severity)
    .with_confidence((score * 100.0).clamp(0.0, 100.0), trust)
    .with_impact_level(Impact::High)
    .with_savings(Money::ZERO)
    .with_monthly_cost(machine.monthly_cost)
    .with_plan(plan.ok())
    .with_reason_codes(reason_codes)
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
