//! Tables of the judgement: groups that may move to spot capacity and those that may not, pools
//! that are too few, notices that are followed and those that are weighed, and the way back.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use reeve_audit::{ActionMethod, ActionStatus, Entry, EventType};
use reeve_estate::{
    Capacity, ConnectionId, Document, PriceCatalogue, Provider, Purchase, Resource, ResourceId,
    ResourceKind, SUCCEEDS_TAG,
};
use reeve_learn::interruption::{History, InterruptionEnding, InterruptionModel, Lifetime};
use reeve_recommend::agent::contract::AgentDefinition as _;
use reeve_recommend::agent::settings::{AgentSettings, SettingValue};
use reeve_recommend::change::{Change as _, ReplaceMachine, ReplaceOperation, Work};
use reeve_recommend::guardrail::Guardrails;
use reeve_recommend::judgement::open_facts::OpenFacts;
use reeve_recommend::judgement::proposal::Proposal;
use reeve_recommend::judgement::spot::SpotRisk;
use reeve_recommend::judgement::spot_market::{Placement, SpotMarket, ZoneScore, pool_price};
use reeve_recommend::judgement::{Facts, Fleet, Judgement};
use reeve_recommend::models::LearnedModels;
use serde_json::{Value, json};

use super::pools::{Split, split, spot_of};
use super::{SpotOptimizer, market_types, notice};
use crate::cost_optimizer::tests::estate::{now, resource};

/// A resource with its configuration and what is known of interruptions.
struct Case {
    resource: Resource,
    document: Option<Document>,
    settings: AgentSettings,
    risk: SpotRisk,
    market: Option<SpotMarket>,
    members: Vec<Resource>,
}

fn risk(history: &History) -> SpotRisk {
    let taken = |life: &&Lifetime| life.ending == InterruptionEnding::Interrupted;
    SpotRisk {
        model: Arc::new(InterruptionModel::fit(history)),
        interruptions: history.lifetimes.iter().filter(taken).count(),
        lives: history.lifetimes.len(),
        history_days: 90,
        losses: Vec::new(),
    }
}

impl Case {
    /// A group of four in two zones, whose workload a tag names.
    fn group(further: Value) -> Case {
        let mut group = resource(
            "asg-1",
            ResourceKind::ScalingGroup,
            "autoscaling",
            Some("m5.large"),
        );
        group.state = reeve_estate::ResourceState::Available;
        group.specification.capacity = Some(Capacity {
            min: 1,
            desired: 4,
            max: 8,
        });
        group.tags.insert("workload".to_owned(), "batch".to_owned());
        let mut document = json!({
            "AutoScalingGroupName": "workers", "AvailabilityZones": ["us-east-1a", "us-east-1b"],
            "HealthCheckGracePeriod": "300", "LaunchTemplate": { "LaunchTemplateId": "lt-1", "Version": "3" },
        });
        for (name, value) in further.as_object().unwrap() {
            document[name] = value.clone();
        }
        Case {
            resource: group,
            document: Some(Document::new(document)),
            settings: AgentSettings::default(),
            risk: risk(&History::default()),
            market: None,
            members: Vec::new(),
        }
    }

    fn machine(purchase: Purchase) -> Case {
        let mut machine = resource("i-1", ResourceKind::VirtualMachine, "ec2", Some("m5.large"));
        machine.purchase = Some(purchase);
        machine.created_at = Some(now() - SignedDuration::from_hours(30));
        Case {
            resource: machine,
            document: None,
            settings: AgentSettings::default(),
            risk: risk(&History::default()),
            market: None,
            members: Vec::new(),
        }
    }

    fn set(mut self, path: &str, value: SettingValue) -> Case {
        self.settings.0.insert(path.to_owned(), value);
        self
    }

