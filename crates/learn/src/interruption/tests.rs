//! Risks on made-up fleets.

use super::*;

fn life(pool: &str, start_h: i64, hours: i64, ending: InterruptionEnding) -> Lifetime {
    let start_ms = start_h * HOUR_MS;
    Lifetime {
        pool: pool.into(),
        family: "m".into(),
        start_ms,
        end_ms: start_ms + hours * HOUR_MS,
        ending,
    }
}

fn instance(pool: &str) -> Instance {
    Instance {
        pool: pool.into(),
        family: "m".into(),
        age_ms: 2 * DAY_MS,
        availability: None,
        price_ratio: None,
    }
}

/// Ninety days: one pool interrupts every other day, the other never does.
fn history() -> History {
    let risky = (0..45).map(|n| life("risky", n * 48, 47, InterruptionEnding::Interrupted));
    let calm = (0..4).map(|_| life("calm", 0, 90 * 24, InterruptionEnding::Running));
    History {
        lifetimes: risky.chain(calm).collect(),
        signals: Vec::new(),
    }
}

const NOW: i64 = 91 * DAY_MS;

#[test]
fn without_history_the_prior_answers_with_a_wide_interval() {
    let risk = InterruptionModel::fit(&History::default()).risk(&instance("any"), NOW);
    assert!(risk.cold_start);
    assert!((0.001..0.006).contains(&risk.day.value), "{:?}", risk.day);
    assert!(risk.day.high > 5.0 * risk.day.low, "{:?}", risk.day);
}

#[test]
fn a_pool_that_interrupts_is_riskier_and_better_known() {
    let model = InterruptionModel::fit(&history());
    let (risky, calm) = (
        model.risk(&instance("risky"), NOW),
        model.risk(&instance("calm"), NOW),
    );
    assert!(!risky.cold_start);
    assert!(risky.day.value > 0.2, "{:?}", risky.day);
    assert!(calm.day.value < 0.1, "{:?}", calm.day);
    assert!(calm.day.high < risky.day.low);
}

#[test]
fn longer_horizons_contain_shorter_ones() {
    let model = InterruptionModel::fit(&history());
    for pool in ["risky", "calm", "new"] {
        let risk = model.risk(&instance(pool), NOW);
        assert!(risk.ten_minutes.value <= risk.hour.value && risk.hour.value <= risk.day.value);
        for chance in [risk.ten_minutes, risk.hour, risk.day] {
            assert!(0.0 < chance.low && chance.low < chance.value && chance.high < 1.0);
        }
    }
}

#[test]
fn an_interruption_raises_the_risk_of_its_pool_and_is_forgotten() {
    let mut model = InterruptionModel::fit(&History::default());
    model.note_running("calm", "m", 360.0);
    let before = model.risk(&instance("calm"), NOW).hour.value;
    model.note_interruption("calm", "m", NOW);
    let after = model.risk(&instance("calm"), NOW + 60_000);
    let later = model.risk(&instance("calm"), NOW + 10 * DAY_MS).hour.value;
    assert!(after.hour.value > 1.3 * before, "{before} {after:?}");
    assert!(later < after.hour.value);
    assert!(
        after
            .factors
            .iter()
            .any(|(name, factor)| name.contains("within an hour") && *factor > 1.0)
    );
}

#[test]
fn scarce_capacity_counts_and_price_hardly_does() {
    let model = InterruptionModel::fit(&History::default());
    let ask = |availability, price_ratio| {
        model
            .risk(
                &Instance {
                    availability,
                    price_ratio,
                    ..instance("x")
                },
                NOW,
            )
            .day
            .value
    };
    assert!(ask(Some(0.1), None) > 2.0 * ask(Some(0.9), None));

    let (cheap, dear) = (ask(None, Some(0.1)), ask(None, Some(0.9)));
    assert!((cheap / dear - 1.0).abs() < 0.05);
}

#[test]
fn scarcity_is_learnt_from_signals() {
    // Pools interrupt when they are scarce, and only then.
    let mut past = History::default();
    for n in 0..60 {
        let scarce = n % 2 == 0;
        let ending = if scarce {
            InterruptionEnding::Interrupted
        } else {
            InterruptionEnding::Stopped
        };
        past.lifetimes.push(life("p", n * 36, 35, ending));
        past.signals.extend((0..36).map(|hour| InterruptionSignal {
            pool: "p".into(),
            at_ms: (n * 36 + hour) * HOUR_MS,
            availability: Some(if scarce { 0.2 } else { 0.9 }),
            price_ratio: None,
        }));
    }

    let model = InterruptionModel::fit(&past);
    let ask = |availability| {
        model
            .risk(
                &Instance {
                    availability,
                    ..instance("p")
                },
                NOW,
            )
            .day
            .value
    };

    assert!(
        ask(Some(0.2)) > 2.5 * ask(Some(0.9)),
        "{} {}",
        ask(Some(0.2)),
        ask(Some(0.9))
    );
}

#[test]
fn an_owners_stop_is_no_interruption() {
    let stopped = History {
        lifetimes: (0..200)
            .map(|n| life("p", n * 10, 9, InterruptionEnding::Stopped))
            .collect(),
        signals: Vec::new(),
    };
    let risk = InterruptionModel::fit(&stopped).risk(&instance("p"), NOW);

    assert!(risk.cold_start && risk.day.value < 0.006, "{risk:?}");
}

#[test]
fn nonsense_is_bounded() {
    let mut past = history();
    past.lifetimes
        .push(life("p", 5, -3, InterruptionEnding::Interrupted));
    let model = InterruptionModel::fit(&past);
    let odd = Instance {
        age_ms: -5,
        availability: Some(f64::NAN),
        price_ratio: Some(f64::INFINITY),
        ..instance("p")
    };
    let risk = model.risk(&odd, NOW);

    assert!(risk.day.value.is_finite() && (0.0..1.0).contains(&risk.day.value));
}

#[test]
fn the_same_history_gives_the_same_model() {
    assert_eq!(
        InterruptionModel::fit(&history()),
        InterruptionModel::fit(&history())
    );
}
