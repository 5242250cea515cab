//! Anomalies: told once, answered in order, learned from; found in metrics and in behaviour.

use std::sync::Arc;

use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};
use parking_lot::Mutex;
use reeve_agents::anomaly::threat::{ListState, ThreatList, ThreatStore};
use reeve_agents::anomaly::watch::{BehaviourWatch, MetricWatch};
use reeve_agents::anomaly::{
    Anomaly, AnomalyClass, AnomalyFilter, AnomalyId, AnomalySettings, AnomalyStatus, AnomalyStore, Desk, DeskPorts,
    Finding, OwnChanges, Place, Reaction, Reading, Stage, course,
};
use reeve_agents::engine::Caller;
use reeve_agents::{ActionStatus as Ended, AgentStore as _, Clock, EngineError, Priority};
use reeve_audit::{ActionMethod, ActionStatus, Actor, Entry, EventType, Json};
use reeve_estate::{Metric, ResourceId, Series, StoreError};

use crate::world::{World, operator};

/// Anomalies in memory.
#[derive(Default)]
pub(crate) struct Kept {
    all: Mutex<Vec<Anomaly>>,
    pub(crate) settings: Mutex<AnomalySettings>,
    lists: Mutex<Vec<ThreatList>>,
}

#[async_trait]
impl ThreatStore for Kept {
    async fn threat_list_put(&self, list: &ThreatList) -> Result<(), StoreError> {
        let mut lists = self.lists.lock();
        lists.retain(|known| known.name != list.name);
        lists.push(list.clone());
        Ok(())
    }
    async fn threat_list_get(&self, name: &str) -> Result<ThreatList, StoreError> {
        let found = self.lists.lock().iter().find(|list| list.name == name).cloned();
        found.ok_or_else(|| StoreError::NotFound { what: "threat list", id: name.to_owned() })
    }
    async fn threat_list_delete(&self, name: &str) -> Result<(), StoreError> {
        self.lists.lock().retain(|list| list.name != name);
        Ok(())
    }
    async fn threat_list_all(&self) -> Result<Vec<ThreatList>, StoreError> {
        Ok(self.lists.lock().clone())
    }
    async fn threat_list_state(&self) -> Result<Vec<ListState>, StoreError> {
        let state = |list: &ThreatList| {
            let (name, updated_at) = (list.name.clone(), list.updated_at);
            ListState { name, updated_at, from_file: list.from_file }
        };
        Ok(self.lists.lock().iter().map(state).collect())
    }
}

#[async_trait]
impl AnomalyStore for Kept {
    async fn anomaly_insert(&self, anomaly: &Anomaly) -> Result<(), StoreError> {
        self.all.lock().push(anomaly.clone());
        Ok(())
    }
    async fn anomaly_update(&self, anomaly: &Anomaly) -> Result<(), StoreError> {
        let mut all = self.all.lock();
        let known = all.iter_mut().find(|known| known.id == anomaly.id).unwrap();
        if known.version + 1 != anomaly.version {
            return Err(StoreError::Conflict("somebody was faster".to_owned()));
        }
        *known = anomaly.clone();
        Ok(())
    }
    async fn anomaly_get(&self, id: &AnomalyId) -> Result<Anomaly, StoreError> {
        let found = self.all.lock().iter().find(|known| known.id == *id).cloned();
        found.ok_or_else(|| StoreError::NotFound { what: "anomaly", id: id.0.clone() })
    }
    async fn anomaly_list(&self, filter: &AnomalyFilter) -> Result<(Vec<Anomaly>, u64), StoreError> {
        let fits = |of: &&Anomaly| {
            filter.key.as_ref().is_none_or(|key| *key == of.key)
                && (filter.status.is_empty() || filter.status.contains(&of.status))
                && filter.since.is_none_or(|since| of.started_at >= since)
        };
        let mut found: Vec<Anomaly> = self.all.lock().iter().filter(fits).cloned().collect();
        found.sort_by_key(|of| std::cmp::Reverse(of.started_at));
        let total = found.len() as u64;
        Ok((found, total))
    }
    async fn anomaly_settings_get(&self) -> Result<AnomalySettings, StoreError> {
        Ok(self.settings.lock().clone())
    }
    async fn anomaly_settings_put(&self, settings: &AnomalySettings) -> Result<(), StoreError> {
        *self.settings.lock() = settings.clone();
        Ok(())
    }
    async fn anomaly_looked_get(&self) -> Result<Option<Timestamp>, StoreError> {
        Ok(None)
    }
    async fn anomaly_looked_put(&self, _: Timestamp) -> Result<(), StoreError> {
        Ok(())
    }
}