    fn with<T>(&self, read: impl FnOnce(&Facts<'_>) -> T) -> T {
        let mut open = OpenFacts::default();
        open.put(self.risk.clone());
        if !self.members.is_empty() {
            open.put(Fleet::new(self.members.clone(), now(), now()));
        }
        if let Some(market) = &self.market {
            open.put(Arc::new(market.clone()));
        }
        read(&Facts {
            resource: &self.resource,
            series: &[],
            maxima: &[],
            charges: &[],
            document: self.document.as_ref(),
            relations: reeve_recommend::judgement::RelationIndex::none(),
            volumes: &[],
            catalogue: PriceCatalogue::builtin(),
            settings: &self.settings,
            guardrails: &Guardrails::default(),
            open: &open,
            models: &LearnedModels::default(),
            attachment_changed_at: None,
            unchanged_since: None,
            now: now(),
        })
    }

    fn judge(&self) -> Judgement {
        self.with(|facts| SpotOptimizer.judge(facts))
    }

    fn found(&self) -> Proposal {
        let mut judged = self.judge();
        assert!(!judged.proposals.is_empty(), "{:#?}", judged.abstentions);
        judged.proposals.remove(0)
    }

    fn code(&self) -> &'static str {
        let judged = self.judge();
        assert!(judged.proposals.is_empty(), "{:#?}", judged.proposals);
        judged.abstentions[0].code
    }

    fn notice(&self, kind: &str) -> Result<Proposal, &'static str> {
        let entry = Entry::new(EventType::from_static("resource.interrupt_notice")).with_action(
            kind,
            ActionStatus::Success,
            ActionMethod::System,
        );
        self.with(|facts| notice::judge(&entry, facts).map_err(|why| why.code))
    }
}

/// Lives of a pool, each taken after an hour, over twenty days.
fn stormy(pool: &str) -> History {
    let lives = (0..480).map(|number| {
        let start = now() - SignedDuration::from_hours(480 - number);
        Lifetime {
            pool: pool.to_owned(),
            family: "m5".to_owned(),
            start_ms: start.as_millisecond(),
            end_ms: (start + SignedDuration::from_hours(1)).as_millisecond(),
            ending: InterruptionEnding::Interrupted,
        }
    });
    History {
        lifetimes: lives.collect(),
        signals: Vec::new(),
    }
}

#[test]
fn a_part_of_a_group_is_spot_that_may_be_lost_at_once() {
    let base = |base, percent| Split { base, percent };
    // (desired, zones, share lost at once, least base) and the split.
    let table = [
        ((4, 2, 50.0, 1), base(1, 0)),
        ((2, 1, 50.0, 1), base(1, 50)),
        ((10, 2, 20.0, 0), base(0, 60)),
        ((3, 2, 50.0, 0), base(1, 0)),
        ((6, 3, 50.0, 2), base(2, 0)),
    ];
    for ((desired, zones, share, least), expected) in table {
        let found = split(desired, zones, share, least, 0);
        assert_eq!(found, expected, "{desired} in {zones}");
        let lost = spot_of(desired, found).div_ceil(zones);
        assert!(f64::from(lost) <= (f64::from(desired) * share / 100.0).max(1.0));
    }
}

#[test]
fn a_group_of_jobs_moves_to_spot_capacity_in_part() {
    let case = Case::group(json!({}));
    let found = case.found();
    assert_eq!(found.rule, "recommend_spot_eligible");
    assert!(found.savings_monthly.unwrap().usd() > 0.0);
    let plan = found.plan.unwrap();
    assert_eq!(plan.change_name(), Some("use_mixed_instances"));
    assert!(plan.reversible);
    let words = found.explanation.cost_reduction;
    assert!(
        words.contains("90 % range") && words.contains("interruptions"),
        "{words}"
    );

    let silent = Case::group(json!({})).set("predict_savings.enabled", SettingValue::Flag(false));
    let silent = silent.found();
    assert_eq!(
        (silent.savings_monthly, silent.impact.cost_percent),
        (None, None)
    );
}

