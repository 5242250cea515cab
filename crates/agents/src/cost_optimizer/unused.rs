//! `identify_idle_resources` for what is removed rather than stopped: addresses that nothing has,
//! NAT gateways without traffic, load balancers without use. No cloud gives them back, so that the
//! impact is medium at least, however little they cost.

mod traffic;

use reeve_estate::{Money, Resource, ResourceKind, ResourceState};
use reeve_learn::calibrate::Daily;
use reeve_learn::{Backtest, DAY_MS, Window};
use reeve_recommend::agent::Impact;
use reeve_recommend::change::{RemoveUnused, Unused};
use reeve_recommend::guardrail::ownership::owned_by_code;
use reeve_recommend::judgement::assessment::{
    Hazards, impact_level, is_production, priority_by_savings, risk,
};
use reeve_recommend::judgement::proposal::{Abstention, Path, Proposal};
use reeve_recommend::judgement::trust::Trust;
use reeve_recommend::plan::Plan;
use reeve_recommend::plan::procedure::{iac_note, subject};
use reeve_recommend::recommendation::title::title;
use reeve_recommend::recommendation::{
    Explanation, FactorKind, Factors, ImpactAssessment, RecommendationType,
};
use reeve_recommend::words::{day, dollars};

use super::Facts;
use super::settings::Thresholds;
use crate::confidence::{Confidence, STATE_CAP, confidence, lasting, signs};
use crate::discounts;
use crate::load::data_points;
use traffic::Traffic;

const KIND: RecommendationType = RecommendationType::IdleResourceCleanup;

/// Evidence that a resource is not used.
struct Disuse {
    /// Reason in words, for the title.
    because: &'static str,
    reason_code: &'static str,
    /// Facts that show it.
    facts: Vec<String>,
    trial: Trial,
    not_measured: Vec<&'static str>,
}

/// Basis of the confidence.
enum Trial {
    /// Past days on which the finding would have held, and how far each was from its limit.
    Days(Backtest, Daily),
    /// A state that has lasted for so many days; no past day can try it.
    Lasting(i64),
}

impl Trial {
    /// Returns the confidence with its words.
    fn confidence(&self) -> (Confidence, String) {
        match self {
            Trial::Days(backtest, margins) => {
                let trust = confidence(*backtest, margins, 0.0, None);
                (trust, trust.words())
            }
            Trial::Lasting(days) => {
                let trust = lasting(*days);
                (
                    trust,
                    trust.words_of_state(&format!("Unattached for {days} days")),
                )
            }
        }
    }
}

/// Judges an address, a NAT gateway or a load balancer.
pub(super) fn judge(facts: &Facts<'_>) -> Result<Proposal, Abstention> {
    let mut path = Path::default();
    let disuse = match facts.resource.kind {
        ResourceKind::IpAddress => unattached(facts, &mut path)?,
        _ => no_traffic(facts, &mut path)?,
    };
    propose(facts, disuse, path)
}

/// Returns `true` if the resource was not used in a window; `None` where that was not measured.
pub(super) fn stayed_unused(facts: &Facts<'_>, window: Window) -> Option<bool> {
    if facts.resource.kind == ResourceKind::IpAddress {
        return Some(facts.resource.state == ResourceState::Unattached);
    }
    Traffic::measure(facts)?.is_none_in(window)
}

/// An address that nothing has. Nothing of it is measured; what is known is when it last had
/// another holder or none.
fn unattached(facts: &Facts<'_>, path: &mut Path) -> Result<Disuse, Abstention> {
    let days = Thresholds::from(facts.settings).idle_days;
    path.ask(
        "Is the address attached to nothing?",
        true,
        "the cloud lists no association",
    );
    let question = format!("Is that so for {days} days?");
    let since = facts.attachment_changed_at.max(facts.resource.created_at);
    let Some(since) = since else {
        path.unanswered(
            question,
            "the cloud does not say since when, and no sync saw it change",
        );
        return Ok(Disuse {
            because: "attached to nothing",
            reason_code: "unattached",
            facts: vec!["The cloud lists no association; since when is not known".to_owned()],
            trial: Trial::Days(Backtest::default(), Vec::new()),
            not_measured: vec!["since_when_unattached"],
        });
    };

    let free_days = (facts.now.as_millisecond() - since.as_millisecond()) / DAY_MS;
    let detail = format!("for {free_days} days at least");
    if !path.ask(question, free_days >= days, detail.clone()) {
        let detail = format!("free for {free_days} days, {days} are needed");
        return Err(Abstention::unjudged(KIND, "too_young", detail));
    }

    Ok(Disuse {
        because: "attached to nothing",
        reason_code: "unattached",
        facts: vec![format!(
            "Attached to nothing since {}, {detail}",
            day(since)
        )],
        trial: Trial::Lasting(free_days),
        not_measured: Vec::new(),
    })
}