pub(crate) fn desk(world: &World) -> (Desk, Arc<Kept>) {
    let kept = Arc::new(Kept::default());
    let desk = Desk::new(DeskPorts {
        anomalies: Arc::clone(&kept) as _,
        agents: Arc::clone(&world.memory) as _,
        engine: Arc::clone(&world.engine),
        threats: Arc::clone(&kept) as _,
        recorder: Arc::clone(&world.log) as _,
        clock: Arc::clone(&world.clock) as _,
    });
    (desk, kept)
}

fn finding(world: &World, place: &str, score: f64) -> Finding {
    let now = world.clock.now();
    let reading = Reading {
        metric: Some(Metric::CpuUtilization),
        at: now,
        value: 97.0,
        expected: 31.0,
        low: 20.0,
        high: 44.0,
        score,
        sign: "a jump".to_owned(),
    };
    Finding {
        class: AnomalyClass::Performance,
        severity: Priority::Medium,
        title: format!("cpu of {place} jumped"),
        place: Place {
            id: place.to_owned(),
            name: place.to_owned(),
            kind: "virtual_machine".to_owned(),
            provider: Some("aws".to_owned()),
            account: Some("111122223333".to_owned()),
            region: Some("us-east-1".to_owned()),
            service: Some("ec2".to_owned()),
        },
        readings: vec![reading],
        evidence: Vec::new(),
        started_at: now,
        last_at: now,
    }
}

fn told(world: &World) -> Vec<String> {
    let operation = |entry: &Entry| entry.action.operation.clone().unwrap_or_default();
    world.entries().iter().map(operation).filter(|name| name.starts_with("anomaly.")).collect()
}

#[tokio::test]
async fn one_trouble_is_told_once_and_answered_in_order() {
    let world = World::new();
    let (desk, kept) = desk(&world);
    let system = Caller::system();
    let first = desk.report(finding(&world, "i-1", 0.7), &system).await.unwrap().unwrap();
    assert_eq!(told(&world), ["anomaly.detect", "anomaly.investigate", "anomaly.recommend"]);
    let stages: Vec<Stage> = first.responses.iter().map(|response| response.stage).collect();
    assert_eq!(stages, [Stage::Alert, Stage::Investigate, Stage::Recommend]);
    assert!((first.deviation_percent.unwrap() - 212.9).abs() < 0.1);
    assert!(first.cause.starts_with("not known") && !first.advice.is_empty() && !first.evidence.is_empty());

    world.clock.advance(SignedDuration::from_hours(2));
    assert!(desk.report(finding(&world, "i-1", 0.9), &system).await.unwrap().is_none(), "it goes on");
    let grown = kept.anomaly_get(&first.id).await.unwrap();
    assert_eq!((grown.readings[0].score, grown.last_at), (0.9, world.clock.now()));
    assert_eq!(desk.settle(&system).await.unwrap(), 0);
    world.clock.advance(SignedDuration::from_hours(7));
    assert_eq!(desk.settle(&system).await.unwrap(), 1);
    assert_eq!(kept.anomaly_get(&first.id).await.unwrap().status, AnomalyStatus::Resolved);
    assert!(desk.report(finding(&world, "i-1", 0.9), &system).await.unwrap().is_some(), "the next is another");
}

