//! Predictive rules on the simulated cloud: what they foresee, what becomes of it, and that they
//! never act by themselves.

mod calendars;
mod ledger;
mod plans;
mod presets;
mod response_time;
mod scope;

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use reeve_access::Role;
use reeve_audit::ActionStatus;
use reeve_engine::AgentInput;
use reeve_estate::{
    GIB, Metric, PriceCatalogue, Resource, ResourceId, ResourceKind, ResourceState, SampleSeries,
};
use reeve_predict::{
    CalendarInput, Outcome, RuleId, RuleInput, RulePorts, RuleService, RuleStore as _, TrafficInput,
};
use reeve_recommend::agent::{Agent, AgentType, Impact};
use reeve_recommend::error::EngineError;
use reeve_recommend::guardrail::Guardrails;
use reeve_recommend::ports::Clock as _;
use reeve_recommend::recommendation::lifecycle::Status;

use crate::world::{World, operator, person, resource};
use calendars::Address;
use ledger::Rules;

struct Fixture {
    world: World,
    service: RuleService,
    rules: Arc<Rules>,
    /// Calendar that an address serves.
    address: Arc<Address>,
}

fn fixture() -> Fixture {
    let world = World::new();
    let rules = Arc::new(Rules::default());
    let address = Arc::new(Address::default());
    let ports = RulePorts {
        rules: Arc::clone(&rules) as _,
        estate: Arc::clone(&world.memory) as _,
        samples: Arc::clone(&world.memory) as _,
        responses: Arc::clone(&world.engine.responses) as _,
        recorder: Arc::clone(&world.log) as _,
        clock: Arc::clone(&world.clock) as _,
        catalogue: Arc::new(PriceCatalogue::builtin().clone()),
        agent_types: reeve_agents::registry(),
        calendar_fetch: Arc::clone(&address) as _,
    };

    Fixture {
        world,
        service: RuleService::new(ports),
        rules,
        address,
    }
}

fn text(text: &str) -> Option<String> {
    Some(text.to_owned())
}

impl Fixture {
    /// One agent of each type that the rules name. Returns the one for operations.
    async fn agent(&self, mode: &str) -> Agent {
        self.agent_of("db_optimizer", mode).await;
        self.agent_of("performance_optimizer", mode).await;
        self.agent_of("ops_intelligence", mode).await
    }

    async fn agent_of(&self, agent_type: &str, mode: &str) -> Agent {
        let input = AgentInput {
            agent_type: text(agent_type),
            name: text(agent_type),
            mode: text(mode),
            auto_apply_enabled: Some(true),
            auto_apply_max_impact: text("high"),
            auto_apply_approval_required: text("high"),
            confidence_threshold: text("50%"),
            reason: text("a test"),
            ..AgentInput::default()
        };
        self.world
            .engine
            .agents
            .agent_create(input, &person("admin", &[Role::Administrator]))
            .await
            .unwrap()
    }

    /// Turns off the rule of the agent's runs that forecasts full storage too.
    async fn without_forecasts_of_its_own(&self, agent: &Agent) {
        let input = AgentInput {
            settings: [(
                "predict_disk_full.enabled".to_owned(),
                Some("false".to_owned()),
            )]
            .into(),
            ..AgentInput::default()
        };
        self.world
            .engine
            .agents
            .agent_configure(&agent.id, input, &person("admin", &[Role::Administrator]))
            .await
            .unwrap();
    }

    /// Replaces a series by points every five minutes up to now, by how many minutes back they are.
    fn measure(&self, id: &str, metric: Metric, days: i64, value: impl Fn(i64) -> f64) {
        let now = self.world.clock.now();
        let points = (1..=days * 288)
            .rev()
            .map(|back| (now - SignedDuration::from_mins(back * 5), value(back * 5)));
        let series = SampleSeries {
            resource: ResourceId::new(id),
            metric,
            points: points.collect(),
            period_s: 300,
        };
        let mut all = self.world.memory.series.lock();
        all.retain(|one| one.resource != series.resource || one.metric != metric);

        all.push(series);
    }

