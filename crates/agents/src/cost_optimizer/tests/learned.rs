//! Judgements that learned models decide, and those made without them.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use reeve_recommend::agent::AgentId;
use reeve_recommend::models::{
    Demand, DemandForecast, LearnedModels, Model, ModelId, ModelStatus, ModelType, Profiles,
    RetrainCause, Usage,
};
use reeve_recommend::recommendation::RecommendationType;

use super::estate::{Case, noise, now};
use super::{CPU, only};

/// A version trained a day ago.
fn model(name: &str, kind: ModelType) -> Model {
    let trained_at = now() - SignedDuration::from_hours(24);
    Model {
        id: ModelId(format!("{name}-1")),
        agent_id: AgentId("a-1".to_owned()),
        name: name.to_owned(),
        kind,
        version: 4,
        status: ModelStatus::Serving,
        training_span_days: 84.0,
        samples: 2_016,
        held_out: 168,
        accuracy: 0.9,
        precision: 0.9,
        recall: 0.9,
        f1: 0.9,
        threshold: 0.7,
        cause: RetrainCause::First,
        note: String::new(),
        configuration: String::new(),
        reference: Vec::new(),
        drift: None,
        trained_at,
        updated_at: trained_at,
        tried_at: None,
        requested_by: None,
        revision: 1,
    }
}

fn today() -> i64 {
    now().as_second() / 86_400
}

/// A demand model of the only machine, with its forecast from a week ago on: the mean and the upper
/// edge of each day.
fn demand(days: impl Fn(i64) -> (f64, f64)) -> String {
    let hundredths = |value: f64| (value * 100.0) as u32;
    let forecast = DemandForecast {
        learned_from_s: (now() - SignedDuration::from_hours(24 * 91)).as_second(),
        first_day: today() - 7,
        means: (-7..35).map(|day| hundredths(days(day).0)).collect(),
        uppers: (-7..35).map(|day| hundredths(days(day).1)).collect(),
        monthly: Vec::new(),
    };

    let one = Demand {
        hours: vec![500; 168],
        busy: 900,
        forecast: Some(forecast),
    };

    Profiles::new(BTreeMap::from([("i-1".to_owned(), one)]))
        .text()
        .unwrap()
}

fn with(mut case: Case, model: &Model, state: String) -> Case {
    case.models.add(model, state, now());
    case
}

fn small() -> Case {
    Case::machine("m5.xlarge")
        .with(CPU, 30, |m| Some(5.0 + 4.0 * noise(m)))
        .all_else_small()
}

fn forecast(case: Case, days: impl Fn(i64) -> (f64, f64)) -> Case {
    with(case, &model("demand", ModelType::Forecast), demand(days))
}

#[test]
fn a_forecast_that_the_smaller_size_does_not_hold_keeps_the_machine_as_it_is() {
    let case = forecast(small(), |day| (10.0, 12.0 + day as f64));
    let judgement = case.judge();
    assert!(
        judgement
            .proposals
            .iter()
            .all(|p| p.kind != RecommendationType::RightSize),
        "{:?}",
        judgement.proposals
    );

    let why = judgement
        .abstentions
        .iter()
        .find(|a| a.code == "forecast_demand")
        .unwrap();

    for words in [
        "below 39.0 %",
        "next 28 days",
        "m5.large holds 30.0 %",
        "demand model, version 4 of 2026-11-15",
    ] {
        assert!(
            why.detail.contains(words),
            "{words} is missing: {}",
            why.detail
        );
    }
}

#[test]
fn a_forecast_that_fits_is_named_in_the_explanation() {
    let found = only(&forecast(small(), |_| (6.0, 14.0)));
    assert_eq!(found.subject.target_type.as_deref(), Some("m5.large"));

    let [model] = found.explanation.models.as_slice() else {
        panic!("{:?}", found.explanation.models)
    };

    assert_eq!(
        (model.model.name.as_str(), model.model.version),
        ("demand", 4)
    );
    assert_eq!(
        model.model.trained_at,
        now() - SignedDuration::from_hours(24)
    );
    assert!(
        model.statement.contains("below 14.0 % in the next 28 days"),
        "{}",
        model.statement
    );

    let check = found
        .explanation
        .decision_path
        .iter()
        .find(|check| check.check.contains("forecast demand"))
        .unwrap();

    assert_eq!(check.answer, Some(true));
}

#[test]
fn a_model_that_may_not_be_used_is_not_asked_and_the_judgement_says_so() {
    let grown = |day: i64| (10.0, 12.0 + day as f64);
    let stale = Model {
        trained_at: now() - SignedDuration::from_hours(24 * 30),
        ..model("demand", ModelType::Forecast)
    };
    let poor = Model {
        accuracy: 0.5,
        ..model("demand", ModelType::Forecast)
    };
    let retired = Model {
        status: ModelStatus::Retired,
        ..model("demand", ModelType::Forecast)
    };
    let resized = Case {
        unchanged_since: Some(now() - SignedDuration::from_hours(24 * 25)),
        ..small()
    };
    let mut other = small();
    other.resource.id = reeve_estate::ResourceId::new("i-2");
    other
        .series
        .iter_mut()
        .for_each(|series| series.resource = other.resource.id.clone());
    let rows = [
        (small(), "the demand model is not trained yet"),
        (
            with(small(), &stale, demand(grown)),
            "it was trained 30 days ago",
        ),
        (
            with(small(), &poor, demand(grown)),
            "its accuracy of 50.0 % on the newest test days is below 70.0 %",
        ),
        (
            with(small(), &retired, demand(grown)),
            "version 4 is retired",
        ),
        (
            with(
                small(),
                &model("demand", ModelType::Forecast),
                "{}".to_owned(),
            ),
            "the demand model cannot be read",
        ),
        (
            forecast(resized, grown),
            "the demand model learned it at another size",
        ),
        (
            forecast(other, grown),
            "the demand model has not learned this resource",
        ),
    ];

    for (case, reason) in rows {
        let found = only(&case);
        assert_eq!(found.kind, RecommendationType::RightSize, "{reason}");
        assert!(found.explanation.models.is_empty(), "{reason}");
        let said = found
            .explanation
            .factors
            .iter()
            .any(|factor| factor.contains(reason));
        assert!(
            said,
            "{reason} is not said: {:?}",
            found.explanation.factors
        );
    }
}