#[test]
fn groups_that_cannot_lose_members_say_why() {
    let flag = |path: &str| Case::group(json!({})).set(path, SettingValue::Flag(false));
    assert_eq!(
        flag("recommend_spot_eligible.enabled").code(),
        "switched_off"
    );
    let protected = json!({ "NewInstancesProtectedFromScaleIn": "true" });
    assert_eq!(Case::group(protected).code(), "stateful");
    let slow = json!({ "DefaultInstanceWarmup": "1800" });
    assert_eq!(Case::group(slow.clone()).code(), "starts_slowly");
    let patient = Case::group(slow).set(
        "recommend_spot_eligible.start_minutes",
        SettingValue::Count(60),
    );
    assert_eq!(patient.found().rule, "recommend_spot_eligible");
    let base = SettingValue::Count(4);
    let kept = Case::group(json!({})).set("recommend_spot_eligible.min_on_demand", base);
    assert_eq!(kept.code(), "nothing_left");
    let many = SettingValue::Count(20);
    let few = Case::group(json!({})).set("diversify_instance_types.types", many);
    assert_eq!(few.code(), "too_few_pools");

    let mut unknown = Case::group(json!({}));
    unknown.resource.tags.clear();
    assert_eq!(unknown.code(), "class_not_known");
    let unasked = SettingValue::Flag(false);
    let unknown = unknown.set("workload_classification.enabled", unasked);
    assert_eq!(unknown.found().rule, "recommend_spot_eligible");

    let mut production = Case::group(json!({}));
    production
        .resource
        .tags
        .insert("workload".to_owned(), "web".to_owned());
    production
        .resource
        .tags
        .insert("env".to_owned(), "production".to_owned());
    let found = production.found();
    let path = format!("{:?}", found.explanation.decision_path);
    assert!(path.contains("50 % of the machines"), "{path}");
}

#[test]
fn a_group_on_one_pool_gets_more_of_them() {
    let policy = |types: Value, rebalance: &str| {
        json!({
            "CapacityRebalance": rebalance, "LaunchTemplate": null,
            "MixedInstancesPolicy": {
                "LaunchTemplate": {
                    "LaunchTemplateSpecification": { "LaunchTemplateId": "lt-1", "Version": "3" },
                    "Overrides": types,
                },
                "InstancesDistribution": {
                    "OnDemandBaseCapacity": "0", "OnDemandPercentageAboveBaseCapacity": "0",
                    "SpotAllocationStrategy": "price-capacity-optimized",
                },
            },
        })
    };
    let one = json!([{ "InstanceType": "m5.large" }]);
    let found = Case::group(policy(one.clone(), "false")).found();
    assert_eq!(found.rule, "diversify_instance_types");
    assert!(found.plan.is_some_and(|plan| plan.reversible));

    let off = SettingValue::Flag(false);
    let off = Case::group(policy(one, "true")).set("diversify_instance_types.enabled", off);
    assert_eq!(off.code(), "switched_off");
    let four = json!([
        { "InstanceType": "m5.large" }, { "InstanceType": "m6i.large" },
        { "InstanceType": "m5a.large" }, { "InstanceType": "m6a.large" },
    ]);
    assert_eq!(Case::group(policy(four, "true")).code(), "diversified");
    let weighed = json!([{ "InstanceType": "m5.large", "WeightedCapacity": "2" }]);
    assert_eq!(
        Case::group(policy(weighed, "true")).code(),
        "policy_of_people"
    );
}

