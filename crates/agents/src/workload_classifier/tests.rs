//! Tables of the judgement: the class of shapes and names, what follows from each class, and what
//! is left alone with its reason.
#![allow(clippy::unwrap_used)]

mod findings;
mod learned;

use std::f64::consts::PI;

use jiff::{SignedDuration, Timestamp};
use reeve_estate::{
    Metric, PriceCatalogue, Purchase, Resource, ResourceKind, ResourceState, SampleSeries,
};
use reeve_recommend::agent::settings::{AgentSettings, SettingValue};
use reeve_recommend::guardrail::Guardrails;
use reeve_recommend::judgement::open_facts::OpenFacts;
use reeve_recommend::judgement::proposal::Proposal;
use reeve_recommend::judgement::workload::{Classification, Correction, WorkloadClass, tokens};
use reeve_recommend::judgement::{Facts, Judgement};
use reeve_recommend::models::LearnedModels;

use super::judge;
use crate::cost_optimizer::tests::estate::{now, resource};
use WorkloadClass::{Analytics, Batch, Development, Production};

/// Shape of a load: CPU in percent by the hour of the day, the day of the week (0 is Monday) and
/// the number of the point.
type Load = fn(f64, i64, i64) -> f64;

/// Follows day and week, as people ask.
const SERVING: Load = |hour, day, _| {
    (35.0 + 18.0 * ((hour - 16.0) / 12.0 * PI).cos()) * if day >= 5 { 0.8 } else { 1.0 }
};
/// Jobs from two to five.
const JOBS: Load = |hour, _, _| {
    if (2.0..5.0).contains(&hour) {
        92.0
    } else {
        1.0
    }
};
/// Office hours, and agents and tests at nights.
const OFFICE: Load = |hour, day, step| match day < 5 && (8.0..18.0).contains(&hour) {
    true if step % 5 < 2 => 35.0,
    true => 8.0,
    false => 2.5,
};
/// Heavy questions now and then in the day.
const QUESTIONS: Load =
    |hour, day, step| match day < 5 && (8.0..19.0).contains(&hour) && step % 47 < 5 {
        true => 88.0,
        false => 3.0,
    };

/// A resource with a history.
struct Case {
    resource: Resource,
    series: Vec<SampleSeries>,
    settings: AgentSettings,
    correction: Option<Correction>,
    models: LearnedModels,
}

impl Case {
    fn of(kind: ResourceKind, service: &str, size: Option<&str>) -> Case {
        let mut resource = resource("i-1", kind, service, size);
        resource.purchase = Some(Purchase::OnDemand);
        let (settings, models) = (AgentSettings::default(), LearnedModels::default());

        Case {
            resource,
            series: Vec::new(),
            settings,
            correction: None,
            models,
        }
    }

    fn machine(name: &str) -> Case {
        let mut case = Case::of(ResourceKind::VirtualMachine, "ec2", Some("m5.xlarge"));
        case.resource.name = name.to_owned();
        case
    }

    /// A production database in one zone, on AWS.
    fn database() -> Case {
        let mut case = Case::of(ResourceKind::Database, "rds", Some("db.m5.large"))
            .tagged("env", "production");
        case.resource.name = "orders".to_owned();
        case.resource.specification.multi_az = Some(false);
        case
    }

    fn tagged(mut self, key: &str, value: &str) -> Case {
        self.resource.tags.insert(key.to_owned(), value.to_owned());
        self
    }

    /// Days of a load, with traffic of so many bytes a second for each percent of CPU.
    fn busy(mut self, days: i64, bytes: f64, load: Load) -> Case {
        let points = |factor: f64| -> Vec<(Timestamp, f64)> {
            let mut state = 7u64;
            let backs = (1..=days * 288).rev();
            backs
                .map(|back| {
                    let at = now() - SignedDuration::from_mins(back * 5);
                    let second = at.as_second();
                    let (hour, day) =
                        ((second % 86_400) as f64 / 3600.0, (second / 86_400 + 3) % 7);
                    state = state
                        .wrapping_mul(6_364_136_223_846_793_005)
                        .wrapping_add(1_442_695_040_888_963_407);
                    let noise = 0.9 + 0.2 * ((state >> 40) as f64 / (1u64 << 24) as f64);
                    (at, noise * factor * load(hour, day, second / 300))
                })
                .collect()
        };

        for (metric, factor) in [
            (Metric::CpuUtilization, 1.0),
            (Metric::NetworkIn, bytes / 2.0),
            (Metric::NetworkOut, bytes / 2.0),
        ] {
            let resource = self.resource.id.clone();
            self.series.push(SampleSeries {
                resource,
                metric,
                points: points(factor),
                period_s: 300,
            });
        }

        self
    }

