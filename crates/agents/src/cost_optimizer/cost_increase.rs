//! Costs that rose by a bill: a resource that was enlarged gets its size back, one that nobody
//! uses is stopped, one that is too large gets a smaller size. What is in use is left to people.

use reeve_audit::Obstacle;
use reeve_estate::{InstanceSpec, Money, Resource, ResourceKind, ResourceState};
use reeve_recommend::guardrail::ownership::is_opted_out;
use reeve_recommend::observation::{AnswerTerms, CostIncrease, CpuUse, ObservationAnswer};
use reeve_recommend::plan::procedure::{resize, stop_idle};
use reeve_recommend::plan::relief::Relief;
use reeve_recommend::recommendation::title::title;
use reeve_recommend::recommendation::{Effort, RecommendationDecision, RecommendationType};
use reeve_recommend::words::figures;

use crate::anomaly_answer::{AnswerKind, ChangeFacts, answer};

/// A resource with less mean CPU than this, percent, and
const IDLE_MEAN: f64 = 3.0;
/// with less at its busiest is not used.
const IDLE_PEAK: f64 = 10.0;
/// A smaller size may be used up to this, percent, at its busiest.
const FITS: f64 = 70.0;

const STOP: AnswerKind = AnswerKind {
    kind: RecommendationType::IdleResourceCleanup,
    rule: "identify_idle_resources",
};
const SMALLER: AnswerKind = AnswerKind {
    kind: RecommendationType::RightSize,
    rule: "downsize_underutilized",
};

fn is_idle(cpu: CpuUse) -> bool {
    cpu.mean < IDLE_MEAN && cpu.peak < IDLE_PEAK
}

fn words(cpu: CpuUse) -> String {
    format!(
        "CPU {} % on average and {} % at its busiest",
        figures(cpu.mean),
        figures(cpu.peak)
    )
}

/// Returns the change that makes a resource of the bill cost less; the error is the reason why
/// there is none.
pub(super) fn reduce(
    increase: &CostIncrease<'_>,
    terms: AnswerTerms<'_>,
) -> Result<ObservationAnswer, Obstacle> {
    let resource = increase.resource;
    let name = &resource.name;
    let kind = resource.kind.as_str().replace('_', " ");
    if is_opted_out(resource) {
        return Err(Obstacle::of(format_args!("a tag excludes {name}")));
    }

    if resource.group.is_some() {
        return Err(Obstacle::of(format_args!(
            "{name} belongs to a group, which starts another one"
        )));
    }

    if !matches!(
        resource.kind,
        ResourceKind::VirtualMachine | ResourceKind::Database
    ) {
        return Err(Obstacle::of(format_args!(
            "Reeve cannot reduce the cost of a {kind}"
        )));
    }

    if !matches!(
        resource.state,
        ResourceState::Running | ResourceState::Available
    ) {
        return Err(Obstacle::of(format_args!("{name} does not run any more")));
    }

    let is_new = increase.expected <= 0.02 * increase.observed;
    let choose = Choice { increase, terms };

    match (increase.former_size, increase.cpu) {
        (Some(before), _) if choose.fits(before) == Some(true) => choose.size(
            before,
            "Was it enlarged just before, and does its load fit the former size?",
        ),
        (_, Some(cpu)) if is_idle(cpu) => Ok(choose.stop("Is it not used?")),
        (_, None) if is_new => Ok(choose.stop("Is it new, and is its use not measured?")),
        (_, Some(_)) => match choose.smaller() {
            Some(smaller) => choose.size(&smaller, "Does its load fit a smaller size?"),
            None => Err(Obstacle::of(format_args!(
                "{name} is in use: decide manually whether it is needed"
            ))),
        },
        (_, None) => Err(Obstacle::of(format_args!(
            "the use of {name} is not measured"
        ))),
    }
}

/// A resource whose cost is to fall.
struct Choice<'a> {
    increase: &'a CostIncrease<'a>,
    terms: AnswerTerms<'a>,
}