/// A market in which each type of a group costs a share of its on-demand price, and the score of
/// each zone is the same.
fn market(share: f64, score: u32) -> SpotMarket {
    let mut market = SpotMarket::new(ConnectionId("c".to_owned()), "us-east-1".to_owned());
    let catalogue = PriceCatalogue::builtin();
    let zones = ["us-east-1a", "us-east-1b"];
    for size in market_types(catalogue, "us-east-1", "m5.large") {
        let price = catalogue.hourly_usd(Provider::Aws, "us-east-1", &size, None);
        for zone in zones {
            let pool = (size.as_str(), zone, "Linux/UNIX");
            let usd = price.as_ref().unwrap().usd_per_hour * share;
            market
                .prices
                .extend(pool_price(pool, &[(now(), usd)], (now(), now())));
        }
    }
    market.placements = vec![Placement {
        group: ResourceId::new("asg-1"),
        types: vec!["m5.large".to_owned()],
        machines: 4,
        zones: zones
            .map(|zone| ZoneScore {
                zone: zone.to_owned(),
                score,
            })
            .to_vec(),
        at: now(),
    }];
    market
}

#[test]
fn prices_of_its_zones_and_scores_decide_about_a_group() {
    let with = |market: SpotMarket| Case {
        market: Some(market),
        ..Case::group(json!({}))
    };
    let words = |found: &Proposal| format!("{:?}", found.explanation);
    let cheap = with(market(0.2, 9)).found();
    let dear = with(market(0.6, 9)).found();
    assert!(cheap.savings_monthly > dear.savings_monthly);
    assert!(
        words(&cheap).contains("spot prices of its zones"),
        "{}",
        words(&cheap)
    );
    assert!(words(&cheap).contains("us-east-1a 9"), "{}", words(&cheap));

    let short = with(market(0.2, 2));
    assert_eq!(short.code(), "capacity_short");
    let detail = short.judge().abstentions[0].detail.clone();
    assert!(
        detail.contains("placement score 2 of 10 in us-east-1"),
        "{detail}"
    );
    let least = SettingValue::Count(2);
    let eased = short.set("diversify_instance_types.min_placement_score", least);
    assert_eq!(eased.found().rule, "recommend_spot_eligible");

    // Where neither arrives, the finding says which source is missing and how to connect it.
    let unread = Case::group(json!({})).found();
    for missing in ["ec2:DescribeSpotPriceHistory", "ec2:GetSpotPlacementScores"] {
        assert!(words(&unread).contains(missing), "{}", words(&unread));
    }
    let mut denied = market(0.2, 9);
    denied.placements.clear();
    denied.score_failure = "the key may not call ec2:GetSpotPlacementScores".to_owned();
    assert!(words(&with(denied).found()).contains("the key may not call"));
}

#[test]
fn a_group_whose_template_asks_for_spot_capacity_can_rebalance() {
    let mut case = Case::group(json!({ "CapacityRebalance": "false" }));
    let mut member = Case::machine(Purchase::Spot).resource;
    member.group = Some(case.resource.id.clone());
    case.members = vec![member];
    let found = case.found();
    assert_eq!(found.rule, "diversify_instance_types");
    let plan = found.plan.unwrap();
    assert_eq!(plan.change_name(), Some("rebalance_group_capacity"));
    assert!(plan.reversible);
}

#[test]
fn a_machine_that_is_taken_back_gets_a_successor_on_demand() {
    let found = Case::machine(Purchase::Spot)
        .notice("interruption")
        .unwrap();
    assert_eq!(found.rule, "auto_fallback");
    assert_eq!(found.plan.unwrap().change_name(), Some("replace_machine"));

    let off = SettingValue::Flag(false);
    let advice = Case::machine(Purchase::Spot).set("auto_fallback.on_demand", off);
    assert_eq!(advice.notice("interruption").unwrap().plan, None);
    let off = SettingValue::Flag(false);
    let off = Case::machine(Purchase::Spot).set("predict_interruptions.enabled", off);
    assert_eq!(off.notice("interruption").unwrap_err(), "switched_off");
    let usual = Case::machine(Purchase::OnDemand);
    assert_eq!(usual.notice("interruption").unwrap_err(), "not_spot");
    let mut member = Case::machine(Purchase::Spot);
    member.resource.group = Some(ResourceId::new("asg-1"));
    assert_eq!(member.notice("interruption").unwrap_err(), "group_member");
}

