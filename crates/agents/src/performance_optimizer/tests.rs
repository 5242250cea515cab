//! Tables of the judgement: what each rule finds, and what keeps it from acting.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use reeve_estate::{
    Capacity, Document, Metric, Money, PriceCatalogue, Resource, ResourceId, ResourceKind,
    ResourceState, SampleSeries,
};
use reeve_recommend::agent::contract::AgentDefinition as _;
use reeve_recommend::agent::settings::AgentSettings;
use reeve_recommend::guardrail::Guardrails;
use reeve_recommend::judgement::caches_beside::CachesBeside;
use reeve_recommend::judgement::open_facts::OpenFacts;
use reeve_recommend::judgement::proposal::Proposal;
use reeve_recommend::judgement::service_load::{MeasuredResource, ServiceLoad};
use reeve_recommend::judgement::{Facts, Judgement, RelationIndex};
use reeve_recommend::models::LearnedModels;
use reeve_recommend::objective::budget::{Burn, ObjectiveBudget};
use reeve_recommend::objective::{MeasuredObjective, MeasuredObjectives, Objective};
use reeve_recommend::recommendation::{Priority, RecommendationType};
use serde_json::{Value, json};

use super::PerformanceOptimizer;
use crate::cost_optimizer::tests::estate::{now, resource};

/// Days of measurements of a case.
const DAYS: i64 = 21;

/// A judged resource with what is around it.
struct Case {
    resource: Resource,
    series: Vec<SampleSeries>,
    service: ServiceLoad,
    objectives: MeasuredObjectives,
    caches: CachesBeside,
    settings: BTreeMap<String, Option<String>>,
    document: Value,
}

/// A series of values by minutes before now, every five minutes.
fn series(id: &ResourceId, metric: Metric, days: i64, value: impl Fn(i64) -> f64) -> SampleSeries {
    let backs = (1..=days * 288).rev().map(|back| back * 5);
    let points: Vec<(Timestamp, f64)> = backs
        .map(|back| (now() - SignedDuration::from_mins(back), value(back)))
        .collect();
    SampleSeries {
        resource: id.clone(),
        metric,
        points,
        period_s: 300,
    }
}

/// Requests that rise from 10 to 80 a second at a quarter past midnight, for ten hours. Now is
/// midnight.
fn steep(back: i64) -> f64 {
    let minute = (-back).rem_euclid(1440);
    if (15..615).contains(&minute) {
        80.0
    } else {
        10.0
    }
}

impl Case {
    fn of(kind: ResourceKind, id: &str) -> Case {
        let mut judged = resource(id, kind, "x", None);
        judged.state = ResourceState::Available;
        judged.name = "web".to_owned();
        Case {
            resource: judged,
            series: Vec::new(),
            service: ServiceLoad::default(),
            objectives: MeasuredObjectives::default(),
            caches: CachesBeside::default(),
            settings: BTreeMap::new(),
            document: json!({ "HealthCheckGracePeriod": "300" }),
        }
    }

    /// A group of one to twenty members, each of which serves 10 requests a second, with a balancer
    /// before it.
    fn group(desired: u32, requests: impl Fn(i64) -> f64) -> Case {
        let mut case = Case::of(ResourceKind::ScalingGroup, "group");
        case.resource.specification.instance_type = Some("m5.large".to_owned());
        case.resource.specification.capacity = Some(Capacity {
            min: 1,
            desired,
            max: 20,
        });
        let balancer = resource("lb", ResourceKind::LoadBalancer, "elb", None);
        let rate = series(&balancer.id, Metric::RequestRate, DAYS, requests);
        case.service.balancers.push(MeasuredResource {
            resource: balancer,
            series: vec![rate],
        });
        for place in 0..desired {
            case = case.machine(&format!("i-{place}"), "m5.large", |_| 50.0);
        }
        case.set("scale_before_traffic_spike.requests_per_member", "10")
    }

    fn machine(mut self, id: &str, size: &str, cpu: impl Fn(i64) -> f64) -> Case {
        let mut machine = resource(id, ResourceKind::VirtualMachine, "ec2", Some(size));
        machine.monthly_cost = Some(Money::from_usd(70.0));
        let cpu = series(&machine.id, Metric::CpuUtilization, DAYS, cpu);
        self.service.machines.push(MeasuredResource {
            resource: machine,
            series: vec![cpu],
        });
        self
    }

