//! Hypotheses: each possible cause with its evidence, from what an investigation found. Pure.

use reeve_estate::{Attribute, Metric};
use reeve_recommend::words::minute;

use super::super::cause::{self, Around};
use super::super::investigation::{
    Hypothesis, HypothesisKind, InvestigationEvidence, InvestigationLink, Support,
};
use super::super::likely_cause::CHANGE_BY_REEVE;
use super::super::record::{Anomaly, AnomalyClass, Indication};
use super::super::words;
use super::companions::Companion;

/// Share of the excess that one resource must make for it to be the cause.
const MOST_OF_IT: f64 = 0.5;
/// Share of the present cost up to which the cost before was nothing.
const NOTHING: f64 = 0.02;
/// Metrics that carry the work of a resource, the clearest first.
const WORK: [Metric; 4] = [
    Metric::RequestRate,
    Metric::DatabaseConnections,
    Metric::NetworkIn,
    Metric::DiskReadOps,
];

/// Facts that hypotheses follow from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HypothesisContext<'a> {
    pub(crate) around: Around<'a>,
    pub(crate) companions: &'a [Companion],
}

/// Returns the hypotheses, the best supported first.
pub(crate) fn hypotheses(of: &Anomaly, context: &HypothesisContext<'_>) -> Vec<Hypothesis> {
    let mut found = changes(of, &context.around);
    found.extend(spending(of));
    found.extend(behavior(of));
    found.extend(shared(of, &context.around));
    found.extend(demand(of, context.companions));
    found.extend(same_resource(of, &context.around));
    found.sort_by_key(|one| one.support);
    found
}

/// The last change of the resource is the likeliest, whoever made it; tags seldom have an effect.
fn changes(of: &Anomaly, around: &Around<'_>) -> Vec<Hypothesis> {
    let own = cause::by_reeve(of, around.actions);
    let (tags, seen): (Vec<_>, Vec<_>) = cause::seen_shortly(of, around)
        .into_iter()
        .partition(|change| change.attribute == Attribute::Tags);
    let last = seen.iter().map(|change| change.seen_at).max();
    let own_is_last =
        own.is_some_and(|action| last.is_none_or(|seen| seen <= cause::ended(action)));
    let place = || InvestigationLink::Resource(of.place.id.clone());
    let mut found = Vec::new();

    if let Some(action) = own {
        let text = format!(
            "action {} ended at {}",
            action.id.0,
            minute(cause::ended(action))
        );
        found.push(Hypothesis {
            kind: HypothesisKind::ChangeByReeve,
            support: if own_is_last {
                Support::Strong
            } else {
                Support::Moderate
            },
            statement: CHANGE_BY_REEVE.to_owned(),
            evidence: vec![InvestigationEvidence::new(
                text,
                InvestigationLink::Action(action.id.clone()),
            )],
        });
    }

    let mut of_changes = |kind, support, changes: &[&reeve_estate::ResourceChange]| {
        if changes.is_empty() {
            return;
        }
        let evidence = changes
            .iter()
            .map(|change| InvestigationEvidence::new(cause::changed(&[change]), place()))
            .collect();
        found.push(Hypothesis {
            kind,
            support,
            statement: cause::changed(changes),
            evidence,
        });
    };

    let support = if own_is_last {
        Support::Moderate
    } else {
        Support::Strong
    };

    let newest: Vec<_> = seen
        .iter()
        .filter(|change| Some(change.seen_at) == last)
        .copied()
        .collect();

    let earlier: Vec<_> = seen
        .iter()
        .filter(|change| Some(change.seen_at) != last)
        .copied()
        .collect();
    of_changes(HypothesisKind::ChangeByOthers, support, &newest);
    of_changes(HypothesisKind::ChangeByOthers, Support::Moderate, &earlier);
    of_changes(HypothesisKind::ChangedTags, Support::Weak, &tags);

    found
}