    fn database(&self, id: &str, storage_gib: f64) -> Resource {
        let mut database = resource(id, ResourceKind::Database, Some("db.m5.large"));
        database.service = "rds".to_owned();
        database.state = ResourceState::Running;
        database.specification.platform = text("postgres");
        database.specification.storage_gib = Some(storage_gib);
        database.specification.storage_type = text("gp3");
        self.world.put(database.clone());
        database
    }

    /// db.m5.large has 8 GiB: 901 connections by RDS's default. Reached in an hour.
    fn connections_run_out(&self, id: &str) {
        self.measure(id, Metric::DatabaseConnections, 3, |back| {
            let base = 300.0 + f64::from((back / 5 % 5) as u8);
            if back < 600 {
                base + (600 - back) as f64 * 550.0 / 600.0
            } else {
                base
            }
        });
    }

    async fn rule(&self, input: RuleInput) -> RuleId {
        self.service.create(input, &operator()).await.unwrap().id
    }
}

fn disk() -> RuleInput {
    RuleInput {
        name: text("disk"),
        agent_type: text("ops_intelligence"),
        metric: text("disk_space"),
        prediction: text("full"),
        horizon: text("7d"),
        action: text("expand_storage"),
        approval: text("auto_below"),
        below_gb: Some(500.0),
        ..RuleInput::default()
    }
}

fn replica() -> RuleInput {
    RuleInput {
        name: text("connections"),
        agent_type: text("db_optimizer"),
        metric: text("database_connections"),
        prediction: text("saturation"),
        horizon: text("2h"),
        action: text("create_read_replica"),
        approval: text("required"),
        ..RuleInput::default()
    }
}

/// Percent of a file system in use that reaches 100 in so many days, with a little noise.
fn filling_up(days: f64) -> impl Fn(i64) -> f64 {
    move |back| 80.0 - back as f64 * 20.0 / (days * 1440.0) + f64::from((back / 5 % 7) as u8) * 0.01
}

/// Free storage that runs out in so many days, with a little noise.
fn running_out(gib: f64, days: f64) -> impl Fn(i64) -> f64 {
    move |back| {
        let slope = gib * 0.2 / (days * 1440.0);
        (gib * 0.2 + slope * back as f64 + f64::from((back / 5 % 7) as u8) * gib * 1e-5) * GIB
    }
}