    /// Sessions of each member, in their order; `None` for members that nothing counts.
    fn sessions(mut self, sessions: &[Option<f64>]) -> Case {
        for (member, sessions) in self.service.machines.iter_mut().zip(sessions) {
            if let Some(sessions) = sessions {
                let id = member.resource.id.clone();
                member
                    .series
                    .push(series(&id, Metric::ActiveSessions, 1, |_| *sessions));
            }
        }
        self
    }

    fn with(mut self, metric: Metric, value: impl Fn(i64) -> f64) -> Case {
        self.series
            .push(series(&self.resource.id, metric, DAYS, value));
        self
    }

    fn set(mut self, path: &str, value: &str) -> Case {
        self.settings
            .insert(path.to_owned(), Some(value.to_owned()));
        self
    }

    /// An objective of the service, measured at the balancer `lb`, with so much of its budget left
    /// and so many times the allowed use in the last hours.
    fn objective(mut self, name: &str, left: f64, burn: f64) -> Case {
        let id = ResourceId::new("lb");
        let objective = Objective {
            name: name.to_owned(),
            ..reeve_testkit::contract::objectives::objective(name, name).unwrap()
        };
        let budget = ObjectiveBudget {
            left,
            burn: Burn {
                five_minutes: burn,
                half_hour: burn,
                hour: burn,
                six_hours: burn,
            },
            is_recent: burn > 0.0,
            bad_periods: 10,
            periods: 8064,
        };
        self.objectives.0.push(Arc::new(MeasuredObjective {
            objective,
            budget: Some(budget),
            resources: [id.clone()].into(),
            bad: (burn > 0.0).then_some(id).into_iter().collect(),
        }));
        self
    }

    fn judge(&self) -> Judgement {
        let settings = AgentSettings::default()
            .overlay(PerformanceOptimizer.settings(), &self.settings)
            .unwrap();
        let document = Document::kept(self.document.clone());
        PerformanceOptimizer.judge(&Facts {
            resource: &self.resource,
            series: &self.series,
            maxima: &[],
            charges: &[],
            document: Some(&document),
            relations: RelationIndex::none(),
            volumes: &[],
            catalogue: PriceCatalogue::builtin(),
            settings: &settings,
            guardrails: &Guardrails::default(),
            open: &OpenFacts::default()
                .with(self.service.clone())
                .with(self.objectives.clone())
                .with(self.caches.clone()),
            models: &LearnedModels::default(),
            attachment_changed_at: None,
            unchanged_since: None,
            now: now(),
        })
    }

    fn codes(&self) -> Vec<&'static str> {
        let judgement = self.judge();
        assert!(judgement.proposals.is_empty(), "{:?}", judgement.proposals);
        let codes = judgement.abstentions.iter().map(|one| one.code);
        codes.filter(|code| *code != "no_objective").collect()
    }

    fn only(&self) -> Proposal {
        let judgement = self.judge();
        assert_eq!(judgement.proposals.len(), 1, "{:?}", judgement.abstentions);
        judgement.proposals.into_iter().next().unwrap()
    }
}

/// The group before its steep morning, whose prediction may be applied.
fn before_the_morning() -> Case {
    Case::group(2, steep).set("scale_before_traffic_spike.forecast_only", "false")
}

#[test]
fn members_are_added_before_a_rise_that_tracking_meets_late() {
    let found = before_the_morning().only();
    assert_eq!(
        (found.kind, found.rule),
        (
            RecommendationType::AutoScaling,
            "scale_before_traffic_spike"
        )
    );
    let plan = found.plan.as_ref().unwrap();
    assert_eq!(plan.change_name(), Some("scale_group"));
    // The load of the morning takes eight members, and the bound of the prediction no fewer.
    let members = plan
        .change
        .as_ref()
        .unwrap()
        .parameters
        .get("members")
        .unwrap()
        .to_string();
    assert!(members.parse::<u32>().unwrap() >= 8, "{members}");
    assert!(plan.reversible);
    let percent = found.impact.cost_percent.unwrap();
    assert!(
        (0.1..10.0).contains(&percent),
        "{percent} % of what its members cost a month"
    );
    assert!(found.confidence > 80.0, "{}", found.confidence);
    let factors = &found.explanation.factors;
    assert!(
        factors
            .iter()
            .any(|text| text.contains("minutes above capacity")),
        "{factors:?}"
    );
}