#[test]
fn a_forecast_beyond_what_a_machine_has_advises_a_larger_one() {
    let busy = || {
        Case::machine("m5.large")
            .with(CPU, 30, |m| Some(70.0 + 6.0 * noise(m)))
            .all_else_small()
    };
    let without = busy().judge();

    assert!(
        without
            .proposals
            .iter()
            .all(|p| p.kind != RecommendationType::InstanceType),
        "the past alone is no need"
    );

    let found = only(&forecast(busy(), |day| (76.0 + 2.0 * day as f64, 100.0)));
    assert_eq!(
        (found.kind, found.subject.instance_type.as_deref()),
        (RecommendationType::InstanceType, Some("m5.large"))
    );
    assert!(
        found
            .reason_codes
            .iter()
            .any(|code| code == "forecast_above_90"),
        "{:?}",
        found.reason_codes
    );

    let factors = &found.explanation.factors;
    assert!(
        factors[1].contains("forecast at 94.0 % within 11 days"),
        "behind what was measured: {factors:?}"
    );
    assert!(
        found.confidence <= 60.0,
        "no past day confirms it: {}",
        found.confidence
    );
    assert_eq!(found.explanation.models[0].model.name, "demand");
}

/// A machine that rests but for what `works` says, and what the usage model saw of it on which days
/// and hours.
fn resting(works: impl Fn(i64) -> bool) -> Case {
    Case::machine("m5.2xlarge")
        .with(CPU, 30, |back| {
            Some(if works(back) {
                50.0
            } else {
                0.1 + 0.15 * noise(back)
            })
        })
        .all_else_small()
        .flat_instead(reeve_estate::Metric::NetworkIn, 100.0)
        .flat_instead(reeve_estate::Metric::NetworkOut, 80.0)
}

fn usage(case: Case, days: &[(i64, u32)]) -> Case {
    let days = days
        .iter()
        .map(|(back, hours)| (today() - back, *hours))
        .collect();
    let one = Usage {
        from_day: today() - 91,
        until_day: today() - 7,
        days,
    };

    let state = Profiles::new(BTreeMap::from([("i-1".to_owned(), one)]))
        .text()
        .unwrap();
    with(case, &model("usage", ModelType::Classification), state)
}

#[test]
fn use_that_comes_again_after_a_long_pause_is_not_idle() {
    let idle = || resting(|_| false);
    let stop = only(&idle());
    assert_eq!(stop.kind, RecommendationType::IdleResourceCleanup);
    assert!(
        stop.explanation
            .factors
            .iter()
            .any(|f| f.contains("the usage model is not trained yet"))
    );

    let monthly = usage(idle(), &[(92 - 1, 0b111), (61, 0b111), (31, 0b111)]).judge();
    let why = monthly
        .abstentions
        .iter()
        .find(|a| a.code == "use_comes_again")
        .unwrap();

    assert!(
        monthly
            .proposals
            .iter()
            .all(|p| p.kind != RecommendationType::IdleResourceCleanup)
    );

    assert!(why.detail.contains("31 days ago"), "{why:?}");

    // Use that ended, or was seen once, keeps nothing from being idle.
    let ended: Vec<(i64, u32)> = (45..91).rev().map(|back| (back, 0b111)).collect();
    for days in [&ended[..], &[(40, 1)], &[]] {
        let found = only(&usage(idle(), days));
        assert_eq!(found.explanation.models[0].model.name, "usage");
        assert_eq!(found.plan, stop.plan, "{days:?}");
    }
}

#[test]
fn a_schedule_is_not_proposed_where_use_outside_it_comes_again() {
    let office = || {
        resting(|back| {
            let (day, minute) = (
                (6 - (back - 1).div_euclid(1440)).rem_euclid(7),
                (-back).rem_euclid(1440),
            );
            day < 5 && (480..1080).contains(&minute)
        })
    };
    let plain = only(&office());

    assert!(
        plain
            .reason_codes
            .iter()
            .any(|code| code == "works_at_known_times"),
        "{:?}",
        plain.reason_codes
    );

    // 15 November 2026 is a Sunday: 36 and 71 days ago it worked on a Sunday night.
    let gated = usage(office(), &[(71, 0b11), (36, 0b11)]).judge();
    let why = gated
        .abstentions
        .iter()
        .find(|a| a.code == "used_at_other_times");
    assert!(why.is_some(), "{:?}", gated.abstentions);

    let within = only(&usage(office(), &[(69, 1 << 10), (34, 1 << 10)]));
    assert_eq!(within.explanation.models[0].model.name, "usage");
}

#[test]
fn judgements_of_the_past_know_no_models() {
    let case = forecast(small(), |_| (6.0, 99.0));
    let at: Vec<Timestamp> = vec![now() - SignedDuration::from_hours(24 * 14)];
    assert_eq!(
        case.look_back(&at).len(),
        1,
        "a later model would have kept it from being proposed"
    );

    assert!(
        LearnedModels::none()
            .get::<reeve_recommend::models::DemandModel>()
            .is_err()
    );
}
