//! Tests of the evidence for workloads.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::window::HOUR_MS;

const MONDAY_MS: i64 = 1_794_787_200_000;

/// Quarter-hourly points over days; the closure gets the local hour and the day of the week (0 is
/// Monday).
fn series(days: i64, mut value: impl FnMut(f64, i64, i64) -> f64) -> Vec<Point> {
    let mut state = 7u64;
    (0..days * 96)
        .map(|step| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let noise = 0.9 + 0.2 * ((state >> 40) as f64 / (1u64 << 24) as f64);
            (
                MONDAY_MS + step * HOUR_MS / 4,
                noise * value((step % 96) as f64 / 4.0, step / 96 % 7, step),
            )
        })
        .collect()
}

fn serving(days: i64) -> Vec<Point> {
    series(days, |hour, day, _| {
        (35.0 + 18.0 * ((hour - 16.0) / 12.0 * std::f64::consts::PI).cos())
            * if day >= 5 { 0.8 } else { 1.0 }
    })
}

fn jobs(days: i64) -> Vec<Point> {
    series(days, |hour, _, _| {
        if (2.0..5.0).contains(&hour) {
            92.0
        } else {
            1.0
        }
    })
}

fn building(days: i64) -> Vec<Point> {
    series(days, |hour, day, step| {
        if day < 5 && (9.0..18.0).contains(&hour) && step % 5 < 2 {
            35.0
        } else {
            1.5
        }
    })
}

/// Probabilities of a shape whose traffic is a hundred bytes for each percent of CPU.
fn probable(cpu: &[Point]) -> [f64; 4] {
    let traffic: Vec<Point> = cpu.iter().map(|(at, value)| (*at, value * 100.0)).collect();
    let features = Features::new(&Metrics {
        cpu,
        network: &traffic,
        disk: &[],
    })
    .unwrap();

    probabilities(scores(&properties(&features)))
}

#[test]
fn shapes_speak_for_their_class() {
    for (cpu, class) in [
        (serving(14), WorkloadClass::Production),
        (jobs(14), WorkloadClass::Batch),
        (building(14), WorkloadClass::Development),
    ] {
        let found = probable(&cpu);
        assert!(found[class as usize] > 0.7, "{class:?} {found:?}");
        assert!((found.iter().sum::<f64>() - 1.0).abs() < 1e-9);
    }
}

#[test]
fn a_property_says_what_it_speaks_for() {
    let cpu = building(21);
    let found = properties(
        &Features::new(&Metrics {
            cpu: &cpu,
            ..Metrics::default()
        })
        .unwrap(),
    );

    let weekends = found
        .iter()
        .find(|property| property.name == "quiet on weekends")
        .unwrap();
    assert!(
        weekends.weights[WorkloadClass::Development as usize] > 1.0,
        "{found:?}"
    );
    assert!(
        found
            .iter()
            .all(|property| !property.name.contains("traffic")),
        "it was not measured: {found:?}"
    );
}

#[test]
fn thin_data_has_no_shape() {
    for cpu in [
        serving(5),
        Vec::new(),
        serving(14).into_iter().step_by(40).collect(),
    ] {
        assert_eq!(
            Features::new(&Metrics {
                cpu: &cpu,
                ..Metrics::default()
            }),
            None
        );
    }
}

#[test]
fn the_time_zone_does_not_matter() {
    let here = probable(&jobs(14));
    let moved: Vec<Point> = jobs(14)
        .into_iter()
        .map(|(at, value)| (at + 5 * HOUR_MS, value))
        .collect();
    assert!(
        (probable(&moved)[WorkloadClass::Batch as usize] - here[WorkloadClass::Batch as usize])
            .abs()
            < 0.1
    );
}

#[test]
fn words_are_read_whole() {
    let class = |text: &str| words(text).find_map(|word| class_of_word(&word));
    assert_eq!(class("PROD-eu"), Some(WorkloadClass::Production));
    assert_eq!(class("worker12"), Some(WorkloadClass::Batch));
    assert_eq!((class("product-team"), class("devotion")), (None, None));
    assert!(is_purpose_key("Env") && !is_purpose_key("owner"));
    assert!(
        WorkloadClass::ALL
            .into_iter()
            .all(|class| WorkloadClass::parse(class.as_str()) == Some(class))
    );
}