#[test]
fn a_forecast_alone_says_what_it_would_have_done_and_changes_nothing() {
    let found = Case::group(2, steep).only();
    assert_eq!(found.plan, None);
    assert!(
        found
            .title
            .starts_with("Forecast only: Scale web from 2 to "),
        "{}",
        found.title
    );
    assert_eq!(
        found.reason_codes,
        ["load_rises", "forecast_only", "advice_only"]
    );
}

#[test]
fn nothing_is_added_where_the_prediction_is_not_better_or_the_load_is_not_known() {
    let ahead = |case: Case| case.codes().first().copied();
    // A level load, which its own rule serves.
    assert_eq!(
        ahead(Case::group(2, |_| 10.0)),
        Some("prediction_not_better")
    );
    // Without seasons nothing announces the morning.
    let blind = before_the_morning().set("seasonal_adjustments.enabled", "false");
    assert_ne!(ahead(blind), None);
    // Enough members are there.
    let enough = Case::group(20, steep).set("scale_down_intelligently.enabled", "false");
    assert_eq!(ahead(enough), Some("capacity_is_enough"));

    let mut short = before_the_morning();
    short.service.balancers[0].series[0]
        .points
        .drain(..12 * 288);
    assert_eq!(ahead(short), Some("learning"));
    let mut silent = before_the_morning();
    silent.service.balancers[0].series[0]
        .points
        .truncate(20 * 288);
    assert_eq!(ahead(silent), Some("metric_stale"));
    let mut shared = before_the_morning();
    shared.service.shared.push("edge".to_owned());
    assert_eq!(ahead(shared), Some("demand_shared"));
    let mut alone = before_the_morning();
    alone.service.balancers.clear();
    assert_eq!(ahead(alone), Some("demand_unknown"));
    let mut changing = before_the_morning();
    changing.resource.state = ResourceState::Changing;
    assert_eq!(ahead(changing), Some("changing"));
    let off = before_the_morning()
        .set("predictive_scaling.enabled", "false")
        .set("scale_down_intelligently.enabled", "false");
    assert_eq!(ahead(off), Some("switched_off"));
}

#[test]
fn the_load_of_a_member_is_measured_by_the_cpu_of_its_members() {
    // Two members at 50 % CPU serve 10 requests a second at night: 5 each, 8 at 80 %.
    let measured = before_the_morning().set("scale_before_traffic_spike.requests_per_member", "0");
    let found = measured.only();
    let factors = &found.explanation.factors;
    assert!(
        factors
            .iter()
            .any(|text| text.contains("a member serves 8 requests a second at 80 % CPU")),
        "{factors:?}"
    );

    let mut unmeasured = measured;
    unmeasured.service.machines[0].series.clear();
    assert_eq!(unmeasured.codes(), ["member_load_unknown"]);
}

/// A group of four with a load for one of them.
fn too_many() -> Case {
    Case::group(4, |_| 5.0)
}

#[test]
fn idle_members_are_named_that_the_load_does_not_need() {
    let found = too_many()
        .sessions(&[Some(0.0), Some(3.0), Some(0.0), Some(0.0)])
        .only();
    assert_eq!(found.rule, "scale_down_intelligently");
    let plan = found.plan.as_ref().unwrap();
    assert_eq!(plan.change_name(), Some("end_members"));
    assert!(plan.reversible);
    assert_eq!(found.title, "Take from web 3 idle members");
    assert!(
        found.explanation.action.contains("i-0, i-2, i-3"),
        "the one with sessions stays: {}",
        found.explanation.action
    );
    assert!(found.savings_monthly.is_some_and(|saved| saved.usd() > 0.0));
}