#[tokio::test]
async fn spending_is_over_after_days_because_bills_are_late() {
    let world = World::new();
    let (desk, kept) = desk(&world);
    let system = Caller::system();
    let found = finding(&world, "111/EC2/USD", 0.7);
    let reading = Reading { metric: None, ..found.readings[0].clone() };
    let spending = Finding { class: AnomalyClass::Cost, readings: vec![reading], ..found };
    let first = desk.report(spending.clone(), &system).await.unwrap().unwrap();
    assert!(first.evidence[0].starts_with("cost a day was"), "{:?}", first.evidence);
    world.clock.advance(SignedDuration::from_hours(48));
    assert_eq!(desk.settle(&system).await.unwrap(), 0);
    assert!(desk.report(spending.clone(), &system).await.unwrap().is_none(), "the same bill, read again");
    world.clock.advance(SignedDuration::from_hours(25));
    assert_eq!(desk.settle(&system).await.unwrap(), 1);
    assert!(desk.report(spending, &system).await.unwrap().is_none(), "and again, once it is over");
    assert_eq!(kept.anomaly_get(&first.id).await.unwrap().status, AnomalyStatus::Resolved);
}

#[tokio::test]
async fn the_cause_is_what_changed_or_what_others_share() {
    let world = World::new();
    let (desk, _) = desk(&world);
    let system = Caller::system();
    let of = world.right_size("i-1", "t3.large").await;
    let action = world.execute(&of).await;
    let own = desk.report(finding(&world, "i-1", 0.9), &system).await.unwrap().unwrap();
    assert!(own.cause.contains("a change that Reeve made") && own.advice.contains(&action.id.0), "{own:?}");
    for other in ["i-2", "i-3"] {
        desk.report(finding(&world, other, 0.9), &system).await.unwrap();
    }
    let shared = desk.report(finding(&world, "i-4", 0.9), &system).await.unwrap().unwrap();
    assert!(shared.cause.contains("ec2 in us-east-1"), "{}", shared.cause);
}

#[tokio::test]
async fn what_people_say_is_learned_from() {
    let world = World::new();
    let (desk, kept) = desk(&world);
    let system = Caller::system();
    let first = desk.report(finding(&world, "i-1", 0.8), &system).await.unwrap().unwrap();
    let wrong = desk.feedback(&first.id, "maybe", None, &operator()).await;
    assert!(matches!(wrong, Err(EngineError::Invalid(errors)) if errors[0].path == "kind"));
    desk.acknowledge(&first.id, &operator()).await.unwrap();
    let ended = desk.feedback(&first.id, "false", Some("a nightly job"), &operator()).await.unwrap();
    assert_eq!((ended.status, ended.feedback[0].by.as_str()), (AnomalyStatus::Resolved, "olga@example.com"));
    assert_eq!(ended.responses.last().unwrap().stage, Stage::Learn);
    assert_eq!(told(&world).last().unwrap(), "anomaly.learn");
    assert!(desk.acknowledge(&first.id, &operator()).await.is_err());

    world.clock.advance(SignedDuration::from_hours(24));
    assert!(desk.report(finding(&world, "i-1", 0.8), &system).await.unwrap().is_none(), "the like of it stays quiet");
    assert!(desk.report(finding(&world, "i-1", 0.95), &system).await.unwrap().is_some(), "what is stranger does not");
    assert!(desk.report(finding(&world, "i-2", 0.8), &system).await.unwrap().is_some(), "nor does another machine");
    assert_eq!(kept.all.lock().len(), 3);
}

#[tokio::test]
async fn a_silent_log_lets_nothing_be_claimed() {
    let world = World::new();
    let (desk, kept) = desk(&world);
    *world.log.silent_after.lock() = Some(0);
    let reported = desk.report(finding(&world, "i-1", 0.9), &Caller::system()).await;
    assert!(matches!(reported, Err(EngineError::Record(_))));
    assert!(kept.all.lock().is_empty());
}