/// A gateway or a balancer that nothing went through. What is not reported is not idle.
fn no_traffic(facts: &Facts<'_>, path: &mut Path) -> Result<Disuse, Abstention> {
    let days = Thresholds::from(facts.settings).idle_days;
    let attached = attachments(facts.resource);
    let balancer = facts.resource.kind == ResourceKind::LoadBalancer;
    path.unanswered(
        if balancer {
            "Has it targets?"
        } else {
            "Do routes lead to it?"
        },
        attached.clone(),
    );

    let traffic = Traffic::measure(facts).ok_or_else(|| {
        let detail = format!(
            "{} was not measured, and that is not idle",
            Traffic::noun(facts.resource.kind)
        );
        Abstention::unjudged(KIND, "not_measured", detail)
    })?;

    let found = traffic.over(
        Window::ending(facts.now.as_millisecond(), days * DAY_MS),
        days,
    );
    let found = found.ok_or_else(|| {
        let detail = format!(
            "{} was not measured in the last {days} days",
            Traffic::noun(facts.resource.kind)
        );
        Abstention::unjudged(KIND, "not_measured", detail)
    })?;

    if !path.ask(
        format!("Was it measured for {days} days?"),
        found.is_covered,
        found.measured.clone(),
    ) {
        return Err(Abstention::unjudged(KIND, "thin_data", found.measured));
    }

    if !path.ask(
        format!("Did nothing go through it for {days} days?"),
        found.is_none,
        found.words.clone(),
    ) {
        return Err(Abstention::decided(KIND, "in_use", found.words));
    }

    let history = Window::ending(
        facts.now.as_millisecond(),
        Thresholds::from(facts.settings).history_days * DAY_MS,
    );
    Ok(Disuse {
        because: "nothing goes through it",
        reason_code: if facts.resource.attached_to.is_empty() {
            "nothing_behind_it"
        } else {
            "no_traffic"
        },
        facts: vec![found.words, attached],
        trial: Trial::Days(traffic.backtest(history, days), traffic.margins(history)),
        not_measured: Vec::new(),
    })
}

/// Route tables that lead to a gateway, or targets behind a balancer, in words.
fn attachments(resource: &Resource) -> String {
    let names: Vec<&str> = resource.attached_to.iter().map(|id| id.as_str()).collect();
    match (
        resource.kind == ResourceKind::LoadBalancer,
        names.is_empty(),
    ) {
        (true, true) => "It has no targets".to_owned(),
        (true, false) => format!("Its targets are {}", names.join(", ")),
        (false, true) => "No route table leads to it".to_owned(),
        (false, false) => format!(
            "Route tables that lead to it: {}; their routes then end nowhere",
            names.join(", ")
        ),
    }
}

/// Cost of the resource a month.
struct Cost {
    /// By its bill, else at list price; `None` without either.
    monthly: Option<Money>,
    is_billed: bool,
    words: String,
}

impl Cost {
    fn new(facts: &Facts<'_>) -> Cost {
        let listed = facts
            .catalogue
            .monthly_cost(facts.resource)
            .map(|month| month.cost);
        let billed = discounts::billed_monthly(facts.charges, |_| true);
        let words = match (listed, billed) {
            (Some(cost), _) => format!("{} a month at list price, without traffic", dollars(cost)),
            (None, Some(cost)) => format!("{} a month by its bill", dollars(cost)),
            (None, None) => {
                format!(
                    "no price is known for {} in {}, so no saving is claimed",
                    facts.resource.kind, facts.resource.region
                )
            }
        };

        Cost {
            monthly: listed.or(billed),
            is_billed: listed.is_none() && billed.is_some(),
            words,
        }
    }
}