#[test]
fn members_with_sessions_unknown_sessions_and_protection_stay() {
    let down = |case: Case| case.codes().last().copied();
    assert_eq!(down(too_many()), Some("sessions_unknown"));
    let busy = too_many().sessions(&[Some(1.0); 4]);
    assert_eq!(down(busy), Some("active_sessions"));
    let unknown = too_many().sessions(&[Some(1.0), None, None, None]);
    assert_eq!(
        down(unknown),
        Some("active_sessions"),
        "unknown is not idle"
    );

    let mut guarded = too_many().sessions(&[Some(0.0), Some(1.0), Some(1.0), Some(1.0)]);
    guarded.document =
        json!({ "Instances": [{ "InstanceId": "i-0", "ProtectedFromScaleIn": "true" }] });
    assert_eq!(down(guarded), Some("members_protected"));
    assert_eq!(down(Case::group(1, |_| 5.0)), Some("capacity_is_needed"));

    // Four are needed from a quarter past midnight on.
    let soon = Case::group(8, steep).sessions(&[Some(0.0); 8]);
    assert_eq!(down(soon), Some("capacity_is_needed"));

    // Requests in flight: none of a service that answers no request.
    let mut quiet = too_many();
    let balancer = &mut quiet.service.balancers[0];
    let id = balancer.resource.id.clone();
    balancer.series = vec![
        series(&id, Metric::RequestRate, DAYS, |_| 0.0),
        series(&id, Metric::ResponseTime, DAYS, |_| 0.2),
    ];
    assert_eq!(quiet.only().rule, "scale_down_intelligently");
}

#[test]
fn types_behind_one_balancer_are_compared_by_work_for_a_dollar() {
    let both = |newer: f64| {
        Case::of(ResourceKind::LoadBalancer, "lb")
            .with(Metric::RequestRate, |_| 100.0)
            .machine("i-1", "m5.large", |_| 40.0)
            .machine("i-2", "m6a.large", move |_| newer)
    };
    let found = both(25.0).only();
    assert_eq!(
        (found.kind, found.rule),
        (RecommendationType::InstanceType, "optimize_instance_types")
    );
    assert_eq!(found.title, "Serve web by m6a.large instead of m5.large");
    assert!(found.savings_monthly.is_some_and(|saved| saved.usd() > 0.0));

    assert_eq!(both(43.0).codes(), ["types_equal"]);
    let one = Case::of(ResourceKind::LoadBalancer, "lb")
        .with(Metric::RequestRate, |_| 100.0)
        .machine("i-1", "m5.large", |_| 40.0);
    assert_eq!(one.codes(), ["one_type"]);
    // Arm boots no image of the others; its work is measured all the same.
    let arm = Case::of(ResourceKind::LoadBalancer, "lb")
        .with(Metric::RequestRate, |_| 100.0)
        .machine("i-1", "m5.large", |_| 40.0)
        .machine("i-2", "m6g.large", |_| 25.0);
    assert_eq!(arm.codes(), ["not_exchangeable"]);
}

#[test]
fn a_cache_is_advised_before_a_busy_database_that_mostly_reads() {
    let database = |writes: f64, cpu: f64| {
        Case::of(ResourceKind::Database, "db")
            .with(Metric::DiskReadOps, |_| 900.0)
            .with(Metric::DiskWriteOps, move |_| writes)
            .with(Metric::CpuUtilization, move |_| cpu)
    };
    let found = database(100.0, 70.0).only();
    assert_eq!(
        (found.kind, found.plan),
        (RecommendationType::CachingStrategy, None)
    );
    assert_eq!(database(800.0, 70.0).codes(), ["reads_are_few"]);
    assert_eq!(database(100.0, 10.0).codes(), ["not_busy"]);
    let off = database(100.0, 70.0).set("caching_strategy.enabled", "false");
    assert_eq!(off.codes(), ["switched_off"]);
}

/// A cache that was asked for so many keys a second, with its hit rate and evictions.
fn cache(lookups: f64, hits: impl Fn(i64) -> f64, evictions: Option<f64>) -> Case {
    let case = Case::of(ResourceKind::CacheNode, "cache")
        .with(Metric::RequestRate, move |_| lookups)
        .with(Metric::CacheHitRate, hits);
    match evictions {
        Some(evictions) => case.with(Metric::CacheEvictions, move |_| evictions),
        None => case,
    }
}