#[tokio::test]
async fn settings_are_checked_versioned_and_recorded() {
    let world = World::new();
    let (desk, kept) = desk(&world);
    let read = kept.anomaly_settings_get().await.unwrap();
    let mut wanted = read.clone();
    wanted.cost.threshold_percent = 0.0;
    wanted.cost.window_hours = 0;
    let refused = desk.settings_put(wanted, &operator()).await;
    assert!(matches!(refused, Err(EngineError::Invalid(errors)) if errors.len() == 2));
    let mut wanted = read.clone();
    wanted.cost.threshold_percent = 35.0;
    let stored = desk.settings_put(wanted.clone(), &operator()).await.unwrap();
    assert_eq!((stored.version, stored.cost.threshold_percent), (read.version + 1, 35.0));
    assert!(matches!(desk.settings_put(wanted, &operator()).await, Err(EngineError::Conflict(_))));
    let entry = world.entries().pop().unwrap();
    assert_eq!(entry.changes.after.unwrap().get("cost.threshold_percent"), Some(&Json::from(35.0)));
}

/// The only CPU series there is.
fn measured(world: &World, period_s: u32, points: Vec<(Timestamp, f64)>) {
    measured_of(world, Metric::CpuUtilization, period_s, points);
}

/// The only series there is of a metric.
fn measured_of(world: &World, metric: Metric, period_s: u32, points: Vec<(Timestamp, f64)>) {
    let mut series = world.memory.series.lock();
    series.retain(|series| series.metric != metric);
    series.push(Series { resource: ResourceId::new("i-1"), metric, points, period_s });
}

