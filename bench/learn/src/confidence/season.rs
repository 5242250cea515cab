//! A season of recommendations: the real judgement of the cost agent on each resource's past, the
//! change let into its simulated future, and whether it held.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use reeve_estate::{
    ConnectionId, Metric, PriceCatalogue, Provider, Purchase, Resource, ResourceId, ResourceKind,
    ResourceState, SampleSeries, Specification,
};
use reeve_learn::calibrate::Example;
use reeve_recommend::agent::AgentType;
use reeve_recommend::agent::settings::AgentSettings;
use reeve_recommend::guardrail::Guardrails;
use reeve_recommend::judgement::Facts;

use super::world::{FUTURE_DAYS, Life, Measured, PAST_DAYS, SLOTS, Traits};
use crate::chance::Chance;

const SIZES: &[&str] = &[
    "m5.xlarge",
    "m5.2xlarge",
    "m5.4xlarge",
    "c5.xlarge",
    "c5.2xlarge",
    "r5.xlarge",
    "r5.2xlarge",
    "m5.large",
];

/// A recommendation that was made, and what became of it.
pub(super) struct Story {
    /// Recommendation with its outcome.
    pub(super) example: Example,
    /// The confidence the agent gave it before anything was learned, 0 to 1.
    pub(super) today: f64,
    /// The share of other futures of the same past in which it holds.
    pub(super) chance: Option<f64>,
}

/// The recommendations of `resources` resources, spread over a year. With `futures` above 1 each of
/// the later half is also judged in so many other futures.
pub(super) fn stories(seed: u64, resources: usize, futures: usize) -> Vec<Story> {
    let begin = Timestamp::from_second(1_735_689_600).unwrap_or_default();
    let mut found = Vec::new();

    for n in 0..resources {
        let day = (n * 365 / resources) as i64;
        let at = begin + SignedDuration::from_hours(24 * day);
        let other = if n * 2 >= resources { futures } else { 0 };
        found.extend(story(seed, n as u64, at, other));
    }
    found
}

/// A resource and the limits it is judged within.
struct Case {
    resource: Resource,
    settings: AgentSettings,
    guardrails: Guardrails,
}

impl Case {
    fn facts<'a>(&'a self, series: &'a [SampleSeries], now: Timestamp) -> Facts<'a> {
        Facts {
            resource: &self.resource,
            series,
            maxima: &[],
            charges: &[],
            document: None,
            relations: reeve_recommend::judgement::RelationIndex::none(),
            open: reeve_recommend::judgement::open_facts::OpenFacts::none(),
            volumes: &[],
            catalogue: PriceCatalogue::builtin(),
            settings: &self.settings,
            guardrails: &self.guardrails,
            models: reeve_recommend::models::LearnedModels::none(),
            unchanged_since: None,
            attachment_changed_at: None,
            now,
        }
    }
}

