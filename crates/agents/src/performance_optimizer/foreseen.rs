//! Answers to predictive rules whose action belongs to performance: more capacity before it is
//! needed, and warm caches.

use reeve_estate::{Money, PriceCatalogue, Provider, Resource, ResourceKind};
use reeve_recommend::observation::{AnswerTerms, ForeseenCondition, ObservationAnswer};
use reeve_recommend::plan::procedure;
use reeve_recommend::plan::relief;
use reeve_recommend::plan::relief::{Relief, Shortage};
use reeve_recommend::predictive::{Prediction, PredictiveRule, ProviderCall, ResponseKind, Signal};
use reeve_recommend::recommendation::Effort;
use reeve_recommend::recommendation::title::title;

use super::{MOST_TIMES, enlarged};
use crate::predictive_answer::{answer, when};

/// Returns the change that answers a rule; `None` for actions of other agent types.
pub(super) fn respond(
    foreseen: &ForeseenCondition<'_>,
    terms: AnswerTerms<'_>,
) -> Option<ObservationAnswer> {
    let (rule, found, target) = (foreseen.rule, foreseen.prediction, foreseen.target);
    let relief = match rule.response.kind {
        ResponseKind::PreScale if target.kind == ResourceKind::ScalingGroup => {
            relief::more_members(
                target,
                |desired| members(rule, desired, found),
                found.at,
                found.over_at,
                terms.catalogue,
            )
        }
        ResponseKind::ScaleUp | ResponseKind::PreScale => {
            scale(rule, target, found, terms.catalogue)
        }
        ResponseKind::WarmCache => warm_cache(rule, target, found, &when(found)),
        _ => return None,
    };
    Some(answer(foreseen, relief, terms))
}

/// Returns the number of members that a peak needs: in proportion to the present or usual demand,
/// whichever is higher, and at most twice as many as now.
fn members(rule: &PredictiveRule, desired: u32, found: &Prediction) -> u32 {
    let usual = found
        .limit
        .zip(rule.condition.value)
        .map(|(level, above)| level / (1.0 + above / 100.0));
    let now = found
        .value
        .into_iter()
        .chain(usual)
        .fold(f64::NAN, f64::max);

    let times = found
        .peak
        .map(|peak| peak / now)
        .filter(|times| times.is_finite() && *times > 1.0);
    let times = times
        .unwrap_or(1.0 + rule.response.step_percent / 100.0)
        .min(MOST_TIMES);
    enlarged(desired, times)
}

/// A larger size of the same family for machines that are resized one by one; a number to scale by
/// for everything else.
fn scale(
    rule: &PredictiveRule,
    resource: &Resource,
    found: &Prediction,
    catalogue: &PriceCatalogue,
) -> Relief {
    let name = &resource.name;
    let short = match found.signal {
        Some(Signal::MemoryUtilization) => Shortage::Memory,
        _ => Shortage::Processors,
    };
    let why = match resource.kind {
        ResourceKind::LoadBalancer => "the machines behind it do not belong to one scaling group",
        ResourceKind::Database => {
            "a larger class restarts it: decide manually whether that is worth it"
        }
        _ => match relief::larger_size(resource, short, catalogue) {
            Ok(relief) => return relief,
            Err(why) => why,
        },
    };

    let peak = found
        .forecast
        .iter()
        .map(|step| step.p95)
        .fold(f64::NAN, f64::max);

    let factor = found
        .value
        .filter(|now| *now > 0.0)
        .map(|now| peak / now)
        .filter(|f| f.is_finite() && *f > 1.0);

    let by = factor.map_or_else(
        || format!("{:.0} %", rule.response.step_percent),
        |f| format!("{:.0} %", (f - 1.0) * 100.0),
    );
    let share = factor.map_or(rule.response.step_percent / 100.0, |factor| factor - 1.0);

    // What serves by itself costs in proportion to its capacity; a balancer's own price says
    // nothing of the machines behind it.
    let own = matches!(
        resource.kind,
        ResourceKind::VirtualMachine | ResourceKind::Database
    );
    let cost = resource.monthly_cost.filter(|_| own);
    let added = cost.map(|cost| Money::from_usd(cost.usd() * share));

    Relief {
        added,
        ..Relief::advice(
            title("Give ", name, &format!(" {by} more capacity")),
            Effort::Medium,
            why,
        )
    }
}

/// A document of the user's, where the rule names one and the caches are on machines.
fn warm_cache(
    rule: &PredictiveRule,
    resource: &Resource,
    found: &Prediction,
    when: &str,
) -> Relief {
    let before = format!(" before {when}");
    let title = title("Warm the caches of ", &resource.name, &before);
    let advice = |why: &str| Relief::advice(title.clone(), Effort::Low, why).free();

    let Some(ProviderCall::Document(document)) = &rule.response.call else {
        return advice(
            "the rule names no document that fills the cache: set one in the rule, or warm the cache from the application",
        );
    };
    let members = match resource.kind {
        _ if resource.provider != Provider::Aws => {
            return advice("Reeve runs documents of AWS Systems Manager alone");
        }
        ResourceKind::VirtualMachine => false,
        ResourceKind::ScalingGroup => true,
        ResourceKind::LoadBalancer => {
            return advice("the machines behind it do not belong to one scaling group");
        }
        _ => return advice("documents run on machines alone"),
    };

    // The expected time shifts by minutes from one evaluation to the next; the plan stays the same.
    let occasion = found
        .expected_at
        .unwrap_or(found.at)
        .strftime("%Y-%m-%dT%H")
        .to_string();
    let plan = procedure::run_document(resource, document, members, &occasion);

    Relief::advice(title, Effort::Low, "").free().planned(plan)
}