/// Seeded chance of a minute, from -0.5 to 0.5.
fn chance(minute: i64) -> f64 {
    let mut z = (minute as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(0xd1b5_4a32_d192_ed03);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
}

/// What a site shows in one minute: the day's wave, and much scatter.
fn minute(minute: i64) -> f64 {
    40.0 + 15.0 * (minute as f64 / 1440.0 * std::f64::consts::TAU).sin() + 12.0 * chance(minute)
}

/// The mean of the five minutes from one on.
fn five_minutes(from: i64) -> f64 {
    (from..from + 5).map(minute).sum::<f64>() / 5.0
}

async fn look(world: &World, watch: &mut MetricWatch) -> Vec<Finding> {
    let settings = AnomalySettings::default();
    let actions = world.memory.action_list(None, None).await.unwrap();
    watch.look(&*world.memory, &*world.memory, &actions, &settings, world.clock.now()).await.unwrap()
}

#[tokio::test]
async fn a_jump_of_a_metric_is_found_once_it_is_news() {
    let world = World::new();
    world.machine("i-1", "t3.large", 5.0);
    let now = world.clock.now();
    let wave = |at: i64| {
        30.0 + 10.0 * (at as f64 / 288.0 * std::f64::consts::TAU).sin() + f64::from((at * 37 % 11) as u8) / 5.0
    };
    let mut points: Vec<(Timestamp, f64)> =
        (0..14 * 288).map(|at| (now - SignedDuration::from_mins((14 * 288 - at) * 5), wave(at))).collect();
    measured(&world, 300, points.clone());
    let mut watch = MetricWatch::default();
    let quiet = look(&world, &mut watch).await;
    assert!(quiet.is_empty(), "{quiet:?}");
    points.extend((0..6).map(|at| (now + SignedDuration::from_mins(at * 5), 99.0)));
    measured(&world, 300, points.clone());
    world.clock.advance(SignedDuration::from_mins(32));
    let found = look(&world, &mut watch).await;
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!((found[0].class, found[0].place.id.as_str()), (AnomalyClass::Performance, "i-1"));
    assert!(found[0].title.starts_with("CPU of i-1-name rose to 99 %, usually"), "{}", found[0].title);
    let strangest = &found[0].readings[0];
    assert!(strangest.value == 99.0 && strangest.high < 99.0 && strangest.expected < 50.0, "{strangest:?}");
    assert!(look(&world, &mut watch).await.is_empty(), "the same points again");
    // After a restart it is no news; without the mark it would be.
    let mut restarted = MetricWatch::after(Some(world.clock.now() + SignedDuration::from_mins(60)));
    assert!(look(&world, &mut restarted).await.is_empty());
    assert_eq!(look(&world, &mut MetricWatch::default()).await.len(), 1);
    // The course shows the band beside what was observed.
    let series = world.memory.series.lock().iter().find(|one| one.metric == Metric::CpuUtilization).unwrap().clone();
    let (from, to) = (now - SignedDuration::from_hours(2), world.clock.now());
    let points = course(&series, &OwnChanges::default(), from, to, world.clock.now());
    assert_eq!(points.len(), 24 + 6);
    let usual = points[..24].iter().filter(|one| (one.low..=one.high).contains(&one.value)).count();
    assert!(usual >= 22 && points[24].high < 99.0 && points[24].score >= 0.5, "{usual} {:?}", points[24]);
}

#[tokio::test]
async fn a_size_that_reeve_changed_itself_is_no_trouble() {
    let world = World::new();
    let of = world.right_size("i-1", "t3.large").await;
    let begun = world.clock.now();
    let action = world.execute(&of).await;
    let ended = action.finished_at.unwrap();
    assert_eq!(of.subject.target_type.as_deref(), Some("t3.medium"));
    // Half the memory: the same need is twice the percentage; at the end it is three times that.
    let need = |step: i64| five_minutes(step * 5) / 4.0;
    let five = |from: Timestamp, step: i64| from + SignedDuration::from_mins(step * 5);
    let mut points: Vec<_> = (-14 * 288..0).map(|step| (five(begun, step), need(step))).collect();
    points.push((five(begun, 0), 97.0));
    points.extend((1..=60).map(|step| (five(ended, step), 2.0 * need(step))));
    measured_of(&world, Metric::MemoryUtilization, 300, points.clone());
    let (mut watch, mut blind) = (MetricWatch::default(), MetricWatch::default());
    world.clock.advance(SignedDuration::from_mins(5 * 61));
    let found = look(&world, &mut watch).await;
    assert!(found.is_empty(), "{found:?}");
    let settings = AnomalySettings::default();
    let startled = blind.look(&*world.memory, &*world.memory, &[], &settings, world.clock.now()).await.unwrap();
    assert_eq!(startled.len(), 1, "who does not know of the change is startled");
    points.extend((61..=72).map(|step| (five(ended, step), 6.0 * need(step))));
    measured_of(&world, Metric::MemoryUtilization, 300, points);
    world.clock.advance(SignedDuration::from_hours(1));
    let found = look(&world, &mut watch).await;
    assert_eq!(found.len(), 1, "{found:?}");
    let strangest = &found[0].readings[0];
    assert!((15.0..40.0).contains(&strangest.expected) && strangest.value > 40.0, "by the size it has: {strangest:?}");
    // The course shows the same, point by point.
    let series = world.memory.series.lock().iter().find(|one| one.metric == Metric::MemoryUtilization).unwrap().clone();
    let mut own = OwnChanges::default();
    own.learn(&world.memory.action_list(None, None).await.unwrap(), world.clock.now());
    let points = course(&series, &own, ended, world.clock.now(), world.clock.now());
    let loud: Vec<f64> = points.iter().filter(|one| one.score >= 0.5).map(|one| one.value).collect();
    assert!(points.len() > 60 && loud.len() == 1 && loud[0] > 60.0, "{loud:?}");
}

#[tokio::test]
async fn another_spacing_of_samples_is_no_trouble() {
    for (before, after) in [(5, 1), (1, 5)] {
        let world = World::new();
        world.machine("i-1", "t3.large", 5.0);
        let now = world.clock.now();
        let at = |minute: i64| now + SignedDuration::from_mins(minute);
        let value = |step: i64, from: i64| if step == 1 { minute(from) } else { five_minutes(from) };
        let days = |from: i64, to: i64, step: i64| {
            (from * 1440..to * 1440).step_by(step as usize).map(move |from| (at(from), value(step, from)))
        };
        let mut points: Vec<_> = days(-15, 0, before).collect();
        measured(&world, before as u32 * 60, points.clone());
        let mut watch = MetricWatch::default();
        look(&world, &mut watch).await;
        points.extend(days(0, 2, after));
        measured(&world, after as u32 * 60, points);
        for _ in 0..8 {
            world.clock.advance(SignedDuration::from_hours(6));
            let found = look(&world, &mut watch).await;
            assert!(found.is_empty(), "{before} to {after} minutes: {found:?}");
        }
    }
}

#[tokio::test]
async fn a_monitoring_agent_that_starts_again_is_no_trouble() {
    let world = World::new();
    world.machine("i-1", "t3.large", 5.0);
    let now = world.clock.now();
    // Silent for five minutes to nine hours, at different times of the day, in the last two days.
    let silent = [(-2800, 10), (-2300, 60), (-1700, 540), (-700, 180), (-200, 30)];
    let dark = |minute: i64| silent.iter().any(|(from, length)| (*from..from + length).contains(&minute));
    let steps = (-16 * 1440..0).step_by(5).filter(|from| !dark(*from));
    let points = steps.map(|from| (now + SignedDuration::from_mins(from), five_minutes(from))).collect();
    measured(&world, 300, points);
    let found = look(&world, &mut MetricWatch::default()).await;
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn grave_deeds_are_found_and_ordinary_ones_are_not() {
    let settings = AnomalySettings::default();
    let mut watch = BehaviourWatch::default();
    let at = |minute: i64| Timestamp::from_second(1_794_787_200 + minute * 60).unwrap();
    let deed = |operation: &str, minute: i64| {
        Entry::new(EventType::from_static("api.call"))
            .by(Actor::user("ann").with_email("ann@example.com"))
            .with_action(operation, ActionStatus::Success, ActionMethod::Api)
            .at(at(minute))
    };
    let ordinary =
        (0..500).filter_map(|minute| watch.observe(&deed("DescribeInstances", minute), at(minute), &settings));
    assert_eq!(ordinary.count(), 0);
    let grave = watch.observe(&deed("StopLogging", 501), at(501), &settings);
    let found = grave.expect("stopping the log is strange");
    assert_eq!((found.class, found.place.id.as_str()), (AnomalyClass::Security, "ann@example.com"));
    assert!(!found.evidence.is_empty());
    let off = AnomalySettings {
        security: reeve_agents::anomaly::SecuritySettings { behavioral_analysis: false, ..settings.security.clone() },
        ..settings
    };
    assert!(watch.observe(&deed("DeleteTrail", 502), at(502), &off).is_none());
}

#[tokio::test]
async fn what_was_said_can_be_taken_back() {
    let world = World::new();
    let (desk, _) = desk(&world);
    let system = Caller::system();
    let first = desk.report(finding(&world, "i-1", 0.8), &system).await.unwrap().unwrap();
    assert!(matches!(desk.reopen(&first.id, &operator()).await, Err(EngineError::Conflict(_))), "nothing to take back");
    desk.feedback(&first.id, "false", None, &operator()).await.unwrap();
    let open = desk.reopen(&first.id, &operator()).await.unwrap();
    assert_eq!((open.status, open.resolved_at, open.opinion()), (AnomalyStatus::Open, None, None));
    assert_eq!(open.feedback[0].withdrawn.as_ref().unwrap().1, "olga@example.com", "it stays on record");
    assert_eq!(told(&world).last().unwrap(), "anomaly.reopen");
    world.clock.advance(SignedDuration::from_hours(24));
    assert_eq!(desk.settle(&system).await.unwrap(), 1);
    assert!(desk.report(finding(&world, "i-1", 0.8), &system).await.unwrap().is_some(), "it is no longer kept quiet");
    desk.acknowledge(&first.id, &operator()).await.unwrap_err();
    let again = desk.reopen(&first.id, &operator()).await.unwrap();
    assert_eq!((again.status, desk.settle(&system).await.unwrap()), (AnomalyStatus::Open, 0), "it is looked at anew");
}

#[tokio::test]
async fn an_active_agents_change_is_undone_at_once_where_that_is_configured() {
    for (mode, reaction, expected) in [
        ("active", Reaction::AutoRemediate, "is being undone"),
        ("safe_mode", Reaction::AutoRemediate, "nothing was done: agent safe_mode agent is in mode safe_mode"),
        ("active", Reaction::AutoInvestigate, ""),
    ] {
        let world = World::new();
        let (desk, kept) = desk(&world);
        kept.settings.lock().performance.action = reaction;
        world.machine("i-1", "t3.large", 5.0);
        let agent = world.agent(mode, false).await;
        world.run(&agent).await;
        let of = world.on("i-1").await.remove(0);
        let action = world.execute(&of).await;
        let found = desk.report(finding(&world, "i-1", 0.9), &Caller::system()).await.unwrap().unwrap();
        let executed = found.responses.iter().find(|response| response.stage == Stage::Execute);
        assert_eq!(executed.is_some(), !expected.is_empty(), "{mode} {found:?}");
        assert!(executed.is_none_or(|response| response.detail.contains(expected)), "{mode} {executed:?}");
        world.engine.settle().await;
        let after = world.memory.action_get(&action.id).await.unwrap();
        assert_eq!(after.status == Ended::RolledBack, expected == "is being undone", "{mode} {:?}", after.status);
        let order: Vec<Stage> = found.responses.iter().map(|response| response.stage).collect();
        let all = [Stage::Alert, Stage::Investigate, Stage::Recommend, Stage::Execute];
        assert_eq!(order, all[..if expected.is_empty() { 3 } else { 4 }]);
        assert_eq!(told(&world).len(), order.len());
    }
}

#[tokio::test]
async fn an_alert_alone_is_told_and_not_investigated() {
    let world = World::new();
    let (desk, kept) = desk(&world);
    kept.settings.lock().performance.action = Reaction::Alert;
    let found = desk.report(finding(&world, "i-1", 0.9), &Caller::system()).await.unwrap().unwrap();
    assert_eq!((told(&world), found.cause.as_str()), (vec!["anomaly.detect".to_owned()], ""));
    let wrong = AnomalySettings::default();
    let wrong = AnomalySettings {
        cost: reeve_agents::anomaly::CostSettings { action: Reaction::AlertAndQuarantine, ..wrong.cost.clone() },
        ..wrong
    };
    let refused = desk.settings_put(wrong, &operator()).await;
    assert!(matches!(refused, Err(EngineError::Invalid(errors)) if errors[0].path == "cost.action"));
}

#[tokio::test]
async fn threat_lists_are_checked_and_recorded_and_files_are_left_to_their_folder() {
    let world = World::new();
    let (desk, kept) = desk(&world);
    let refused = desk.threat_list_put("mine", "203.0.113.7\nnonsense".to_owned(), None, &operator()).await;
    assert!(matches!(refused, Err(EngineError::Invalid(errors)) if errors[0].path == "indicators[2]"));
    let put = desk.threat_list_put("mine", "203.0.113.7".to_owned(), None, &operator()).await.unwrap();
    assert_eq!((put.indicators, put.by.as_str()), (1, "olga@example.com"));
    let system = Caller::system();
    let at = world.clock.now();
    desk.threat_list_put("feed.txt", "198.51.100.0/24".to_owned(), Some(at), &system).await.unwrap();
    let by_hand = desk.threat_list_put("feed.txt", String::new(), None, &operator()).await;
    assert!(matches!(by_hand, Err(EngineError::Conflict(_))));
    assert!(matches!(desk.threat_list_delete("feed.txt", false, &operator()).await, Err(EngineError::Conflict(_))));
    desk.threat_list_delete("feed.txt", true, &system).await.unwrap();
    desk.threat_list_delete("mine", false, &operator()).await.unwrap();
    assert!(kept.lists.lock().is_empty());
    let operations: Vec<String> = world.entries().iter().filter_map(|entry| entry.action.operation.clone()).collect();
    assert_eq!(operations, ["threat_list.put", "threat_list.put", "threat_list.delete", "threat_list.delete"]);
}
