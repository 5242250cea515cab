//! Tables of the judgement: what each rule finds, what it leaves alone and why, and the arithmetic
//! of savings.
#![allow(clippy::unwrap_used)]

mod buckets;
mod oversized;
mod snapshots;
mod tiers;

use jiff::{SignedDuration, Timestamp};
use reeve_estate::{
    Metric, Money, PriceCatalogue, Provider, Resource, ResourceId, ResourceKind, ResourceState,
    SampleSeries,
};
use reeve_recommend::agent::contract::AgentDefinition as _;
use reeve_recommend::agent::settings::{AgentSettings, SettingValue};
use reeve_recommend::guardrail::Guardrails;
use reeve_recommend::judgement::machine_series::MachineSeries;
use reeve_recommend::judgement::open_facts::OpenFacts;
use reeve_recommend::judgement::proposal::Proposal;
use reeve_recommend::judgement::{Facts, Judgement};
use reeve_recommend::models::LearnedModels;

use super::{StorageOptimizer, judge};
use crate::cost_optimizer::tests::estate::{now, resource};

/// A volume of one machine with a history.
pub(crate) struct Case {
    pub(crate) volume: Resource,
    series: Vec<SampleSeries>,
    settings: AgentSettings,
    /// Volumes of its machine.
    volumes: Vec<Resource>,
}

impl Case {
    pub(crate) fn volume(
        storage_type: &str,
        gib: f64,
        iops: Option<u64>,
        mibps: Option<u64>,
    ) -> Case {
        let mut volume = resource("vol-1", ResourceKind::Volume, "ebs", None);
        volume.state = ResourceState::Available;
        volume.attached_to = vec![ResourceId::new("i-1")];
        volume.specification.storage_type = Some(storage_type.to_owned());
        volume.specification.storage_gib = Some(gib);
        volume.specification.iops = iops;
        volume.specification.throughput_mibps = mibps;

        Case {
            volumes: vec![volume.clone()],
            volume,
            series: Vec::new(),
            settings: AgentSettings::default(),
        }
    }

    /// Days of use, a point every five minutes: operations and MiB per second by minutes before
    /// now.
    fn used(mut self, days: i64, use_of: impl Fn(i64) -> (f64, f64)) -> Case {
        let points = |value: &dyn Fn(i64) -> f64| -> Vec<(Timestamp, f64)> {
            let backs = (1..=days * 288).rev().map(|back| back * 5);
            backs
                .map(|back| (now() - SignedDuration::from_mins(back), value(back)))
                .collect()
        };

        let mut add = |metric, value: &dyn Fn(i64) -> f64| {
            self.series.push(SampleSeries {
                resource: self.volume.id.clone(),
                metric,
                points: points(value),
                period_s: 300,
            });
        };
        add(Metric::DiskReadOps, &|back| use_of(back).0 * 0.3);

        add(Metric::DiskWriteOps, &|back| use_of(back).0 * 0.7);
        add(Metric::DiskRead, &|back| use_of(back).1 * 0.3 * 1_048_576.0);
        add(Metric::DiskWrite, &|back| {
            use_of(back).1 * 0.7 * 1_048_576.0
        });

        self
    }

    fn quiet(self) -> Case {
        self.used(30, |_| (200.0, 5.0))
    }

    fn set(mut self, path: &str, value: SettingValue) -> Case {
        self.settings.0.insert(path.to_owned(), value);
        self
    }

    pub(crate) fn with<T>(&self, read: impl FnOnce(&Facts<'_>) -> T) -> T {
        let of_machine = self
            .series
            .iter()
            .filter(|series| series.resource != self.volume.id);
        let machine = MachineSeries(of_machine.cloned().collect());
        read(&Facts {
            resource: &self.volume,
            series: &self.series,
            maxima: &[],
            charges: &[],
            document: None,
            relations: reeve_recommend::judgement::RelationIndex::none(),
            volumes: &self.volumes,
            catalogue: PriceCatalogue::builtin(),
            settings: &self.settings,
            guardrails: &Guardrails::default(),
            open: &OpenFacts::default().with(machine),
            models: LearnedModels::none(),
            attachment_changed_at: None,
            unchanged_since: None,
            now: now(),
        })
    }

    fn judge(&self) -> Judgement {
        self.with(judge)
    }

    fn only(&self) -> Proposal {
        let judgement = self.judge();
        assert_eq!(judgement.proposals.len(), 1, "{:?}", judgement.abstentions);
        judgement.proposals.into_iter().next().unwrap()
    }

    fn code(&self) -> &'static str {
        let judgement = self.judge();
        assert!(
            judgement.proposals.is_empty(),
            "{}",
            judgement.proposals[0].title
        );
        judgement.abstentions[0].code
    }
}

