//! From what is foreseen to a proposal: the change, its plan where Reeve has one, its cost, and the approval it needs.

use reeve_estate::{Catalogue, Money, Resource, ResourceKind};

use super::prediction::Prediction;
use super::rule::{ApprovalKind, Foreseen, ResponseKind, Rule};
use crate::agent::Impact;
use crate::cost::{self, Hazards, Proposal, Trust, impact_by_cost, is_production, risk};
use crate::plan::Plan;
use crate::recommendation::{Decision, Effort, Explanation, ImpactAssessment, Priority};

/// The code that every recommendation of a rule carries.
pub(crate) const CODE: &str = "predictive_rule";

/// Bytes of a GiB and of a GB.
const GIB: f64 = 1_073_741_824.0;
const GB: f64 = 1e9;

/// Kinds of resources a response makes sense for.
pub(super) fn applies(response: ResponseKind, kind: ResourceKind) -> bool {
    use ResourceKind::{Database, LoadBalancer, ScalingGroup, VirtualMachine, Volume};
    match response {
        ResponseKind::ExpandStorage => matches!(kind, Database | Volume | VirtualMachine),
        ResponseKind::CreateReadReplica => kind == Database,
        ResponseKind::RequestLimitIncrease => matches!(kind, LoadBalancer | ScalingGroup),
        ResponseKind::ScaleUp => matches!(kind, VirtualMachine | Database),
        ResponseKind::PreScale => matches!(kind, LoadBalancer | ScalingGroup | VirtualMachine | Database),
        ResponseKind::WarmCache => matches!(kind, LoadBalancer | Database | VirtualMachine),
        ResponseKind::PrepareFailover => matches!(kind, Database | LoadBalancer),
    }
}

/// What would be done, in words, and what is known of it.
struct Change {
    words: String,
    /// The size a machine gets.
    target: Option<String>,
    plan: Option<Plan>,
    /// Added cost a month; `None` where no price is known.
    added: Option<Money>,
    /// Storage after the change, GB.
    after_gb: Option<f64>,
    effort: Effort,
}

impl Change {
    fn advice(words: String, effort: Effort) -> Change {
        Change { words, target: None, plan: None, added: None, after_gb: None, effort }
    }
}

/// The proposal of a rule that fired.
pub(super) fn propose(rule: &Rule, resource: &Resource, found: &Prediction, catalogue: &Catalogue) -> Proposal {
    let change = change(rule, resource, found, catalogue);
    let (level, approval) = approval(rule, &change);
    let code = cost::owned_by_code(resource);
    let hazards = Hazards { iac: code.is_some(), unpriced: change.added.is_none(), idle: true, ..Hazards::default() };
    let risk = risk(resource, hazards);
    // A rule's own word covers what it costs; what can be carried out also needs what its risk asks for.
    let level = if change.plan.is_some() { level.max(risk) } else { level };
    let monthly = resource.monthly_cost;
    let percent = change.added.zip(monthly).filter(|(_, now)| now.usd() > 0.0);
    let cost_percent = match change.added {
        Some(added) if added == Money::ZERO => Some(0.0),
        _ => percent.map(|(added, now)| added.usd() / now.usd() * 100.0),
    };
    let cost_words = match change.added {
        Some(added) if added == Money::ZERO => "none".to_owned(),
        Some(added) => format!("${:.2} a month more", added.usd()),
        None => "no list price is known".to_owned(),
    };
    let degradation = Some(0.0);
    let words = sentence(rule, resource, found);
    let mut factors = vec![words.clone()];
    factors.extend(found.reasons.iter().cloned());
    if let Some(event) = &found.event {
        factors.push(format!("The calendar has {event}"));
    }
    let mut reason_codes = vec![CODE.to_owned(), rule.code(), rule.condition.foreseen.as_str().to_owned()];
    if let Some(tag) = &code {
        reason_codes.push("iac_managed".to_owned());
        factors.push(format!("It is managed by infrastructure as code ({tag}): change it there"));
    }
    let confidence = found.probability_percent.unwrap_or(0.0);
    Proposal {
        kind: rule.response.kind.recommendation(),
        rule: rule.response.kind.as_str(),
        title: format!("{}: {words}", change.words),
        subject: cost::subject(resource, change.target),
        priority: priority(rule, resource, found),
        confidence,
        trust: Trust { raw: confidence / 100.0, features: Vec::new(), cap_percent: None },
        impact_level: level,
        impact: ImpactAssessment {
            cost_percent,
            cost: cost_words.clone(),
            performance_degradation_percent: degradation,
            performance: format!("keeps {} from what is foreseen", resource.name),
            security: "none".to_owned(),
        },
        effort: change.effort,
        savings_monthly: change.added.map_or(Money::ZERO, |added| Money::ZERO - added),
        savings_after_discounts: None,
        monthly_cost: monthly,
        plan: change.plan,
        reason_codes,
        not_measured: if change.added.is_none() { vec!["price".to_owned()] } else { Vec::new() },
        explanation: Explanation {
            action: change.words,
            factors,
            risk,
            data_points: found.points,
            similar_cases: 0,
            success_rate: None,
            cost_reduction: format!("none: {cost_words}"),
            performance_impact: "what is foreseen does not come to pass".to_owned(),
            decision_path: vec![asked(rule, found), approval],
        },
    }
}