#[test]
fn a_cache_whose_hit_rate_stays_low_is_found_with_its_cause() {
    let low = |_| 40.0;
    for (evictions, code, begins) in [
        (Some(90.0), "cache_too_small", "Enlarge the cache web"),
        (
            Some(0.0),
            "keys_or_expiry",
            "Review keys and expiry of the cache web",
        ),
        (
            Some(30.0),
            "cause_unclear",
            "Raise the hit rate of the cache web",
        ),
        (None, "cause_unclear", "Raise the hit rate of the cache web"),
    ] {
        // 150 lookups a second of which 60 % miss.
        let found = cache(150.0, low, evictions).only();
        assert_eq!(
            (found.kind, found.plan, found.title.as_str()),
            (RecommendationType::CachingStrategy, None, begins)
        );
        assert_eq!(found.reason_codes[..2], ["hit_rate_low", code]);
        let factors = found.explanation.factors.texts().join("\n");
        assert!(factors.contains("40.0 % of 150 lookups"), "{factors}");
    }
}

#[test]
fn a_cache_that_does_its_work_or_is_not_measured_is_no_finding() {
    assert_eq!(cache(150.0, |_| 95.0, None).codes(), ["hits_are_enough"]);
    // One good day in the week: a new release, or a cache that was emptied.
    let good_day = |back: i64| if back > 1440 { 40.0 } else { 90.0 };
    assert_eq!(cache(150.0, good_day, None).codes(), ["hits_are_enough"]);
    assert_eq!(cache(2.0, |_| 40.0, None).codes(), ["lookups_are_few"]);
    let set = cache(150.0, |_| 40.0, None).set("caching_strategy.hit_rate", "30%");
    assert_eq!(set.codes(), ["hits_are_enough"]);
    let off = cache(150.0, |_| 40.0, None).set("caching_strategy.enabled", "false");
    assert_eq!(off.codes(), ["switched_off"]);

    let unmeasured = Case::of(ResourceKind::CacheNode, "cache");
    assert_eq!(unmeasured.codes(), ["hits_not_measured"]);
    let mut young = cache(150.0, |_| 40.0, None);
    let since = now() - SignedDuration::from_hours(48);
    for series in &mut young.series {
        series.points.retain(|(at, _)| *at > since);
    }
    assert_eq!(young.codes(), ["thin_data"]);
}

#[test]
fn a_distribution_whose_hit_rate_stays_low_is_found() {
    let distribution = |hits: Option<f64>| {
        let case =
            Case::of(ResourceKind::Distribution, "shop").with(Metric::RequestRate, |_| 150.0);
        match hits {
            Some(hits) => case.with(Metric::CacheHitRate, move |_| hits),
            None => case,
        }
    };
    let found = distribution(Some(40.0)).only();
    assert_eq!(
        (found.kind, found.plan),
        (RecommendationType::CachingStrategy, None)
    );
    assert_eq!(found.title, "Review the cache policies of web");
    assert_eq!(found.reason_codes[..2], ["hit_rate_low", "cache_policies"]);
    let factors = found.explanation.factors.texts().join("\n");
    assert!(factors.contains("40.0 % of 150 requests"), "{factors}");
    assert!(!factors.contains("evict"), "{factors}");

    assert_eq!(distribution(Some(95.0)).codes(), ["hits_are_enough"]);
    // Its additional metrics are off.
    assert_eq!(distribution(None).codes(), ["hits_not_measured"]);
}

#[test]
fn the_advice_about_a_database_names_the_cache_beside_it() {
    let database = |hits: Option<(f64, f64)>| {
        let mut case = Case::of(ResourceKind::Database, "db")
            .with(Metric::DiskReadOps, |_| 900.0)
            .with(Metric::DiskWriteOps, |_| 100.0)
            .with(Metric::CpuUtilization, |_| 70.0);
        let mut cache = resource("cache", ResourceKind::CacheNode, "elasticache", None);
        cache.name = "carts".to_owned();
        let series = hits.map(|(lookups, percent)| {
            let of = |metric, value: f64| series(&cache.id, metric, DAYS, move |_| value);
            vec![
                of(Metric::RequestRate, lookups),
                of(Metric::CacheHitRate, percent),
            ]
        });
        case.caches = CachesBeside(vec![MeasuredResource {
            series: series.unwrap_or_default(),
            resource: cache,
        }]);
        case.only()
    };

    for (hits, code) in [
        (Some((300.0, 97.0)), "cache_beside"),
        (Some((300.0, 40.0)), "cache_misses"),
        (Some((0.2, 97.0)), "cache_unused"),
        (None, "cache_not_measured"),
    ] {
        let found = database(hits);
        assert_eq!(found.reason_codes[..2], ["mostly_reads", code]);
        assert!(!found.title.starts_with("Put a cache"), "{}", found.title);
        let factors = found.explanation.factors.texts().join("\n");
        assert!(factors.contains("the cache carts"), "{factors}");
    }
}