#[tokio::test]
async fn a_disk_that_fills_becomes_a_recommendation_under_its_approval_rule() {
    let it = fixture();
    it.agent("learning").await;
    it.database("db-small", 100.0);
    it.database("db-large", 800.0);
    it.database("db-calm", 100.0);
    it.measure("db-small", Metric::FreeStorage, 20, running_out(100.0, 3.0));
    it.measure("db-large", Metric::FreeStorage, 20, running_out(800.0, 3.0));
    it.measure("db-calm", Metric::FreeStorage, 20, |back| {
        60.0 * GIB + f64::from((back / 5 % 7) as u8) * 1e6
    });
    let tried = it.service.preview(disk(), &operator()).await.unwrap();
    assert_eq!(
        tried
            .iter()
            .filter(|one| one.outcome == Outcome::Foreseen)
            .count(),
        2,
        "both that fill"
    );

    assert!(
        it.world.on("db-small").await.is_empty(),
        "a preview recommends nothing"
    );

    let rule = it.rule(disk()).await;
    let found = it.service.evaluate(&rule, &operator()).await.unwrap();
    let prediction = |id: &str| {
        found
            .iter()
            .find(|one| one.resource.as_str() == id)
            .unwrap()
    };

    assert_eq!(
        prediction("db-calm").outcome,
        Outcome::NotForeseen,
        "{:?}",
        prediction("db-calm")
    );

    let small = prediction("db-small");
    assert_eq!(small.outcome, Outcome::Foreseen, "{small:?}");

    let days = small
        .expected_at
        .unwrap()
        .duration_since(it.world.clock.now())
        .as_hours() as f64
        / 24.0;

    assert!(
        (2.0..4.5).contains(&days),
        "full in {days} days, it should be about 3"
    );
    assert!(!small.forecast.is_empty() && small.points > 5_000 && small.limit == Some(0.0));

    let recommendation = it.world.only("db-small").await;
    assert_eq!(small.recommendation.as_ref(), Some(&recommendation.id));
    assert_eq!(
        (recommendation.status, recommendation.origin.rule.as_str()),
        (Status::Open, "expand_storage")
    );

    // 125 GiB are 134 GB: below 500. 1,000 GiB are 1,074 GB: not below.
    assert_eq!(recommendation.impact_level, Impact::Low);
    assert!(
        recommendation.explanation.decision_path[1]
            .detail
            .contains("134 GB after the change, below 500 GB")
    );
    assert_eq!(it.world.only("db-large").await.impact_level, Impact::Medium);
    assert!(it.world.on("db-calm").await.is_empty());

    // Kept beside the rule, and recorded.
    let (kept, total) = it.rules.prediction_list(&Default::default()).await.unwrap();
    assert_eq!((kept.len(), total), (3, 3));

    let operations: Vec<_> = it
        .world
        .entries()
        .iter()
        .filter_map(|e| e.action.operation.clone())
        .collect();

    assert!(
        operations.iter().any(|o| o == "predictive_rule.evaluate"),
        "{operations:?}"
    );
    assert!(
        it.rules
            .rule_get(&rule)
            .await
            .unwrap()
            .last_result
            .unwrap()
            .contains("2 expected to reach the limit")
    );
}

#[tokio::test]
async fn what_is_no_longer_foreseen_is_taken_back_and_a_run_does_not_take_it_back() {
    let it = fixture();
    let agent = it.agent("learning").await;
    it.without_forecasts_of_its_own(&agent).await;
    it.database("db-1", 100.0);
    it.measure("db-1", Metric::FreeStorage, 20, running_out(100.0, 3.0));
    let rule = it.rule(disk()).await;
    it.service.evaluate(&rule, &operator()).await.unwrap();
    let first = it.world.only("db-1").await;
    it.service.evaluate(&rule, &operator()).await.unwrap();
    assert_eq!(
        it.world.only("db-1").await.id,
        first.id,
        "found again, not twice"
    );
    it.world.run(&agent).await;
    assert_eq!(
        it.world.again(&first).await.status,
        Status::Open,
        "the agent's own rules know nothing of it"
    );

    it.measure("db-1", Metric::FreeStorage, 20, |back| {
        60.0 * GIB + f64::from((back / 5 % 7) as u8) * 1e6
    });
    it.service.evaluate(&rule, &operator()).await.unwrap();
    let ended = it.world.again(&first).await;
    assert_eq!(
        (ended.status, ended.status_reason.as_deref()),
        (Status::Expired, Some("it is no longer predicted"))
    );
}

#[tokio::test]
async fn connections_that_run_out_ask_for_a_replica_and_need_approval() {
    let it = fixture();
    it.agent("active").await;
    it.database("db-1", 100.0);
    it.connections_run_out("db-1");
    let rule = it.rule(replica()).await;
    let found = it.service.evaluate(&rule, &operator()).await.unwrap();
    assert_eq!(found[0].outcome, Outcome::Foreseen, "{:?}", found[0]);
    assert_eq!(found[0].limit, Some(901.0));
    assert!(found[0].limit_source.contains("default of RDS"));

    let recommendation = it.world.only("db-1").await;
    assert_eq!(
        (recommendation.status, recommendation.impact_level),
        (Status::Open, Impact::Medium),
        "no agent makes one at a cost it does not know"
    );

    let plan = recommendation.plan.unwrap();
    assert_eq!(
        plan.steps
            .iter()
            .map(|step| step.kind.as_str())
            .collect::<Vec<_>>(),
        ["precondition", "replicate", "verify"]
    );
}

