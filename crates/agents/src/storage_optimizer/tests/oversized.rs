//! Volumes that are hardly used: the size that is advised, and what is never called oversized.

use jiff::SignedDuration;
use reeve_estate::{Metric, ResourceId, SampleSeries};
use reeve_recommend::agent::settings::SettingValue;

use super::Case;
use crate::cost_optimizer::tests::estate::now;

impl Case {
    /// Thirty days of the used share that an agent on the machine sends, by days before now.
    fn filled(mut self, share: impl Fn(f64) -> f64) -> Case {
        let point = |back: i64| {
            (
                now() - SignedDuration::from_mins(5 * back),
                share(back as f64 / 288.0),
            )
        };
        let points = (1..=30 * 288).rev().map(point).collect();

        let resource = ResourceId::new("i-1");
        self.series.push(SampleSeries {
            resource,
            metric: Metric::DiskUtilization,
            points,
            period_s: 300,
        });

        self
    }

    /// The abstention of the rule.
    fn left(&self) -> &'static str {
        let judgement = self.judge();
        assert!(
            judgement.proposals.is_empty(),
            "{}",
            judgement.proposals[0].title
        );
        judgement.abstentions.last().unwrap().code
    }
}

fn volume() -> Case {
    Case::volume("gp3", 500.0, Some(3000), Some(125))
}

#[test]
fn a_hardly_used_volume_is_advised_to_move_with_a_plan_and_a_saving() {
    let found = volume().filled(|_| 18.0).only();
    assert_eq!((found.rule, found.plan.is_none()), ("shrink_volumes", true));

    // 90 GiB and half as much room are 135, in steps of ten.
    assert_eq!(
        found.title,
        "Move vol-1-name (500 GiB) to a volume of 140 GiB"
    );
    assert!(
        found.explanation.factors[0].contains("at most 18.0 % of 500 GiB"),
        "{:?}",
        found.explanation.factors
    );
    assert!((found.savings_monthly.unwrap().usd() - (500.0 - 140.0) * 0.08).abs() < 1e-6);

    let steps = found
        .explanation
        .factors
        .iter()
        .filter(|factor| factor.contains("Step "))
        .count();
    assert_eq!(steps, 5, "{:?}", found.explanation.factors);

    assert!(found.confidence > 80.0, "{}", found.confidence);
}

#[test]
fn growth_of_the_next_months_is_part_of_the_size() {
    // From 9 % by a fifth of a percent a day: 15 % today, 33 % in ninety days.
    let found = volume().filled(|back| 15.0 - back * 0.2).only();
    assert!(
        found.title.contains("to a volume of 250 GiB"),
        "{}",
        found.title
    );

    assert_eq!(
        volume().filled(|back| 35.0 - back * 0.5).left(),
        "no_smaller_size",
        "it will be full"
    );
}

#[test]
fn what_is_used_or_not_measured_is_never_oversized() {
    assert_eq!(volume().left(), "disk_not_measured");
    assert_eq!(
        volume()
            .filled(|back| if back > 8.0 { f64::NAN } else { 5.0 })
            .left(),
        "disk_not_measured",
        "8 days"
    );

    assert_eq!(
        volume()
            .filled(|back| if (20.0..20.1).contains(&back) {
                55.0
            } else {
                5.0
            })
            .left(),
        "disk_in_use"
    );

    let mut several = volume().filled(|_| 5.0);
    several.volumes.push(several.volume.clone());
    assert_eq!(several.left(), "file_systems_not_apart");
    assert_eq!(
        Case::volume("st1", 500.0, None, None)
            .filled(|_| 5.0)
            .left(),
        "performance_by_size"
    );

    assert_eq!(
        Case::volume("gp3", 60.0, Some(3000), Some(125))
            .filled(|_| 5.0)
            .left(),
        "not_cheaper"
    );

    let off = volume()
        .filled(|_| 5.0)
        .set("shrink_volumes.enabled", SettingValue::Flag(false));
    assert_eq!(off.left(), "switched_off");
}

#[test]
fn provisioned_iops_need_their_size_and_a_cheaper_setup_comes_first() {
    // 16,000 IOPS take 32 GiB at least, and the measured use is what it pays for.
    let busy = Case::volume("gp3", 500.0, Some(16_000), Some(125))
        .used(30, |_| (15_000.0, 100.0))
        .filled(|_| 1.0);
    assert!(
        busy.only().title.contains("to a volume of 40 GiB"),
        "{}",
        busy.only().title
    );

    let both = Case::volume("gp2", 500.0, Some(1500), None)
        .quiet()
        .filled(|_| 5.0);
    assert_eq!(both.only().rule, "convert_gp2");
}