/// What is foreseen, in a sentence.
fn sentence(rule: &Rule, resource: &Resource, found: &Prediction) -> String {
    let when =
        found.expected_at.map_or_else(String::new, |at| format!(" around {}", at.strftime("%Y-%m-%d %H:%M UTC")));
    let chance = found.probability_percent.map_or_else(String::new, |p| format!(", probability {p:.0} %"));
    let limit = found.limit.map_or_else(String::new, |limit| format!(" {limit:.4}"));
    let what = found.signal.map_or("", super::Signal::as_str);
    let name = &resource.name;
    match rule.condition.foreseen {
        Foreseen::Full => format!("{name} is full{when}{chance}"),
        Foreseen::Saturation | Foreseen::Exhaustion => format!("{what} of {name} reaches{limit}{when}{chance}"),
        Foreseen::Above => format!("{what} of {name} rises above{limit}{when}{chance}"),
        Foreseen::Below => format!("{what} of {name} falls below{limit}{when}{chance}"),
        Foreseen::Spike => format!("{what} of {name} peaks above{limit}{when}{chance}"),
        Foreseen::Event => format!("{} begins{when}", found.event.as_deref().unwrap_or("an event")),
    }
}

fn asked(rule: &Rule, found: &Prediction) -> Decision {
    let condition = &rule.condition;
    let what = condition.signal.map_or_else(String::new, |signal| format!(" of {signal}"));
    Decision {
        check: format!(
            "Is {}{what} foreseen within {}, with at least {:.0} %?",
            condition.foreseen,
            super::as_text(condition.horizon_s),
            condition.probability_percent
        ),
        answer: Some(true),
        detail: format!(
            "probability {:.1} % from {} samples; limit {}: {}",
            found.probability_percent.unwrap_or(0.0),
            found.points,
            found.limit.map_or_else(|| "none".to_owned(), |limit| format!("{limit:.4}")),
            if found.limit_source.is_empty() { "a calendar's event" } else { found.limit_source.as_str() }
        ),
    }
}

fn priority(rule: &Rule, resource: &Resource, found: &Prediction) -> Priority {
    let likely = found.probability_percent.is_some_and(|percent| percent >= 90.0);
    match (rule.condition.foreseen.fills(), is_production(resource)) {
        (true, true) if likely => Priority::Critical,
        (true, _) => Priority::High,
        (false, true) => Priority::High,
        (false, false) => Priority::Medium,
    }
}

/// The impact level that carries the rule's approval into the approval matrix, and the check in words. The matrix's own
/// word on cost always holds: a rule can ask for more approval, never for less.
fn approval(rule: &Rule, change: &Change) -> (Impact, Decision) {
    let by_cost = change.added.map_or(Impact::Low, impact_by_cost);
    let said = |answer, detail: String| Decision {
        check: format!("Does the rule's approval ({}) let it through?", rule.approval.kind),
        answer: Some(answer),
        detail: format!("{detail}; by cost alone its impact is {by_cost}"),
    };
    match (rule.approval.kind, rule.approval.below_gb, change.after_gb) {
        (ApprovalKind::Auto, _, _) => (by_cost, said(true, "nobody is asked by the rule".to_owned())),
        (ApprovalKind::AutoBelow, Some(limit), Some(after)) if after < limit => {
            (by_cost, said(true, format!("{after:.0} GB after the change, below {limit:.0} GB")))
        }
        (ApprovalKind::AutoBelow, Some(limit), Some(after)) => (
            by_cost.max(Impact::Medium),
            said(false, format!("{after:.0} GB after the change, not below {limit:.0} GB")),
        ),
        (ApprovalKind::AutoBelow, _, _) => {
            (by_cost.max(Impact::Medium), said(false, "the size after the change is not known".to_owned()))
        }
        (ApprovalKind::Required, _, _) => (by_cost.max(Impact::Medium), said(false, "somebody is asked".to_owned())),
    }
}

