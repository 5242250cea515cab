//! Answers to predictive rules whose action belongs to operations: more storage, a higher limit, a
//! failover before a maintenance.

use reeve_estate::{Provider, Resource, ResourceKind};
use reeve_recommend::observation::{AnswerTerms, ForeseenCondition, ObservationAnswer};
use reeve_recommend::plan::procedure;
use reeve_recommend::plan::relief;
use reeve_recommend::plan::relief::Relief;
use reeve_recommend::predictive::{Prediction, PredictiveRule, ProviderCall, ResponseKind};
use reeve_recommend::recommendation::Effort;
use reeve_recommend::recommendation::title::title;

use crate::predictive_answer::{answer, when};

/// Returns the change that answers a rule; `None` for actions of other agent types.
pub(super) fn respond(
    foreseen: &ForeseenCondition<'_>,
    terms: AnswerTerms<'_>,
) -> Option<ObservationAnswer> {
    let (rule, found, target) = (foreseen.rule, foreseen.prediction, foreseen.target);
    let relief = match rule.response.kind {
        ResponseKind::ExpandStorage => {
            relief::more_storage(target, rule.response.step_percent, terms.catalogue)
        }
        ResponseKind::RequestLimitIncrease => higher_limit(rule, target, found),
        ResponseKind::PrepareFailover => fail_over(target, found, &when(found)),
        _ => return None,
    };
    Some(answer(foreseen, relief, terms))
}

/// A request at the provider where the rule names the quota that the limit is.
fn higher_limit(rule: &PredictiveRule, resource: &Resource, found: &Prediction) -> Relief {
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
            let plan = procedure::request_quota(resource, service, code, from, to);
            let note = "AWS decides on the request, in minutes or days, and takes no request back";
            let mut relief = Relief::advice(title, Effort::Low, "").free().planned(plan);
            relief.notes.push(note.to_owned());
            relief
        }
        None => advice("the present limit is not known as a whole number"),
    }
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
        .planned(procedure::fail_over(resource, from, to));
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

/// Returns `true` if a word of an event's summary is the zone's name. People write the summary;
/// `eu-west-1a` is not named by `eu-west-1ab` or by the region `eu-west-1`.
fn names_zone(summary: &str, zone: &str) -> bool {
    summary
        .split(|c: char| !c.is_ascii_alphanumeric() && c != '-')
        .any(|word| word.eq_ignore_ascii_case(zone))
}