impl Choice<'_> {
    fn own_size(&self) -> Option<&str> {
        let specification = &self.increase.resource.specification;
        specification.instance_type.as_deref()
    }

    fn spec(&self, size: &str) -> Option<InstanceSpec> {
        let (resource, catalogue) = (self.increase.resource, self.terms.catalogue);
        if resource.kind == ResourceKind::Database {
            return catalogue.database(size).map(|found| found.machine);
        }
        catalogue.instance(resource.provider, size).cloned()
    }

    /// Returns `true` if the load fits a size; `None` where a size or the load is not known.
    fn fits(&self, size: &str) -> Option<bool> {
        let own = self.own_size()?;
        let (now, then) = (self.spec(own)?, self.spec(size)?);
        let peak = self.increase.cpu?.peak * f64::from(now.vcpu) / f64::from(then.vcpu);
        Some(size != own && peak <= FITS && then.vcpu <= now.vcpu)
    }

    /// The next smaller size of the family that the load fits.
    fn smaller(&self) -> Option<String> {
        let size = self.own_size()?;
        let machine = size.strip_prefix("db.").unwrap_or(size);
        let prefix = &size[..size.len() - machine.len()];
        let (provider, catalogue) = (self.increase.resource.provider, self.terms.catalogue);
        let next = catalogue.smaller_in_family(provider, machine);
        let next = format!("{prefix}{}", next.first()?.name);
        (self.fits(&next) == Some(true)).then_some(next)
    }

    fn monthly(&self, of: &Resource) -> Option<Money> {
        self.terms
            .catalogue
            .monthly_cost(of)
            .map(|monthly| monthly.cost)
    }

    fn size(&self, to: &str, check: &str) -> Result<ObservationAnswer, Obstacle> {
        let resource = self.increase.resource;
        let from = resource
            .specification
            .instance_type
            .clone()
            .ok_or("its size is not known")?;
        let mut after = resource.clone();
        after.specification.instance_type = Some(to.to_owned());
        let added = self
            .monthly(&after)
            .zip(self.monthly(resource))
            .map(|(after, now)| after - now);
        let relief = Relief {
            target: Some(to.to_owned()),
            added,
            ..Relief::advice(
                title("Resize ", &resource.name, &format!(" from {from} to {to}")),
                Effort::Medium,
                "",
            )
            .planned(resize(resource, &from, to))
        };

        let facts = ChangeFacts {
            performance: "its load fits the smaller size by CPU; memory was not compared"
                .to_owned(),
            not_measured: vec!["memory_utilization".to_owned()],
            ..self.facts(check, self.increase.cpu.map(|_| 0.0))
        };

        Ok(answer(
            self.increase.anomaly,
            resource,
            relief,
            SMALLER,
            facts,
            self.terms,
        ))
    }

    fn stop(&self, check: &str) -> ObservationAnswer {
        let resource = self.increase.resource;
        let relief = Relief {
            words: format!(
                "Stop {} after a snapshot; nothing is deleted",
                resource.name
            ),
            added: resource
                .monthly_cost
                .or_else(|| self.monthly(resource))
                .map(|cost| -cost),
            ..Relief::advice(title("Stop ", &resource.name, ""), Effort::Low, "")
                .planned(stop_idle(resource, self.increase.volumes))
        };

        let performance = match self.increase.cpu {
            Some(usage) => format!("none expected: {}", words(usage)),
            None => "not known: its use was not measured".to_owned(),
        };
        let not_measured = if self.increase.cpu.is_some() {
            Vec::new()
        } else {
            vec!["cpu_utilization".to_owned()]
        };

        let facts = ChangeFacts {
            performance,
            not_measured,
            ..self.facts(check, self.increase.cpu.map(|_| 0.0))
        };
        answer(
            self.increase.anomaly,
            resource,
            relief,
            STOP,
            facts,
            self.terms,
        )
    }

    fn facts(&self, check: &str, degradation_percent: Option<f64>) -> ChangeFacts {
        let detail = self
            .increase
            .cpu
            .map_or_else(|| "no samples".to_owned(), words);
        ChangeFacts {
            check: RecommendationDecision {
                check: check.to_owned(),
                answer: Some(true),
                detail,
            },
            degradation_percent,
            performance: String::new(),
            not_measured: Vec::new(),
            compared_with: self
                .increase
                .resource
                .monthly_cost
                .or_else(|| self.monthly(self.increase.resource)),
        }
    }
}

#[cfg(test)]
mod tests;