fn change(rule: &Rule, resource: &Resource, found: &Prediction, catalogue: &Catalogue) -> Change {
    let name = &resource.name;
    let when = found.expected_at.map_or_else(|| "it".to_owned(), |at| at.strftime("%H:%M UTC").to_string());
    match rule.response.kind {
        ResponseKind::ExpandStorage => expand(rule, resource, catalogue),
        ResponseKind::ScaleUp | ResponseKind::PreScale => scale(rule, resource, found, catalogue),
        ResponseKind::CreateReadReplica => Change {
            added: resource.monthly_cost,
            ..Change::advice(format!("Create a read replica of {name}"), Effort::High)
        },
        ResponseKind::RequestLimitIncrease => {
            let limit = found.limit.map_or_else(String::new, |limit| {
                format!(" from {limit:.0} to {:.0}", limit * (1.0 + rule.response.step_percent / 100.0))
            });
            let words = format!("Ask the provider for a higher limit of {name}{limit}");
            Change { added: Some(Money::ZERO), ..Change::advice(words, Effort::Low) }
        }
        ResponseKind::WarmCache => {
            let words = format!("Warm the caches of {name} before {when}");
            Change { added: Some(Money::ZERO), ..Change::advice(words, Effort::Low) }
        }
        ResponseKind::PrepareFailover => {
            let standby = match (resource.kind, resource.specification.multi_az) {
                (ResourceKind::Database, Some(true)) => "check that its standby is in step",
                (ResourceKind::Database, _) => "it has no standby in another zone: make one, or plan the outage",
                _ => "check that another zone can take its traffic",
            };
            let words = format!("Prepare the failover of {name} before {when}: {standby}");
            Change { added: Some(Money::ZERO), ..Change::advice(words, Effort::Medium) }
        }
    }
}

fn expand(rule: &Rule, resource: &Resource, catalogue: &Catalogue) -> Change {
    let Some(now) = resource.specification.storage_gib.filter(|gib| *gib > 0.0) else {
        return Change::advice(format!("Expand the storage of {}", resource.name), Effort::Low);
    };
    let after = (now * (1.0 + rule.response.step_percent / 100.0)).ceil();
    let mut larger = resource.clone();
    larger.specification.storage_gib = Some(after);
    Change {
        words: format!("Expand the storage of {} from {now:.0} to {after:.0} GiB", resource.name),
        target: None,
        plan: None,
        added: added(catalogue, resource, &larger),
        after_gb: Some(after * GIB / GB),
        effort: Effort::Low,
    }
}

/// A larger size of the same family for what is resized one by one; a number to scale by for what is not.
fn scale(rule: &Rule, resource: &Resource, found: &Prediction, catalogue: &Catalogue) -> Change {
    let name = &resource.name;
    let size = resource.specification.instance_type.as_deref();
    let alone =
        matches!(resource.kind, ResourceKind::VirtualMachine | ResourceKind::Database) && resource.group.is_none();
    let fits = |architectures: &[String]| {
        let own = resource.specification.architecture.as_deref();
        own.is_none_or(|own| architectures.iter().any(|one| one == own))
    };
    let larger = size.filter(|_| alone && resource.kind == ResourceKind::VirtualMachine).and_then(|size| {
        let now = catalogue.instance(resource.provider, size)?;
        let all = catalogue.larger_in_family(resource.provider, size);
        all.into_iter().find(|spec| spec.vcpu >= now.vcpu && spec.gpus == now.gpus && fits(&spec.architectures))
    });
    let (Some(size), Some(larger)) = (size, larger) else {
        let peak = found.forecast.iter().map(|step| step.p95).fold(f64::NAN, f64::max);
        let factor = found.value.filter(|now| *now > 0.0).map(|now| peak / now).filter(|f| f.is_finite() && *f > 1.0);
        let by = factor
            .map_or_else(|| format!("{:.0} %", rule.response.step_percent), |f| format!("{:.0} %", (f - 1.0) * 100.0));
        return Change::advice(format!("Give {name} {by} more capacity"), Effort::Medium);
    };
    let mut after = resource.clone();
    after.specification.instance_type = Some(larger.name.clone());
    Change {
        words: format!("Resize {name} from {size} to {}", larger.name),
        target: Some(larger.name.clone()),
        plan: Some(cost::resize(resource, size, &larger.name)),
        added: added(catalogue, resource, &after),
        after_gb: None,
        effort: Effort::Medium,
    }
}

/// What the change adds a month at list price.
fn added(catalogue: &Catalogue, now: &Resource, after: &Resource) -> Option<Money> {
    Some(catalogue.monthly_cost(after)?.cost - catalogue.monthly_cost(now)?.cost)
}