#[test]
fn a_rebalance_recommendation_is_no_order() {
    let mut machine = Case::machine(Purchase::Spot);
    assert_eq!(machine.notice("rebalance").unwrap_err(), "risk_not_high");

    machine.risk = risk(&stormy("m5.large/us-east-1"));
    machine.resource.created_at = Some(now() - SignedDuration::from_mins(50));
    let known = machine.risk.risk_of(&machine.resource, now()).unwrap();
    let calm = risk(&History::default())
        .risk_of(&machine.resource, now())
        .unwrap();
    assert!(known.hour.value > calm.hour.value, "the model is read");
    let followed = machine.notice("rebalance");
    assert_eq!(followed.is_ok(), known.hour.value >= 0.1, "{known:?}");
    machine.resource.created_at = Some(now() - SignedDuration::from_mins(4));
    assert_eq!(machine.notice("rebalance").unwrap_err(), "too_young");
}

#[test]
fn a_successor_returns_once_the_hold_time_of_its_pool_is_over() {
    let mut machine = Case::machine(Purchase::OnDemand);
    assert_eq!(machine.code(), "lone_machine");
    machine
        .resource
        .tags
        .insert(SUCCEEDS_TAG.to_owned(), "i-0".to_owned());
    assert_eq!(
        machine.found().plan.unwrap().change_name(),
        Some("replace_machine")
    );

    let ago = |hours: i64| -> Timestamp { now() - SignedDuration::from_hours(hours) };
    machine.risk.losses = vec![ago(0) - SignedDuration::from_mins(5)];
    assert_eq!(machine.code(), "held");
    machine.risk.losses = vec![ago(200)];
    assert_eq!(machine.found().rule, "recommend_spot_eligible");

    // Two switches within a day, and the way back would be the third.
    machine.risk.losses = vec![ago(20), ago(12), ago(6)];
    assert_eq!(machine.code(), "held");
}

fn replacement(from: Purchase, to: Purchase) -> ReplaceMachine {
    ReplaceMachine {
        size: "m5.large".to_owned(),
        from,
        to,
    }
}

#[test]
fn a_machine_serves_until_its_successor_does() {
    let words: Vec<String> = replacement(Purchase::OnDemand, Purchase::Spot)
        .tasks("i-1")
        .into_iter()
        .map(|task| task.description)
        .collect();
    let place = |text: &str| words.iter().position(|one| one.contains(text)).unwrap();
    assert!(place("Launch") < place("Register") && place("Register") < place("stop it"));

    let fallback = replacement(Purchase::Spot, Purchase::OnDemand).tasks("i-1");
    assert!(
        fallback
            .iter()
            .all(|task| !task.description.contains("stop it"))
    );
}

#[test]
fn a_successor_is_not_ended_before_the_machine_runs_again() {
    let mut seen = Case::machine(Purchase::OnDemand).resource;
    let prior = seen.clone();
    let back = replacement(Purchase::OnDemand, Purchase::Spot);
    for operation in [
        ReplaceOperation::Launch {
            purchase: Purchase::Spot,
        },
        ReplaceOperation::Attach,
        ReplaceOperation::Retire,
    ] {
        operation.apply(&mut seen).unwrap();
    }
    assert!(ReplaceOperation::Remove.apply(&mut seen).is_err());

    let mut steps = Vec::new();
    while let Some(task) = back.undo(&prior, &seen) {
        steps.push(task.description.clone());
        let Work::Change(goal) = &task.work else {
            panic!("{task:?}")
        };
        let operation = goal.operation(&seen);
        let operation: &ReplaceOperation = operation.downcast_ref().unwrap();
        operation.apply(&mut seen).unwrap();
    }
    assert_eq!(steps.len(), 2, "{steps:?}");
    assert_eq!(seen, prior);
}