#[test]
fn an_objective_that_is_missed_is_a_finding_with_its_budget() {
    // An hour of errors: 12 of 8,064 points, and twelve times fourteen as fast as allowed.
    let errors = |back: i64| if back <= 60 { 5.0 } else { 0.1 };
    let balancer = |set: &str| {
        Case::of(ResourceKind::LoadBalancer, "lb")
            .with(Metric::ErrorRate, errors)
            .set("optimize_instance_types.enabled", "false")
            .set("metrics.error_rate", set)
    };
    let found = balancer("1%").only();
    assert_eq!(found.rule, "metrics");
    assert_eq!(found.subject.aspect.as_deref(), Some("error_rate"));
    assert!(
        found.title.contains("error_rate at most 1.0 %"),
        "{}",
        found.title
    );
    assert_eq!(
        balancer("0%").codes(),
        ["switched_off"],
        "nobody set an objective"
    );
    assert_eq!(balancer("10%").codes(), ["switched_off", "objective_met"]);

    let queue = Case::of(ResourceKind::Queue, "arn:aws:sqs:us-east-1:1:orders")
        .with(Metric::QueueDepth, |_| 500.0)
        .set("metrics.queue_depth", "100");
    assert_eq!(queue.only().subject.aspect.as_deref(), Some("queue_depth"));
    let score = Case::of(ResourceKind::VirtualMachine, "i-1")
        .with(Metric::UserExperienceScore, |_| 70.0)
        .set("metrics.user_experience_score", "85%");
    assert_eq!(
        score.only().subject.aspect.as_deref(),
        Some("user_experience_score")
    );
    let unmeasured = Case::of(ResourceKind::Queue, "q").set("metrics.queue_depth", "100");
    assert_eq!(unmeasured.codes(), ["not_measured"]);
}

#[test]
fn the_objective_of_a_service_goes_before_the_setting_and_is_named() {
    let balancer = || {
        Case::of(ResourceKind::LoadBalancer, "lb")
            .with(Metric::ResponseTime, |_| 0.5)
            .set("optimize_instance_types.enabled", "false")
            .set("metrics.response_time", "100")
    };
    // The setting alone is missed; the promise that people made is not.
    assert_eq!(
        balancer().only().subject.aspect.as_deref(),
        Some("response_time")
    );
    let kept = balancer().objective("shop", 0.9, 0.1);
    assert_eq!(kept.codes(), ["switched_off", "objective_met"]);

    let burning = kept.objective("checkout", 0.4, 20.0).only();
    assert_eq!(burning.priority, Priority::Critical);
    let factors = &burning.explanation.factors;
    assert!(
        factors
            .iter()
            .any(|text| text.contains("objective checkout:")),
        "{factors:?}"
    );
    let slower = balancer().objective("checkout", 0.4, 7.0).only();
    assert_eq!(slower.priority, Priority::High);

    // The budget of a service was used by another resource of it.
    let mut others = balancer().objective("shop", -0.5, 20.0);
    let one = Arc::make_mut(&mut others.objectives.0[0]);
    one.bad.clear();
    assert_eq!(others.codes(), ["switched_off", "missed_by_others"]);
}

#[test]
fn budgets_decide_whether_members_are_added_and_taken_away() {
    let ahead = |case: Case| case.codes().first().copied();
    let full = before_the_morning().objective("shop", 0.98, 0.0);
    assert_eq!(
        ahead(full),
        Some("budget_is_full"),
        "no scale-up for comfort"
    );
    let used = before_the_morning().objective("shop", 0.5, 2.0).only();
    assert_eq!(used.priority, Priority::High);
    let burning = before_the_morning().objective("shop", 0.5, 20.0).only();
    assert_eq!(
        (burning.rule, burning.priority),
        ("scale_before_traffic_spike", Priority::Critical)
    );
    let factors = &burning.explanation.factors;
    assert!(
        factors.iter().any(|text| text.contains("objective shop:")),
        "{factors:?}"
    );

    let idle = Case::group(8, |_| 5.0).sessions(&[Some(0.0); 8]);
    let last = idle.objective("shop", 0.5, 20.0).codes().last().copied();
    assert_eq!(last, Some("budget_burns"));
}