    fn set(mut self, path: &str, value: SettingValue) -> Case {
        self.settings.0.insert(path.to_owned(), value);
        self
    }

    fn off(self, path: &str) -> Case {
        self.set(path, SettingValue::Flag(false))
    }

    fn corrected(mut self, class: WorkloadClass) -> Case {
        self.correction = Some(Correction {
            connection: self.resource.connection.clone(),
            resource: self.resource.id.clone(),
            class,
            comment: None,
            by: "ann@example.com".to_owned(),
            at: now(),
            tokens: tokens(&self.resource),
            scores: [0.0; 4],
        });
        self
    }

    fn with<T>(&self, read: impl FnOnce(&Facts<'_>) -> T) -> T {
        let mut open = OpenFacts::default();
        if let Some(correction) = self.correction.clone() {
            open.put(correction);
        }
        read(&Facts {
            resource: &self.resource,
            series: &self.series,
            maxima: &[],
            charges: &[],
            document: None,
            relations: reeve_recommend::judgement::RelationIndex::none(),
            volumes: &[],
            catalogue: PriceCatalogue::builtin(),
            settings: &self.settings,
            guardrails: &Guardrails::default(),
            open: &open,
            models: &self.models,
            attachment_changed_at: None,
            unchanged_since: None,
            now: now(),
        })
    }

    fn judge(&self) -> Judgement {
        self.with(judge)
    }

    fn classified(&self) -> Classification {
        self.judge()
            .outputs
            .get::<Classification>()
            .unwrap()
            .clone()
    }

    fn class(&self) -> Option<WorkloadClass> {
        self.classified().class
    }

    /// The code of the reason why no class is named.
    fn unclassified(&self) -> String {
        let found = self.classified();
        found
            .unclassified
            .unwrap_or_else(|| panic!("{:?} {:?}", found.class, found.signals))
            .code
    }

    fn only(&self) -> Proposal {
        let judgement = self.judge();
        assert_eq!(
            judgement.proposals.len(),
            1,
            "{:?} {:?}",
            judgement.outputs.get::<Classification>(),
            judgement.abstentions
        );

        judgement.proposals.into_iter().next().unwrap()
    }

    /// The code of the first abstention of a judgement without findings.
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

#[test]
fn shapes_are_distinguished_without_a_tag_or_a_name() {
    let of = |bytes: f64, load: Load| Case::machine("i-1").busy(30, bytes, load).classified();
    for (bytes, load, class) in [
        (20_000.0, SERVING, Production),
        (500.0, JOBS, Batch),
        (4_000.0, OFFICE, Development),
    ] {
        let found = of(bytes, load);
        assert_eq!(found.class, Some(class), "{found:?}");
        assert!(found.confidence >= 70.0, "{found:?}");
        assert!(
            found
                .signals
                .iter()
                .any(|signal| signal.name == "shape of the metrics"),
            "{:?}",
            found.signals
        );
        assert!((found.probabilities.iter().sum::<f64>() - 1.0).abs() < 1e-9);
    }
}

#[test]
fn names_and_tags_are_evidence_of_their_own() {
    let check = |name: &str, tags: &[(&str, &str)], class| {
        let case = tags.iter().fold(Case::machine(name), |case, (key, value)| {
            case.tagged(key, value)
        });
        assert_eq!(
            case.class(),
            class,
            "{name} {tags:?} {:?}",
            case.classified()
        );
    };
    check("ledger", &[("env", "production")], Some(Production));

    check("ledger", &[("Environment", "staging")], Some(Development));
    check("ledger", &[("role", "batch")], Some(Batch));
    check("warehouse", &[("role", "spark")], Some(Analytics));
    check("staging-web", &[("stage", "qa")], Some(Development));

    // An environment says nothing of the kind of work in it.
    check(
        "nightly-etl",
        &[("env", "production"), ("role", "batch")],
        Some(Batch),
    );
    // A name alone is too little.
    check("web-frontend", &[], None);
    assert_eq!(Case::machine("web-frontend").unclassified(), "thin_data");
}

#[test]
fn an_environment_tag_tells_production_from_development_and_the_shape_tells_jobs() {
    let busy = |env: &str, load: Load| {
        Case::machine("m")
            .tagged("env", env)
            .busy(30, 3_000.0, load)
            .classified()
    };
    assert_eq!(busy("production", SERVING).class, Some(Production));

    assert_eq!(
        busy("production", JOBS).class,
        Some(Batch),
        "jobs run in production too"
    );
    assert_eq!(busy("development", OFFICE).class, Some(Development));

    let serves = busy("development", SERVING).unclassified.unwrap();
    let desktops = busy("production", |hour, day, step| {
        OFFICE(hour, day, step) * 2.0
    })
    .unclassified
    .unwrap();

    assert_eq!(
        desktops.code, "signals_contradict",
        "neither jobs, though they would be the mean of both"
    );
    assert_eq!(
        serves.code, "signals_contradict",
        "it is called development and serves around the clock"
    );
}

#[test]
fn it_abstains_with_the_reason() {
    assert_eq!(
        Case::machine("m").busy(5, 1_000.0, SERVING).unclassified(),
        "thin_data"
    );

    let both = Case::machine("m")
        .tagged("env", "production")
        .tagged("stage", "dev")
        .busy(30, 20_000.0, SERVING);
    assert_eq!(both.unclassified(), "signals_contradict");
    assert!(
        both.classified()
            .unclassified
            .unwrap()
            .detail
            .contains("env=production and stage=dev")
    );

    let strict = Case::machine("m")
        .tagged("env", "development")
        .busy(30, 20_000.0, SERVING)
        .set(
            "resource_categorization.least_confidence",
            SettingValue::Percent(99.0),
        );
    let reason = strict.classified().unclassified.unwrap();
    assert_eq!(reason.code, "signals_contradict");

    assert!(
        reason.detail.contains("tag env") && reason.detail.contains("shape of the metrics"),
        "{}",
        reason.detail
    );

    let none = Case::machine("m")
        .tagged("role", "batch")
        .off("resource_categorization.enabled");
    assert_eq!(none.unclassified(), "switched_off");

    let blind = Case::machine("m")
        .busy(30, 20_000.0, SERVING)
        .off("pattern_recognition.enabled");
    assert_eq!(blind.unclassified(), "thin_data");
}

#[test]
fn a_load_that_changes_from_week_to_week_lowers_the_confidence() {
    let turns: Load = |hour, day, step| match (step / 2016) % 2 {
        0 => SERVING(hour, day, step),
        _ => JOBS(hour, day, step),
    };
    let steady = Case::machine("m")
        .tagged("env", "production")
        .busy(30, 3_000.0, SERVING)
        .classified();
    let turning = Case::machine("m")
        .tagged("env", "production")
        .busy(30, 3_000.0, turns)
        .classified();
    assert!(
        turning.confidence < steady.confidence - 20.0,
        "{} {}",
        turning.confidence,
        steady.confidence
    );
}

#[test]
fn what_a_person_says_takes_precedence() {
    let serving = || {
        Case::machine("m")
            .tagged("env", "production")
            .busy(30, 20_000.0, SERVING)
    };
    let corrected = serving().corrected(Batch).classified();
    assert_eq!((corrected.class, corrected.confidence), (Some(Batch), 99.0));

    assert_eq!(corrected.signals[0].name, "correction");
    assert!(
        corrected.signals[0].detail.contains("ann@example.com"),
        "{:?}",
        corrected.signals[0]
    );

    assert_eq!(
        corrected.scores,
        serving().classified().scores,
        "the signals stay what they were"
    );

    assert_eq!(
        Case::machine("m")
            .off("resource_categorization.enabled")
            .corrected(Batch)
            .class(),
        Some(Batch)
    );
}