/// IOPS and throughput that a proposal's plan leads to.
fn target(found: &Proposal) -> (f64, f64) {
    let parameters = &found
        .plan
        .as_ref()
        .unwrap()
        .change
        .as_ref()
        .unwrap()
        .parameters;

    let number = |name: &str| {
        parameters
            .as_object()
            .unwrap()
            .get(name)
            .and_then(|value| value.as_f64())
            .unwrap()
    };

    (number("to_iops"), number("to_throughput_mibps"))
}

#[test]
fn a_gp2_volume_becomes_a_gp3_volume_for_a_fifth_less() {
    let found = Case::volume("gp2", 500.0, Some(1500), None).quiet().only();
    assert_eq!(found.rule, "convert_gp2");
    assert_eq!(target(&found), (3000.0, 125.0));
    assert_eq!(
        found.savings_monthly,
        Some(Money::from_usd(500.0 * 0.10 - 500.0 * 0.08))
    );
    assert!((found.impact.cost_percent.unwrap() + 20.0).abs() < 1e-9);

    let plan = found.plan.unwrap();
    assert_eq!(
        (
            plan.change.unwrap().name.as_str(),
            plan.reversible,
            plan.restart_needed
        ),
        ("modify_volume", false, false)
    );

    // 23 held-out days, all held.
    assert!(found.confidence > 90.0, "{}", found.confidence);
    assert!(
        found.explanation.factors[0].contains("200 IOPS and 5.0 MiB/s"),
        "{:?}",
        found.explanation.factors
    );
}

#[test]
fn throughput_that_gp2_gives_and_the_volume_uses_is_bought_for_gp3() {
    // Gp2 of this size gives 250 MiB/s; the peak of 180 needs 234, in steps of five.
    let busy = |back: i64| {
        if back % 1440 < 30 {
            (900.0, 180.0)
        } else {
            (100.0, 4.0)
        }
    };

    let found = Case::volume("gp2", 1000.0, Some(3000), None)
        .used(30, busy)
        .only();
    assert_eq!(target(&found), (3000.0, 235.0));

    let saved = 1000.0 * 0.10 - (1000.0 * 0.08 + 110.0 * 0.04);
    assert!((found.savings_monthly.unwrap().usd() - saved).abs() < 1e-6);

    // On a smaller volume the same throughput costs more than the storage saves.
    assert_eq!(
        Case::volume("gp2", 200.0, Some(600), None)
            .used(30, busy)
            .code(),
        "not_cheaper"
    );
}

#[test]
fn provisioned_volumes_keep_what_their_peaks_need() {
    let peaks = |back: i64| {
        if back % 1440 < 10 {
            (4_000.0, 60.0)
        } else {
            (300.0, 8.0)
        }
    };

    let found = Case::volume("io1", 400.0, Some(10_000), None)
        .used(30, peaks)
        .only();
    assert_eq!(
        (found.rule, target(&found)),
        ("convert_provisioned", (5_200.0, 125.0))
    );

    let saved = (400.0 * 0.125 + 10_000.0 * 0.065) - (400.0 * 0.08 + 2_200.0 * 0.005);
    assert!((found.savings_monthly.unwrap().usd() - saved).abs() < 1e-6);
    assert!(
        found.impact.performance.contains("99.9 %"),
        "{}",
        found.impact.performance
    );

    let io2 = Case::volume("io2", 400.0, Some(10_000), None).used(30, peaks);
    assert_eq!(io2.code(), "durability");

    let accepted = io2.set(
        "convert_provisioned.accept_lower_durability",
        SettingValue::Flag(true),
    );
    assert_eq!(accepted.only().rule, "convert_provisioned");

    let heavy = Case::volume("io1", 800.0, Some(20_000), None).used(30, |_| (15_000.0, 200.0));
    assert_eq!(heavy.code(), "needs_more");
}

