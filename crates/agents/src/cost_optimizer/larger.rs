//! The size that brings more of what a throttled machine is short of: of every family that boots
//! its images, the cheapest whose own figures show the gain. Where no price is known it is the next
//! of its family that does.

use reeve_audit::Obstacle;
use reeve_estate::InstanceSpec;
use reeve_recommend::words::percent;

use super::burstable::baseline_percent;
use super::evidence::CostEvidence;
use super::fit::fit;
use super::price::PriceStep;

/// The measured work may take this share of what the larger size sustains, percent: demand beyond
/// 100 % was not measured.
const USE_BOUND: f64 = 70.0;
/// A machine held at its baseline gets so many times as much: its full demand was not measured
/// either.
const STARVED_FACTOR: f64 = 2.0;

/// The code of a proposal whose size is of another family.
pub(super) const OTHER_FAMILY: &str = "other_family";

/// A warning that goes with a size of another family.
pub(super) fn other_family(from: &InstanceSpec, to: &InstanceSpec) -> String {
    format!(
        "{} is of another family than {}: try the image on it first, its drivers for disks and network may differ",
        to.name, from.name
    )
}

/// The shortage of a machine.
#[derive(Debug, Clone, Copy)]
pub(super) enum Short {
    /// Of processors: percent of all of them that its work takes.
    Processors(f64),
    /// Of credits: it is held at its baseline.
    Credits,
}

/// A size that helps.
pub(super) struct Larger {
    pub(super) spec: InstanceSpec,
    pub(super) name: String,
    pub(super) price: Option<PriceStep>,
}

/// vCPUs that a size sustains: a burstable one its baseline alone. `None` where the baseline is not
/// known.
pub(super) fn sustained(spec: &InstanceSpec) -> Option<f64> {
    let percent = if spec.burstable {
        baseline_percent(spec)?
    } else {
        100.0
    };
    Some(f64::from(spec.vcpu) * percent / 100.0)
}

impl Short {
    /// Returns `true` if a size has enough of what is short.
    fn is_met(self, from: &InstanceSpec, to: &InstanceSpec) -> bool {
        let Some(has) = sustained(to) else {
            return false;
        };
        match self {
            Short::Processors(used) => {
                let work = f64::from(from.vcpu) * used / 100.0;
                to.vcpu > from.vcpu && work <= has * USE_BOUND / 100.0
            }
            Short::Credits => {
                to.vcpu >= from.vcpu
                    && sustained(from).is_some_and(|had| has >= had * STARVED_FACTOR)
            }
        }
    }
}

/// The cheapest size that helps and holds everything else that was measured; the error says why
/// there is none.
pub(super) fn choose(
    evidence: &CostEvidence<'_>,
    from: &InstanceSpec,
    short: Short,
) -> Result<Larger, Obstacle> {
    let facts = evidence.facts;
    let resource = facts.resource;
    let architecture = resource.specification.architecture.as_deref();
    let boots = |spec: &InstanceSpec| {
        architecture.is_none_or(|own| spec.architectures.iter().any(|a| a == own))
    };

    let meets =
        |spec: &&InstanceSpec| boots(spec) && spec.gpus == from.gpus && short.is_met(from, spec);
    let holds = |spec: &InstanceSpec| {
        let fit = fit(evidence, from, spec, evidence.history());
        // What shrinks and was not measured may only do so within the family, where the catalogue
        // has no figures for it.
        fit.refused.is_none() && (fit.doubts.is_empty() || spec.family == from.family)
    };

    let priced = |spec: &InstanceSpec| {
        let name = evidence.size_name(spec);
        let price = evidence.price(from, &name)?;
        Some((
            price.hourly.1,
            Larger {
                spec: spec.clone(),
                name,
                price: Some(price),
            },
        ))
    };

    let family = facts
        .catalogue
        .larger_in_family(resource.provider, &from.name);
    let others = facts.catalogue.exchangeable(resource.provider, &from.name);
    let mut all: Vec<(f64, Larger)> = family
        .iter()
        .chain(&others)
        .copied()
        .filter(meets)
        .filter_map(priced)
        .collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.1.name.cmp(&b.1.name)));

    // The cheapest first: whether a size holds the load takes a look at every sample.
    let cheapest = all
        .into_iter()
        .map(|(_, larger)| larger)
        .find(|larger| holds(&larger.spec));
    let next = || {
        let spec = (*family.iter().find(|spec| meets(spec) && holds(spec))?).clone();
        Some(Larger {
            name: evidence.size_name(&spec),
            spec,
            price: None,
        })
    };

    cheapest.or_else(next).ok_or_else(|| {
        let wanted = match short {
            Short::Processors(used) => format!("{} of {} vCPU", percent(used), from.vcpu),
            Short::Credits => "more than its baseline".to_owned(),
        };
        Obstacle::of(format_args!(
            "no size that boots its image has enough for {wanted} and holds the rest of its load"
        ))
    })
}
