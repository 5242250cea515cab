//! Tests of the classification of workloads.

use super::*;
use crate::window::HOUR_MS;

const MONDAY_MS: i64 = 1_794_787_200_000;

/// Quarter-hourly points over days; the closure gets the local hour and the day of the week (0 is Monday).
fn series(days: i64, mut value: impl FnMut(f64, i64, i64) -> f64) -> Vec<Point> {
    let mut state = 7u64;
    (0..days * 96)
        .map(|step| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let noise = 0.9 + 0.2 * ((state >> 40) as f64 / (1u64 << 24) as f64);
            (MONDAY_MS + step * HOUR_MS / 4, noise * value((step % 96) as f64 / 4.0, step / 96 % 7, step))
        })
        .collect()
}

fn serving(days: i64) -> Vec<Point> {
    series(days, |hour, day, _| {
        (35.0 + 18.0 * ((hour - 16.0) / 12.0 * std::f64::consts::PI).cos()) * if day >= 5 { 0.8 } else { 1.0 }
    })
}

fn jobs(days: i64) -> Vec<Point> {
    series(days, |hour, _, _| if (2.0..5.0).contains(&hour) { 92.0 } else { 1.0 })
}

fn building(days: i64) -> Vec<Point> {
    series(days, |hour, day, step| if day < 5 && (9.0..18.0).contains(&hour) && step % 5 < 2 { 35.0 } else { 1.5 })
}

fn classified(cpu: &[Point], tags: &[(&str, &str)]) -> Classification {
    let traffic: Vec<Point> = cpu.iter().map(|(at, value)| (*at, value * 100.0)).collect();
    classify(&Classifier::built_in(), &Metrics { cpu, network: &traffic, disk: &[] }, tags)
}

#[test]
fn shapes_are_told_without_tags() {
    assert_eq!(classified(&serving(14), &[]).class, Some(Class::Production));
    assert_eq!(classified(&jobs(14), &[]).class, Some(Class::Batch));
    assert_eq!(classified(&building(14), &[]).class, Some(Class::Development));
}

#[test]
fn a_tag_is_evidence_but_not_the_last_word() {
    let plain = classified(&jobs(14), &[]);
    let agreeing = classified(&jobs(14), &[("role", "batch")]);
    let wrong = classified(&jobs(14), &[("env", "production")]);
    let batch = Class::Batch as usize;
    assert!(agreeing.probabilities[batch] > plain.probabilities[batch]);
    assert!(wrong.probabilities[batch] < plain.probabilities[batch]);
    assert_ne!(wrong.class, Some(Class::Production));
}

#[test]
fn tags_in_conflict_lower_the_confidence() {
    let agreeing = classified(&serving(14), &[("env", "prod")]);
    let conflicting = classified(&serving(14), &[("env", "prod"), ("stage", "dev"), ("role", "batch")]);
    assert!(!agreeing.tags_conflict && conflicting.tags_conflict);
    let most = |one: &Classification| one.probabilities.iter().copied().fold(0.0, f64::max);
    assert!(most(&conflicting) < most(&agreeing), "{conflicting:?} {agreeing:?}");
}

#[test]
fn thin_data_abstains_whatever_the_tags_say() {
    for cpu in [serving(5), Vec::new(), serving(14).into_iter().step_by(40).collect()] {
        let found = classified(&cpu, &[("env", "production")]);
        assert_eq!((found.class, found.probabilities), (None, [0.25; 4]));
        assert!(matches!(found.abstention, Some(Abstention::ThinData { .. })), "{found:?}");
    }
}

#[test]
fn probabilities_sum_to_one_and_evidence_names_features() {
    let found = classified(&building(21), &[("env", "dev-3")]);
    assert!((found.probabilities.iter().sum::<f64>() - 1.0).abs() < 1e-9);
    assert!(!found.evidence.is_empty() && found.evidence.iter().all(|(name, _)| NAMES.contains(name)));
    assert!(found.evidence.windows(2).all(|pair| pair[0].1 >= pair[1].1));
}

#[test]
fn the_time_zone_does_not_matter() {
    let here = classified(&jobs(14), &[]);
    let moved: Vec<Point> = jobs(14).into_iter().map(|(at, value)| (at + 5 * HOUR_MS, value)).collect();
    assert_eq!(classified(&moved, &[]).class, here.class);
}

#[test]
fn words_are_read_whole() {
    assert_eq!(tags::votes(&[("Env", "PROD-eu")]), [1.0, 0.0, 0.0, 0.0]);
    assert_eq!(tags::votes(&[("Name", "worker12")]), [0.0, 0.0, 0.5, 0.0]);
    assert_eq!(tags::votes(&[("owner", "product-team"), ("note", "devotion")]), [0.0; 4]);
}

#[test]
fn an_estate_learns_its_own() {
    type Shape = fn(i64) -> Vec<Point>;
    let shapes: [(Shape, Class); 3] =
        [(serving, Class::Production), (building, Class::Development), (jobs, Class::Batch)];
    let mut examples = Vec::new();
    for days in 7..25 {
        for (shape, class) in shapes {
            let cpu = shape(days);
            examples.push((Features::of(&Metrics { cpu: &cpu, ..Metrics::default() }, &[]).unwrap(), class));
        }
    }
    assert!(Classifier::fit(&examples).is_none(), "a class without an example cannot be learnt");
    let flat = series(14, |_, _, step| if step % 37 < 9 { 60.0 } else { 20.0 });
    let own = Features::of(&Metrics { cpu: &flat, ..Metrics::default() }, &[]).unwrap();
    examples.extend([(own, Class::Analytics); 12]);
    let learnt = Classifier::fit(&examples).unwrap();
    assert!(learnt.probabilities(&own)[Class::Analytics as usize] > 0.9);
    assert!(learnt.probabilities(&examples[4].0)[examples[4].1 as usize] > 0.9);
}