#[test]
fn performance_that_nobody_uses_is_taken_off_a_gp3_volume() {
    let found = Case::volume("gp3", 300.0, Some(9_000), Some(500))
        .used(30, |_| (3_100.0, 90.0))
        .only();
    assert_eq!(
        (found.rule, target(&found)),
        ("reduce_provisioned", (4_100.0, 125.0))
    );
    assert_eq!(
        found.savings_monthly,
        Some(Money::from_usd(4_900.0 * 0.005 + 375.0 * 0.04))
    );

    let more = Case::volume("gp3", 300.0, Some(9_000), Some(500))
        .used(30, |_| (3_100.0, 90.0))
        .set("analyze_use.headroom", SettingValue::Percent(100.0));
    assert_eq!(target(&more.only()), (6_200.0, 180.0));
    assert_eq!(
        Case::volume("gp3", 300.0, Some(3_000), Some(125))
            .quiet()
            .code(),
        "nothing_provisioned"
    );
}

#[test]
fn what_it_leaves_alone_has_a_reason() {
    let quiet = || Case::volume("gp2", 500.0, Some(1500), None).quiet();
    let bent = |bend: fn(&mut Resource)| {
        let mut case = quiet();
        bend(&mut case.volume);
        case.code()
    };
    assert_eq!(bent(|volume| volume.attached_to.clear()), "not_attached");

    assert_eq!(
        bent(|volume| volume.attached_to.push(ResourceId::new("i-2"))),
        "shared"
    );
    assert_eq!(
        bent(|volume| volume.state = ResourceState::Changing),
        "changing"
    );
    assert_eq!(
        bent(|volume| volume.provider = Provider::Gcp),
        "cloud_not_covered"
    );
    assert_eq!(
        bent(|volume| volume.region = "eu-west-1".to_owned()),
        "price_not_known"
    );
    assert_eq!(
        bent(|volume| volume.specification.storage_gib = None),
        "performance_not_known"
    );
    assert_eq!(
        bent(|volume| volume.specification.storage_type = Some("st1".to_owned())),
        "type_not_covered"
    );
    assert_eq!(
        bent(|volume| _ = volume
            .tags
            .insert("reeve:ignore".to_owned(), "true".to_owned())),
        "opted_out"
    );

    assert_eq!(
        Case::volume("gp2", 500.0, None, None).code(),
        "not_measured"
    );
    assert_eq!(
        Case::volume("gp2", 500.0, None, None)
            .used(5, |_| (10.0, 1.0))
            .code(),
        "thin_data"
    );

    assert_eq!(
        quiet()
            .set("convert_gp2.enabled", SettingValue::Flag(false))
            .code(),
        "switched_off"
    );

    assert_eq!(
        Case::volume("gp2", 40.0, None, None).quiet().code(),
        "not_cheaper",
        "80 cents are not worth a change"
    );
}

#[test]
fn a_load_that_jumps_lowers_the_confidence() {
    let steady = Case::volume("io1", 400.0, Some(10_000), None)
        .used(30, |_| (4_000.0, 40.0))
        .only();
    // Each week's use is three times that of the week before: what was chosen a day earlier often
    // did not hold.
    let growing = Case::volume("io1", 400.0, Some(10_000), None)
        .used(30, |back| {
            (9_000.0 / 3f64.powf(back as f64 / (7.0 * 1440.0)), 40.0)
        })
        .only();

    let jumping = Case::volume("io1", 400.0, Some(10_000), None)
        .used(30, |back| {
            (
                if (back / 1440) % 9 == 0 {
                    9_500.0
                } else {
                    500.0
                },
                40.0,
            )
        })
        .only();

    assert!(
        jumping.confidence < steady.confidence - 5.0,
        "{} {}",
        jumping.confidence,
        steady.confidence
    );

    assert!(
        growing.confidence < steady.confidence,
        "{} {}",
        growing.confidence,
        steady.confidence
    );
}

#[test]
fn earlier_proposals_are_labelled_by_what_came_after_them() {
    let at = [now() - SignedDuration::from_hours(24 * 16)];
    let calm = Case::volume("io1", 400.0, Some(10_000), None).used(60, |_| (4_000.0, 40.0));
    let examples = calm.with(|facts| StorageOptimizer.backtest(facts, &at));
    assert_eq!(
        examples
            .iter()
            .map(|example| example.held)
            .collect::<Vec<_>>(),
        [true]
    );

    // It was quiet when it was judged, and busy in the days that followed.
    let risen = Case::volume("io1", 400.0, Some(10_000), None).used(60, |back| {
        (if back < 16 * 1440 { 9_000.0 } else { 100.0 }, 40.0)
    });
    let examples = risen.with(|facts| StorageOptimizer.backtest(facts, &at));
    assert_eq!(
        examples
            .iter()
            .map(|example| example.held)
            .collect::<Vec<_>>(),
        [false]
    );
}