#[tokio::test]
async fn a_plan_goes_through_the_engines_ordinary_life() {
    let it = fixture();
    it.agent("active").await;
    it.world.machine("i-1", "c5.large", 5.0);
    let mut machine = it.world.memory.resources.lock()[&ResourceId::new("i-1")].clone();
    machine.monthly_cost = PriceCatalogue::builtin()
        .monthly_cost(&machine)
        .map(|month| month.cost);
    assert!(machine.monthly_cost.is_some());
    it.world.put(machine);
    it.measure("i-1", Metric::CpuUtilization, 35, |_| 95.0);
    let rule = RuleInput {
        name: text("busy"),
        agent_type: text("performance_optimizer"),
        metric: text("cpu_utilization"),
        prediction: text("above"),
        value: Some(Some(90.0)),
        horizon: text("0m"),
        action: text("scale_up"),
        approval: text("auto"),
        ..RuleInput::default()
    };
    let id = it.rule(rule).await;
    let found = it.service.evaluate(&id, &operator()).await.unwrap();
    assert_eq!(found[0].outcome, Outcome::Foreseen, "{:?}", found[0]);

    it.world.engine.execution.settle().await;
    // A rule opens no door: twice the price is beyond what the guardrails let an agent add.
    let held = it.world.only("i-1").await;
    assert_eq!(held.status, Status::Open);
    assert!(
        held.blocked
            .as_deref()
            .is_some_and(|why| why.contains("cost would rise")),
        "{held:?}"
    );

    let limits = it.world.engine.guardrails.guardrails_get().await.unwrap();
    let wider = Guardrails {
        max_cost_increase_percent: 200.0,
        ..limits
    };
    it.world
        .engine
        .guardrails
        .guardrails_put(wider, &person("ada", &[Role::Administrator]))
        .await
        .unwrap();

    it.service.evaluate(&id, &operator()).await.unwrap();
    it.world.engine.execution.settle().await;
    let done = it.world.again(&held).await;
    assert_eq!(done.status, Status::Succeeded, "{done:?}");

    let size = it.world.memory.resources.lock()[&ResourceId::new("i-1")]
        .specification
        .instance_type
        .clone();
    assert_eq!(size.as_deref(), Some("c5.xlarge"));
    it.world.every_change_was_announced();
}

/// Requests a second at a time of a balancer with a daily plateau, from 09:00 to 12:00 UTC.
fn plateau(at: Timestamp) -> f64 {
    let minute = at.as_second().rem_euclid(86_400) / 60;
    let noise = (at.as_second() / 300 * 37 % 11) as f64;
    if (540..720).contains(&minute) {
        500.0 + noise
    } else {
        100.0 + noise
    }
}

/// Evaluates a rule on a daily plateau of traffic, from 09:00 to 12:00 UTC, at some minutes of a
/// day.
async fn before_a_plateau<const N: usize>(
    it: &Fixture,
    action: &str,
    horizon: &str,
    minutes: [i64; N],
) -> [Outcome; N] {
    it.agent("learning").await;
    let mut balancer = resource("lb-1", ResourceKind::LoadBalancer, None);
    balancer.service = "elb".to_owned();
    it.world.put(balancer);
    let rule = RuleInput {
        name: text("peak"),
        agent_type: text("performance_optimizer"),
        metric: text("request_rate"),
        prediction: text("spike"),
        value: Some(Some(50.0)),
        horizon: text(horizon),
        action: text(action),
        approval: text("auto"),
        every: text("5m"),
        ..RuleInput::default()
    };
    let rule = it.rule(rule).await;

    let midnight = it.world.clock.now();
    assert_eq!(midnight.as_second().rem_euclid(86_400), 0);

    let mut outcomes = Vec::new();
    for minutes in minutes {
        let now = midnight + SignedDuration::from_mins(minutes);
        it.world
            .clock
            .advance(now.duration_since(it.world.clock.now()));
        it.measure("lb-1", Metric::RequestRate, 28, |back| {
            plateau(now - SignedDuration::from_mins(back))
        });
        let found = it.service.evaluate(&rule, &operator()).await.unwrap();
        outcomes.push(found[0].outcome);
    }

    outcomes.try_into().unwrap()
}

