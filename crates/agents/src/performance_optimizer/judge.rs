//! The judgement of one resource: which rules ask about it, and what all of them refuse.

use reeve_estate::ResourceKind;
use reeve_recommend::guardrail::ownership::is_opted_out;
use reeve_recommend::judgement::proposal::Abstention;
use reeve_recommend::judgement::service_load::ServiceLoad;
use reeve_recommend::judgement::{Facts, Judgement};

use super::demand::{PerformanceDemand, admit};
use super::objective::ServiceBudgets;
use super::settings::Thresholds;
use super::trial::MemberTrial;
use super::{ahead, cache, caching, demand, objective, shrink, work};

/// Judges a scaling group, load balancer, database, cache, distribution, machine or queue.
pub(super) fn judge(facts: &Facts<'_>) -> Judgement {
    let mut judgement = Judgement::default();
    if is_opted_out(facts.resource) {
        judgement.abstentions.push(Abstention::opted_out());
        return judgement;
    }

    let settings = Thresholds::from(facts.settings);
    let service = facts.get::<ServiceLoad>();
    match facts.resource.kind {
        ResourceKind::ScalingGroup => group(facts, &settings, service, &mut judgement),
        ResourceKind::LoadBalancer if settings.types => {
            let nothing = ServiceLoad::default();
            judgement.take(work::judge(facts, &settings, service.unwrap_or(&nothing)));
        }
        ResourceKind::LoadBalancer => {
            judgement.take(Err(switched_off(
                work::KIND,
                "optimize_instance_types.enabled",
            )));
        }
        ResourceKind::Database if settings.caching => {
            judgement.take(caching::judge(facts, &settings));
        }
        ResourceKind::CacheNode | ResourceKind::Distribution if settings.caching => {
            judgement.take(cache::judge(facts, &settings));
        }
        ResourceKind::Database | ResourceKind::CacheNode | ResourceKind::Distribution => {
            judgement.take(Err(switched_off(caching::KIND, "caching_strategy.enabled")));
        }
        _ => {}
    }

    for outcome in objective::judge(facts, &settings, service) {
        judgement.take(outcome);
    }
    judgement
}

/// Judges whether a group needs members soon, and whether it has too many.
fn group(
    facts: &Facts<'_>,
    settings: &Thresholds,
    service: Option<&ServiceLoad>,
    judgement: &mut Judgement,
) {
    let nothing = ServiceLoad::default();
    let service = service.unwrap_or(&nothing);
    if !settings.predictive && !settings.scale_down {
        judgement.take(Err(switched_off(
            demand::KIND,
            "predictive_scaling.enabled",
        )));
        return;
    }

    let measured = admit(facts).and_then(|()| PerformanceDemand::measure(facts, service, settings));
    let demand = match measured {
        Ok(demand) => demand,
        Err(abstention) => {
            judgement.abstentions.push(abstention);
            return;
        }
    };
    if demand.days < settings.least_days {
        let detail = format!(
            "learning, {} of {} days: its own rule alone scales it",
            demand.days, settings.least_days
        );
        let learning = Abstention::unjudged(demand::KIND, "learning", detail);
        judgement.abstentions.push(learning);
        return;
    }

    let least = facts
        .resource
        .specification
        .capacity
        .map_or(1, |now| now.min);
    let trial = MemberTrial::run(
        &demand,
        demand.policy(least, settings),
        settings.reactive_target / 100.0,
    );

    let budgets = ServiceBudgets::of_group(facts, service);
    let about = |aspect: &'static str| move |abstention: Abstention| abstention.with_aspect(aspect);
    judgement.take(
        if settings.predictive {
            ahead::judge(facts, settings, service, &demand, (&trial, &budgets))
        } else {
            Err(switched_off(demand::KIND, "predictive_scaling.enabled"))
        }
        .map_err(about(ahead::ASPECT)),
    );
    judgement.take(
        if settings.scale_down {
            shrink::judge(facts, settings, service, &demand, (&trial, &budgets))
        } else {
            Err(switched_off(
                demand::KIND,
                "scale_down_intelligently.enabled",
            ))
        }
        .map_err(about(shrink::ASPECT)),
    );
}

fn switched_off(
    kind: reeve_recommend::recommendation::RecommendationType,
    setting: &str,
) -> Abstention {
    Abstention::decided(
        kind,
        "switched_off",
        format!("the setting {setting} is off"),
    )
}