fn propose(facts: &Facts<'_>, disuse: Disuse, path: Path) -> Result<Proposal, Abstention> {
    let resource = facts.resource;
    let change = RemoveUnused::from_resource(resource).ok_or_else(|| {
        Abstention::decided(
            KIND,
            "kind_not_covered",
            "Reeve does not remove this kind of resource",
        )
    })?;

    let cost = Cost::new(facts);
    let (trust, trust_words) = disuse.trial.confidence();
    let (margins, cap) = match disuse.trial {
        Trial::Days(_, margins) => (margins, None),
        Trial::Lasting(_) => (Vec::new(), Some(STATE_CAP)),
    };
    let unknown = if disuse.not_measured.is_empty() {
        0.0
    } else {
        1.0
    };
    let signs = signs(facts, margins, trust.backtest.windows, unknown);

    let iac = owned_by_code(resource);
    let hazards = Hazards {
        iac: iac.is_some(),
        unpriced: cost.monthly.is_none(),
        idle: true,
        ..Hazards::default()
    };

    let monthly_cost = resource.monthly_cost.or(cost.monthly);
    let lost = change.unused.lost();
    let mut not_measured: Vec<String> =
        disuse.not_measured.into_iter().map(str::to_owned).collect();
    not_measured.extend(cost.monthly.is_none().then(|| "price".to_owned()));
    let mut factors = Factors::from([
        (FactorKind::Price, cost.words.clone()),
        (
            FactorKind::Consequence,
            format!("It cannot be undone: {lost}"),
        ),
        (FactorKind::Confidence, trust_words),
    ]);

    factors.extend(
        disuse
            .facts
            .into_iter()
            .map(|fact| (FactorKind::Measured, fact)),
    );

    let verb = if change.unused == Unused::Address {
        "Release"
    } else {
        "Delete"
    };

    let mut proposal = Proposal::new(
        KIND,
        "identify_idle_resources",
        title(
            &format!("{verb} "),
            &resource.name,
            &format!(": {}", disuse.because),
        ),
        subject(resource, None),
        impact(resource, change.unused, &cost),
        Explanation::new(
            format!("{verb} {} ({})", resource.name, resource.id),
            risk(resource, hazards).max(Impact::Medium),
        )
        .with_factors(factors)
        .with_data_points(data_points(facts, super::METRICS))
        .with_confidence_range(cap.is_none().then_some(trust.range))
        .with_cost_reduction(cost.words)
        .with_performance_impact("none: nothing uses it".to_owned())
        .with_decision_path(path.into_decisions()),
    )
    .with_priority(priority_by_savings(cost.monthly))
    .with_confidence(trust.percent, Trust::new(trust.raw, cap, &signs))
    // Nobody can take it back: the default approval matrix wants a signature from medium impact
    // on.
    .with_impact_level(
        impact_level(
            &facts.guardrails.approval_matrix,
            resource,
            cost.monthly,
            monthly_cost,
            hazards,
        )
        .max(Impact::Medium),
    )
    .with_savings(cost.monthly)
    .with_monthly_cost(monthly_cost)
    .with_plan(Plan::new(&change, resource.id.as_str()))
    .with_reason_codes(vec![
        disuse.reason_code.to_owned(),
        "cannot_be_undone".to_owned(),
    ])
    .with_not_measured(not_measured);

    if let Some(tag) = iac {
        iac_note(&mut proposal, &tag);
    }

    if cost.is_billed {
        proposal.savings_after_discounts = cost.monthly;
    } else {
        discounts::apply(facts, cost.monthly, &mut proposal);
    }

    Ok(proposal)
}

fn impact(resource: &Resource, unused: Unused, cost: &Cost) -> ImpactAssessment {
    let allowed = "programs and firewalls elsewhere that name it have to be changed";
    let security = match unused {
        Unused::Address if is_production(resource) => {
            format!("{allowed}: anyone may get the address next")
        }
        Unused::Address => {
            "anyone may get the address next; records in the DNS that name it have to go first"
                .to_owned()
        }
        Unused::Gateway => "one way out of the network less".to_owned(),
        Unused::Balancer => "one address less that can be reached".to_owned(),
    };

    ImpactAssessment {
        cost_percent: cost.monthly.map(|_| -100.0),
        cost: cost.words.clone(),
        performance_degradation_percent: Some(0.0),
        performance: "none: nothing uses it".to_owned(),
        security,
    }
}