#[tokio::test]
async fn a_daily_peak_is_foreseen_a_quarter_of_an_hour_before_and_not_an_hour_before() {
    let it = fixture();
    // An hour before, twelve minutes before, and when it has begun.
    let found = before_a_plateau(&it, "pre_scale", "15m", [480, 528, 560]).await;
    assert_eq!(
        found,
        [
            Outcome::NotForeseen,
            Outcome::Foreseen,
            Outcome::NotForeseen
        ]
    );

    let recommendation = it.world.only("lb-1").await;
    assert_eq!(
        (recommendation.status, recommendation.origin.rule.as_str()),
        (Status::Expired, "pre_scale")
    );
}

#[tokio::test]
async fn traffic_intelligence_decides_what_announces_a_peak() {
    let outcomes = async |input: TrafficInput, with_event: bool| {
        let it = fixture();
        it.service.traffic_put(input, &operator()).await.unwrap();
        if with_event {
            let text = "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:1\r\nSUMMARY:Sale\r\nDTSTART:20260101T090000Z\r\nDTEND:20260101T100000Z\r\n\
                        RRULE:FREQ=DAILY\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";
            let calendar = CalendarInput {
                name: Some("Sales".to_owned()),
                kind: Some("traffic".to_owned()),
                text: Some(text.to_owned()),
                ..CalendarInput::default()
            };
            it.service
                .calendar_put(calendar, None, &operator())
                .await
                .unwrap();
        }
        // Twelve minutes before the plateau that comes at nine.
        before_a_plateau(&it, "pre_scale", "15m", [528]).await[0]
    };

    let input = TrafficInput::default;
    assert_eq!(outcomes(input(), false).await, Outcome::Foreseen);

    let unlearned = || TrafficInput {
        learn_patterns: Some(false),
        ..input()
    };

    assert_eq!(
        outcomes(unlearned(), false).await,
        Outcome::NotForeseen,
        "nothing announces it"
    );

    assert_eq!(
        outcomes(unlearned(), true).await,
        Outcome::Foreseen,
        "a calendar announces it"
    );

    let unaware = TrafficInput {
        event_awareness: Some(false),
        ..unlearned()
    };
    assert_eq!(
        outcomes(unaware, true).await,
        Outcome::NotForeseen,
        "calendars are not asked"
    );

    let seasonless = TrafficInput {
        seasonal_adjustments: Some(false),
        ..input()
    };
    assert_eq!(
        outcomes(seasonless, false).await,
        Outcome::NotForeseen,
        "a daily peak is a season"
    );
}

#[tokio::test]
async fn caches_are_asked_to_be_warmed_half_an_hour_before_high_traffic() {
    let it = fixture();
    let found = before_a_plateau(&it, "warm_cache", "30m", [480, 500, 514]).await;
    assert_eq!(
        found,
        [
            Outcome::NotForeseen,
            Outcome::NotForeseen,
            Outcome::Foreseen
        ],
        "60, 40 and 26 minutes before"
    );

    let recommendation = it.world.only("lb-1").await;
    assert_eq!(
        (recommendation.status, recommendation.origin.rule.as_str()),
        (Status::Open, "warm_cache")
    );
    assert!(
        recommendation.title.contains("Warm the caches of lb-1"),
        "{}",
        recommendation.title
    );
    assert!(recommendation.plan.is_none(), "no cloud has a call for it");
}

