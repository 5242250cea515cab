//! Change by which a rule responds for one resource: a plan if the cloud has a call for it that
//! Reeve can apply and check, else advice with the reason.

use reeve_estate::{Catalogue, Money, Provider, Resource, ResourceKind};
use reeve_recommend::plan::relief;
use reeve_recommend::plan::relief::{Relief, Shortage};
use reeve_recommend::recommendation::Effort;
use reeve_recommend::recommendation::title::title;

use super::plans;
use super::prediction::Prediction;
use super::related::ResponseTarget;
use super::rule::{ProviderCall, ResponseKind, Rule};
use super::signal::Signal;

/// A group is scaled to at most so many times its members before a peak; its own policies do the
/// rest.
const MOST_TIMES: f64 = 2.0;

/// The response of a rule.
pub(super) fn change(
    rule: &Rule,
    on: &ResponseTarget<'_>,
    found: &Prediction,
    catalogue: &Catalogue,
) -> Relief {
    let resource = on.resource;
    let when = found.expected_at.map_or_else(
        || "it".to_owned(),
        |at| at.strftime("%H:%M UTC").to_string(),
    );

    match rule.response.kind {
        ResponseKind::ExpandStorage => {
            relief::more_storage(resource, rule.response.step_percent, catalogue)
        }
        ResponseKind::PreScale if resource.kind == ResourceKind::ScalingGroup => {
            relief::more_members(
                resource,
                |desired| members(rule, desired, found),
                found.at,
                found.over_at,
                catalogue,
            )
        }
        ResponseKind::ScaleUp | ResponseKind::PreScale => scale(rule, resource, found, catalogue),
        ResponseKind::CreateReadReplica => relief::read_replica(resource),
        ResponseKind::RequestLimitIncrease => higher_limit(rule, resource, found),
        ResponseKind::WarmCache => warm_cache(rule, resource, found, &when),
        ResponseKind::PrepareFailover => fail_over(resource, found, &when),
    }
}

/// A request at the provider where the rule names the quota that the limit is.
fn higher_limit(rule: &Rule, resource: &Resource, found: &Prediction) -> Relief {
    let raised = |limit: f64| (limit * (1.0 + rule.response.step_percent / 100.0)).ceil();
    let amounts = found.limit.map_or_else(String::new, |limit| {
        format!(" from {limit:.0} to {:.0}", raised(limit))
    });
    let title = title("Request a higher limit of ", &resource.name, &amounts);
    let advice = |why: &str| Relief::advice(title.clone(), Effort::Low, why).free();

    let Some(ProviderCall::Quota { service, code }) = &rule.response.call else {
        return advice(
            "the rule does not name the quota: set it in the rule, or request the increase in the provider's console",
        );
    };
    if resource.provider != Provider::Aws {
        return advice("Reeve requests quotas at AWS alone: use the provider's console");
    }

    let whole = |value: f64| (1.0..=1e9).contains(&value).then_some(value as u32);
    match found
        .limit
        .and_then(|limit| whole(limit.round()).zip(whole(raised(limit))))
    {
        Some((from, to)) => {
            let plan = plans::request_quota(resource, service, code, from, to);
            let note = "AWS decides on the request, in minutes or days, and takes no request back";
            let mut relief = Relief::advice(title, Effort::Low, "").free().planned(plan);
            relief.notes.push(note.to_owned());
            relief
        }
        None => advice("the present limit is not known as a whole number"),
    }
}

/// A document of the user's, where the rule names one and the caches are on machines.
fn warm_cache(rule: &Rule, resource: &Resource, found: &Prediction, when: &str) -> Relief {
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
    let plan = plans::run_document(resource, document, members, &occasion);

    Relief::advice(title, Effort::Low, "").free().planned(plan)
}

/// Returns the number of members that a peak needs: in proportion to the present or usual demand,
/// whichever is higher, and at most twice as many as now.
fn members(rule: &Rule, desired: u32, found: &Prediction) -> u32 {
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
    ((f64::from(desired) * times).ceil() as u32).max(desired.saturating_add(1))
}

/// The standby takes over before a maintenance, where it is known which zone the primary leaves and
/// which it goes to.
fn fail_over(resource: &Resource, found: &Prediction, when: &str) -> Relief {
    let name = &resource.name;
    let spec = &resource.specification;
    let advice = |standby: &str, why: &str| {
        let words = format!("Prepare the failover of {name} before {when}: {standby}");
        Relief {
            words,
            ..Relief::advice(
                title("Prepare the failover of ", name, ""),
                Effort::Medium,
                why,
            )
            .free()
        }
    };

    let (from, to) = match (resource.kind, spec.multi_az, &spec.zone, &spec.standby_zone) {
        (ResourceKind::Database, Some(true), Some(from), Some(to)) => (from, to),
        (ResourceKind::Database, Some(true), ..) => {
            return advice(
                "check that its standby is in step",
                "the zones of its primary and its standby are not known",
            );
        }
        (ResourceKind::Database, ..) => {
            return advice(
                "it has no standby in another zone: make one, or plan the outage",
                "a standby doubles what it costs, and creating it is a manual step",
            );
        }
        _ => {
            return advice(
                "check that another zone can take its traffic",
                "it has no standby that could take over",
            );
        }
    };

    if found
        .event
        .as_deref()
        .is_some_and(|event| names_zone(event, to))
    {
        let why = "the maintenance is in the standby's own zone: the primary stays where it is";
        return advice(
            "check that it can run without its standby during the maintenance",
            why,
        );
    }

    let words = format!("Let the standby of {name} in {to} take over from {from} before {when}");
    let title = title("Fail over ", name, &format!(" to {to}"));
    let relief = Relief::advice(title, Effort::Medium, "")
        .free()
        .planned(plans::fail_over(resource, from, to));
    let sure = found
        .event
        .as_deref()
        .is_some_and(|event| names_zone(event, from));
    let mut notes =
        vec!["Connections break for a minute or two, at a time that is known".to_owned()];

    if !sure {
        notes.push(format!(
            "The event does not say that the maintenance is in {from}: look before approving"
        ));
    }

    Relief {
        words,
        notes,
        ..relief
    }
}

/// A larger size of the same family for machines that are resized one by one; a number to scale by
/// for everything else.
fn scale(rule: &Rule, resource: &Resource, found: &Prediction, catalogue: &Catalogue) -> Relief {
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

/// Returns `true` if a word of an event's summary is the zone's name. People write the summary;
/// `eu-west-1a` is not named by `eu-west-1ab` or by the region `eu-west-1`.
fn names_zone(summary: &str, zone: &str) -> bool {
    summary
        .split(|c: char| !c.is_ascii_alphanumeric() && c != '-')
        .any(|word| word.eq_ignore_ascii_case(zone))
}