/// Resources of a bill that make most of the excess.
fn spending(of: &Anomaly) -> Vec<Hypothesis> {
    let excess: f64 = of
        .contributions
        .iter()
        .map(|part| (part.observed - part.expected).max(0.0))
        .sum();

    let parts = of
        .contributions
        .iter()
        .filter(|part| part.observed > part.expected);
    parts
        .map(|part| {
            let is_new = part.expected <= NOTHING * part.observed;
            let most = part.observed - part.expected >= MOST_OF_IT * excess;
            let kind = if is_new {
                HypothesisKind::NewResource
            } else {
                HypothesisKind::CostlierResource
            };
            let verb = if is_new {
                "costs where it cost nothing"
            } else {
                "costs more than before"
            };
            let link = (!part.resource.is_empty())
                .then(|| InvestigationLink::Resource(part.resource.clone()));
            Hypothesis {
                kind,
                support: if most {
                    Support::Strong
                } else {
                    Support::Moderate
                },
                statement: format!("{} {verb}: {}", part.name(), part.amounts()),
                evidence: vec![InvestigationEvidence::new(part.words(), link)],
            }
        })
        .collect()
}

/// Evidence that raised a security anomaly.
fn behavior(of: &Anomaly) -> Option<Hypothesis> {
    let reading = of
        .readings
        .first()
        .filter(|_| of.class == AnomalyClass::Security)?;
    let listed = reading.indication == Indication::ThreatList;
    let (kind, support) = if listed {
        (HypothesisKind::ThreatList, Support::Strong)
    } else {
        (HypothesisKind::UnusualBehavior, Support::Moderate)
    };

    let statement = if listed {
        "the caller is on a threat list".to_owned()
    } else {
        cause::behavior_statement(of).unwrap_or_default()
    };

    let evidence = of
        .evidence
        .iter()
        .map(|text| InvestigationEvidence::new(text.clone(), None))
        .collect();

    Some(Hypothesis {
        kind,
        support,
        statement,
        evidence,
    })
}

fn shared(of: &Anomaly, around: &Around<'_>) -> Option<Hypothesis> {
    let with = cause::together(of, around.others);
    let (shared, count) = cause::shared(&of.place, &with)?;
    let evidence = with
        .iter()
        .filter(|other| other.place.id != of.place.id)
        .map(|other| {
            InvestigationEvidence::new(
                other.title.clone(),
                InvestigationLink::Anomaly(other.id.clone()),
            )
        })
        .collect();

    Some(Hypothesis {
        kind: HypothesisKind::SharedCause,
        support: Support::Moderate,
        statement: cause::shared_statement(&shared, count),
        evidence,
    })
}

/// More work than usual explains a busier resource.
fn demand(of: &Anomaly, companions: &[Companion]) -> Option<Hypothesis> {
    let reading = of.readings.first()?;
    let metric = reading
        .metric
        .filter(|_| reading.value > reading.expected)?;
    let carriers: Vec<&Companion> = WORK
        .iter()
        .filter(|work| **work != metric)
        .filter_map(|work| {
            companions
                .iter()
                .find(|one| one.metric == *work && one.is_higher())
        })
        .collect();
    let first = carriers.first()?;

    let clear = matches!(
        first.metric,
        Metric::RequestRate | Metric::DatabaseConnections
    );
    Some(Hypothesis {
        kind: HypothesisKind::HigherDemand,
        support: if clear {
            Support::Strong
        } else {
            Support::Moderate
        },
        statement: format!(
            "more work arrived: {} rose with it",
            words::name(first.metric).to_lowercase()
        ),
        evidence: carriers.iter().map(|one| one.evidence()).collect(),
    })
}

fn same_resource(of: &Anomaly, around: &Around<'_>) -> Option<Hypothesis> {
    let same: Vec<_> = cause::together(of, around.others)
        .into_iter()
        .filter(|o| o.place.id == of.place.id)
        .collect();
    (!same.is_empty()).then(|| Hypothesis {
        kind: HypothesisKind::SameResource,
        support: Support::Weak,
        statement: "another anomaly of the same resource, with one cause".to_owned(),
        evidence: same
            .iter()
            .map(|o| {
                InvestigationEvidence::new(
                    o.title.clone(),
                    InvestigationLink::Anomaly(o.id.clone()),
                )
            })
            .collect(),
    })
}