#[tokio::test]
async fn a_failover_is_prepared_before_a_maintenance_in_its_zone() {
    let it = fixture();
    it.agent("learning").await;
    it.database("db-1", 100.0);

    // The clock stands at 2026-11-16T00:00Z, Monday: 02:00 in Berlin is 01:00Z.
    let calendar = "BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:m\nSUMMARY:Switch upgrade\nDTSTART;TZID=Europe/Berlin:20261102T020000\n\
        DTEND;TZID=Europe/Berlin:20261102T040000\nRRULE:FREQ=WEEKLY;BYDAY=MO\nEND:VEVENT\nEND:VCALENDAR\n";
    let input = CalendarInput {
        name: text("work"),
        kind: text("maintenance"),
        text: text(calendar),
        ..Default::default()
    };

    let kept = it
        .service
        .calendar_put(input, None, &operator())
        .await
        .unwrap();

    let rule = RuleInput {
        name: text("failover"),
        agent_type: text("ops_intelligence"),
        prediction: text("event"),
        horizon: text("30m"),
        action: text("prepare_failover"),
        approval: text("required"),
        calendars: Some(vec![kept.id.0.clone()]),
        ..RuleInput::default()
    };
    let rule = it.rule(rule).await;
    let early = it.service.evaluate(&rule, &operator()).await.unwrap();

    assert_eq!(
        early[0].outcome,
        Outcome::NotForeseen,
        "an hour before: {:?}",
        early[0]
    );

    it.world.clock.advance(SignedDuration::from_mins(40));
    let soon = it.service.evaluate(&rule, &operator()).await.unwrap();
    assert_eq!(
        (soon[0].outcome, soon[0].event.as_deref()),
        (Outcome::Foreseen, Some("Switch upgrade"))
    );

    let recommendation = it.world.only("db-1").await;
    let factors = &recommendation.explanation.factors;
    let begins = "Switch upgrade begins around 2026-11-16 01:00 UTC";
    assert!(factors.iter().any(|factor| factor == begins), "{factors:?}");
    assert_eq!(recommendation.impact_level, Impact::Medium);

    let named = it.service.calendar_remove(&kept.id, &operator()).await;
    assert!(
        matches!(named, Err(EngineError::Conflict(_))),
        "a rule names it"
    );
    it.world.clock.advance(SignedDuration::from_mins(30));
    it.service.evaluate(&rule, &operator()).await.unwrap();
    assert_eq!(
        it.world.again(&recommendation).await.status,
        Status::Expired,
        "it has begun"
    );
}

#[tokio::test]
async fn thin_or_stale_samples_and_unknown_capacities_abstain() {
    let it = fixture();
    it.agent("learning").await;
    it.database("db-1", 100.0);
    let disk = it
        .rule(RuleInput {
            resources: Some(vec!["db-1".to_owned()]),
            ..disk()
        })
        .await;

    let said = |found: Vec<reeve_predict::Prediction>| {
        assert_eq!(found[0].outcome, Outcome::Abstained, "{found:?}");
        found[0]
            .reasons
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .join("; ")
    };
    let nothing = said(it.service.evaluate(&disk, &operator()).await.unwrap());
    assert_eq!(nothing, "disk_space was not measured");

    it.measure("db-1", Metric::FreeStorage, 20, running_out(100.0, 3.0));
    it.world.clock.advance(SignedDuration::from_hours(48));
    let stale = said(it.service.evaluate(&disk, &operator()).await.unwrap());
    assert!(stale.contains("minutes old"), "{stale}");

    let mut balancer = resource("lb-1", ResourceKind::LoadBalancer, None);
    balancer.service = "elb".to_owned();
    it.world.put(balancer);
    it.measure("lb-1", Metric::RequestRate, 3, |back| {
        10.0 + (back % 7) as f64
    });
    let calls = RuleInput {
        name: text("calls"),
        agent_type: text("ops_intelligence"),
        metric: text("api_rate_limit"),
        prediction: text("exhaustion"),
        horizon: text("15m"),
        action: text("request_limit_increase"),
        approval: text("auto"),
        ..RuleInput::default()
    };
    let calls = it.rule(calls).await;
    let unknown = said(it.service.evaluate(&calls, &operator()).await.unwrap());
    assert!(unknown.contains("reeve:rate-limit"), "{unknown}");

    it.world.tag("lb-1", "reeve:rate-limit", "1000");
    let known = it.service.evaluate(&calls, &operator()).await.unwrap();
    assert_eq!(
        (known[0].outcome, known[0].limit),
        (Outcome::NotForeseen, Some(1000.0))
    );
}