fn story(seed: u64, n: u64, at: Timestamp, futures: usize) -> Vec<Story> {
    let mut chance = Chance::new(seed, n * 64);
    let traits = Traits::draw(&mut chance);
    let size = SIZES[chance.below(SIZES.len())];
    let resource = resource(n, size, &traits, at, chance.scale(35.0, 900.0));
    let gaps = chance.happens(0.15);
    let weekday = at
        .to_zoned(jiff::tz::TimeZone::UTC)
        .weekday()
        .to_monday_zero_offset()
        .rem_euclid(7) as usize;
    let weekday = (weekday + 7 * 5 - PAST_DAYS) % 7;
    let mut past = Life::begin(traits);
    past.live(PAST_DAYS, weekday, &mut chance);
    let guardrails = Guardrails::default();
    let begins = at - SignedDuration::from_hours(24 * PAST_DAYS as i64);
    let judged = series(&resource.id, &past.measured, begins, gaps);
    let case = Case {
        resource,
        settings: AgentSettings::default(),
        guardrails,
    };
    let proposals = reeve_agents::cost_optimizer::judge(&case.facts(&judged, at)).proposals;
    let until = at + SignedDuration::from_hours(24 * FUTURE_DAYS as i64);
    let lived = |future: u64| {
        let mut life = past.clone();
        life.live(
            FUTURE_DAYS,
            weekday,
            &mut Chance::new(seed, n * 64 + 1 + future),
        );
        series(&case.resource.id, &life.measured, begins, gaps)
    };

    let actual = if proposals.is_empty() {
        Vec::new()
    } else {
        lived(0)
    };

    let mut found = Vec::new();
    for proposal in proposals {
        let Some(held) =
            reeve_agents::cost_optimizer::held(&proposal, at, &case.facts(&actual, until))
        else {
            continue;
        };
        let others: Vec<bool> = (1..=futures as u64)
            .filter_map(|future| {
                reeve_agents::cost_optimizer::held(
                    &proposal,
                    at,
                    &case.facts(&lived(future), until),
                )
            })
            .collect();
        let chance = (others.len() > 1)
            .then(|| others.iter().filter(|held| **held).count() as f64 / others.len() as f64);
        let group = reeve_recommend::judgement::trust::trust_group(
            AgentType::COST_OPTIMIZER,
            proposal.kind,
        );
        let today = proposal.confidence / 100.0;
        let (raw, features) = (proposal.trust.raw, proposal.trust.features);
        let example = Example {
            at_ms: at.as_millisecond(),
            group,
            raw,
            features,
            held,
            weight: 1.0,
        };
        found.push(Story {
            example,
            today,
            chance,
        });
    }

    found
}

fn resource(n: u64, size: &str, traits: &Traits, at: Timestamp, age_days: f64) -> Resource {
    let kind = if traits.database {
        ResourceKind::Database
    } else {
        ResourceKind::VirtualMachine
    };

    let env = if traits.production {
        "production"
    } else {
        "development"
    };

    Resource {
        id: ResourceId::new(format!("i-{n}")),
        connection: ConnectionId("simulated".to_owned()),
        provider: Provider::Aws,
        account: "111122223333".to_owned(),
        region: "us-east-1".to_owned(),
        service: if traits.database { "rds" } else { "ec2" }.to_owned(),
        kind,
        name: format!("resource-{n}"),
        state: ResourceState::Running,
        specification: Specification {
            instance_type: Some(if traits.database {
                format!("db.{size}")
            } else {
                size.to_owned()
            }),
            platform: (!traits.database).then(|| "linux".to_owned()),
            architecture: (!traits.database).then(|| "x86_64".to_owned()),
            ..Specification::default()
        },
        purchase: Some(Purchase::OnDemand),
        tags: BTreeMap::from([("env".to_owned(), env.to_owned())]),
        group: None,
        attached_to: Vec::new(),
        monthly_cost: None,
        created_at: Some(at - SignedDuration::from_secs((age_days * 86_400.0) as i64)),
        observed_at: at,
    }
}

fn series(
    id: &ResourceId,
    measured: &Measured,
    begins: Timestamp,
    gaps: bool,
) -> Vec<SampleSeries> {
    let step = 86_400 / SLOTS as i64;
    let one = |metric, values: &[Option<f64>]| SampleSeries {
        resource: id.clone(),
        metric,
        points: values
            .iter()
            .enumerate()
            .filter(|(slot, _)| !(gaps && slot % 41 < 3))
            .filter_map(|(slot, value)| {
                value.map(|v| (begins + SignedDuration::from_secs(slot as i64 * step), v))
            })
            .collect(),
        period_s: step as u32,
    };

    let half: Vec<Option<f64>> = measured
        .network
        .iter()
        .map(|value| value.map(|v| v / 2.0))
        .collect();

    vec![
        one(Metric::CpuUtilization, &measured.cpu),
        one(Metric::MemoryUtilization, &measured.memory),
        one(Metric::NetworkIn, &half),
        one(Metric::NetworkOut, &half),
        one(Metric::DatabaseConnections, &measured.connections),
    ]
}