#[tokio::test]
async fn rules_are_versioned_recorded_and_leave_nothing_behind() {
    let it = fixture();
    it.database("db-1", 100.0);
    it.measure("db-1", Metric::FreeStorage, 20, running_out(100.0, 3.0));
    let rule = it.rule(disk()).await;
    it.service.evaluate(&rule, &operator()).await.unwrap();
    let advice = it.world.only("db-1").await;
    assert_eq!(
        (advice.agent_id, advice.origin.agent_type),
        (None, AgentType::OPS_INTELLIGENCE),
        "advice without an agent"
    );

    let agent = it.agent("learning").await;
    // Not due again within the hour; then it is.
    it.world.clock.advance(SignedDuration::from_mins(30));
    assert_eq!(it.service.evaluate_due(&operator()).await.unwrap(), 0);
    it.world.clock.advance(SignedDuration::from_mins(31));
    it.measure("db-1", Metric::FreeStorage, 20, running_out(100.0, 3.0));
    assert_eq!(it.service.evaluate_due(&operator()).await.unwrap(), 1);

    let recommendation = it.world.only("db-1").await;
    assert_eq!(
        (&recommendation.id, recommendation.agent_id.as_ref()),
        (&advice.id, Some(&agent.id)),
        "adopted by the agent of its type"
    );

    let change = RuleInput {
        horizon: text("3h"),
        ..RuleInput::default()
    };
    let stale = it
        .service
        .change(&rule, Some(7), change.clone(), &operator())
        .await;
    assert!(matches!(stale, Err(EngineError::Conflict(_))));
    assert_eq!(
        it.service
            .change(&rule, Some(1), change, &operator())
            .await
            .unwrap()
            .version,
        2
    );

    let calendars = RuleInput {
        calendars: Some(vec!["none".to_owned()]),
        ..RuleInput::default()
    };
    let Err(EngineError::Invalid(errors)) =
        it.service.change(&rule, None, calendars, &operator()).await
    else {
        panic!("a calendar that does not exist was taken")
    };

    assert_eq!(errors[0].path, "condition.calendars[0]");
    *it.world.log.silent_after.lock() = Some(0);
    assert!(
        it.service.remove(&rule, &operator()).await.is_err(),
        "what cannot be recorded is not done"
    );
    assert!(it.rules.rule_get(&rule).await.is_ok());
    *it.world.log.silent_after.lock() = None;
    it.service.remove(&rule, &operator()).await.unwrap();
    assert_eq!(
        it.world.again(&recommendation).await.status,
        Status::Expired
    );
    it.service.seed().await.unwrap();
    it.service.seed().await.unwrap();
    let kept = it.rules.rule_list().await.unwrap();
    assert_eq!(
        kept.len(),
        6,
        "the three of A-205 to A-207 and the three of traffic"
    );

    let (changes, _): (Vec<_>, Vec<_>) = it
        .world
        .entries()
        .into_iter()
        .filter(|entry| entry.action.status == Some(ActionStatus::Success))
        .filter_map(|entry| entry.action.operation)
        .filter(|operation| operation.starts_with("predictive_rule."))
        .partition(|operation| !operation.ends_with("evaluate"));

    let counted = |name: &str| {
        changes
            .iter()
            .filter(|operation| operation.ends_with(name))
            .count()
    };

    assert_eq!(
        (counted("create"), counted("modify"), counted("delete")),
        (1, 1, 1)
    );
}
