//! Bills made by hand, with what stands out in them.
#![allow(clippy::unwrap_used)]

use reeve_estate::charge::{CommitmentStatus, PricingCategory};

use super::*;

fn text(text: &str) -> Option<Arc<str>> {
    Some(Arc::from(text))
}

fn amount(text: &str) -> Amount {
    text.parse().unwrap()
}

/// A day's usage of a service.
pub(super) fn usage(day: i64, service: &str, cost: &str) -> Charge {
    Charge {
        provider: text("AWS"),
        service: text(service),
        service_category: text("Compute"),
        account: text("payer"),
        sub_account: text("team"),
        sub_account_name: None,
        region: text("us-east-1"),
        resource: text("i-1"),
        resource_type: None,
        category: ChargeCategory::Usage,
        correction: false,
        start_ms: (20_000 + day) * DAY_MS,
        end_ms: (20_001 + day) * DAY_MS,
        billing_start_ms: None,
        currency: Arc::from("USD"),
        billed: amount(cost),
        effective: Some(amount(cost)),
        list: Some(amount(cost) + amount(cost)),
        contracted: Some(amount(cost)),
        pricing: Some(PricingCategory::Standard),
        consumed: Some(Amount::whole(24)),
        unit: text("Hours"),
        commitment: None,
        commitment_status: None,
        description: text("compute"),
        sku: None,
        tags: Some(Arc::from([("env".to_owned(), "prod".to_owned())])),
    }
}

fn steady(days: i64) -> Vec<Charge> {
    (0..days)
        .map(|day| {
            usage(
                day,
                "EC2",
                ["10.1", "9.9", "10", "10.2", "9.8"][day as usize % 5],
            )
        })
        .collect()
}

fn anomalies(charges: &[Charge]) -> Vec<Anomaly> {
    judge(charges, &AnomalyLimits::default()).anomalies
}

#[test]
fn currencies_stay_apart_and_sums_are_exact() {
    let mut charges: Vec<Charge> = (0..10).map(|day| usage(day, "EC2", "0.1")).collect();
    charges.push(Charge {
        currency: Arc::from("EUR"),
        ..usage(0, "EC2", "7")
    });
    charges.push(Charge {
        category: ChargeCategory::Credit,
        ..usage(0, "EC2", "-0.25")
    });
    let totals = judge(&charges, &AnomalyLimits::default()).totals;
    let usd = &totals.currencies["USD"];
    assert_eq!(
        (usd.costs.billed.to_string().as_str(), usd.costs.charges),
        ("0.75", 11)
    );
    assert_eq!(usd.discounts.credits.to_string(), "-0.25");
    assert_eq!(usd.discounts.negotiated.to_string(), "1");
    assert_eq!(totals.currencies["EUR"].costs.billed, Amount::whole(7));
    assert_eq!(
        usd.by[&ChargeDimension::ChargeCategory]["Usage"].billed,
        Amount::whole(1)
    );
    assert_eq!(usd.tags.as_ref().unwrap().keys["env"], Amount::whole(1));
}

#[test]
fn a_day_of_half_as_much_again_is_found_and_explained() {
    let mut charges = steady(45);
    charges.push(Charge {
        resource: text("i-runaway"),
        ..usage(40, "EC2", "5")
    });
    let found = anomalies(&charges);
    let [one] = found.as_slice() else {
        panic!("{found:?}")
    };

    assert_eq!(
        (one.kind, one.first_day, one.last_day),
        (AnomalyKind::Spike, 20_040, 20_040)
    );
    assert_eq!(one.observed.to_string(), "15.1");
    assert!((one.expected.as_f64() - 10.0).abs() < 0.1, "{one:?}");
    assert_eq!(one.contributors[0].resource.as_ref(), "i-runaway");
    assert_eq!(
        (one.contributors[0].observed, one.contributors[0].expected),
        (amount("5"), Amount::ZERO)
    );
}

#[test]
fn weeks_months_and_noise_are_no_news() {
    assert_eq!(anomalies(&steady(60)), []);

    let week: Vec<Charge> = (0..70)
        .map(|day| usage(day, "EC2", if day % 7 < 5 { "100" } else { "20" }))
        .collect();
    assert_eq!(anomalies(&week), []);

    let mut saturday = week.clone();
    saturday.push(usage(61, "EC2", "60"));
    assert_eq!(
        anomalies(&saturday).len(),
        1,
        "an ordinary weekday's cost, on a Saturday"
    );

    // A fee on the first of every month: 2024-10-04 is day 20,000.
    let mut fees = steady(100);
    fees.extend([28, 58, 89].map(|first| usage(first, "EC2", "50")));
    let found = anomalies(&fees);
    assert!(
        found.iter().all(|one| one.first_day == 20_028),
        "the first one only: {found:?}"
    );

    // On the first working day, over a usual that has doubled: 2024-11-01 is a Friday, 2024-12-02
    // and 2025-01-02 are late.
    let mut working = steady(100);
    working.extend((45..100).map(|day| usage(day, "EC2", "10")));
    working.extend([28, 59, 90].map(|first| usage(first, "EC2", "50")));
    let fees: Vec<i64> = anomalies(&working)
        .iter()
        .map(|one| one.first_day)
        .filter(|day| *day > 20_052)
        .collect();
    assert_eq!(fees, [0_i64; 0], "one earlier charge tells the month's");

    // Twice the fee is news.
    working.push(usage(90, "EC2", "60"));
    assert!(
        anomalies(&working)
            .iter()
            .any(|one| one.first_day == 20_090)
    );

    let fee = Charge {
        end_ms: 20_060 * DAY_MS,
        ..usage(30, "Support", "300")
    };
    let spread: Vec<Charge> = steady(60).into_iter().chain([fee]).collect();
    assert!(
        anomalies(&spread)
            .iter()
            .all(|one| one.scope.service.as_ref() == "Support")
    );
}

#[test]
fn a_new_level_is_reported_once() {
    let mut charges = steady(60);
    charges.extend((40..60).map(|day| usage(day, "EC2", "10")));
    let found = anomalies(&charges);
    let [one] = found.as_slice() else {
        panic!("{found:?}")
    };

    assert_eq!(
        (one.kind, one.first_day, one.last_day),
        (AnomalyKind::Shift, 20_040, 20_046)
    );

    let new: Vec<Charge> = steady(40)
        .into_iter()
        .chain((30..40).map(|day| usage(day, "GPU", "200")))
        .collect();
    assert_eq!(anomalies(&new)[0].kind, AnomalyKind::New);
}

#[test]
fn nothing_is_saved_twice() {
    let idle = "$0.005 per Idle public IPv4 address per hour";
    let old = "$0.1 per On Demand Linux m4.large Instance Hour";
    let mut charges = Vec::new();

    for day in 0..60 {
        charges.push(Charge {
            description: text(idle),
            unit: text("Addresses"),
            ..usage(day, "VPC", "2")
        });
        charges.push(Charge {
            description: text(old),
            ..usage(day, "EC2", "10")
        });
        charges.push(usage(day, "EC2", "30"));
        charges.push(Charge {
            commitment: text("sp-1"),
            commitment_status: Some(CommitmentStatus::Unused),
            pricing: Some(PricingCategory::Committed),
            ..usage(day, "EC2", "4")
        });
    }

    let judged = judge(&charges, &AnomalyLimits::default());
    let month = |daily: f64| daily * 365.0 / 12.0;
    let saved: Vec<(AdviceType, f64)> = judged
        .advice
        .iter()
        .filter_map(|advice| Some((advice.advice_type, advice.saving?.after_discounts.as_f64())))
        .collect();

    let expect = [
        (AdviceType::CommitSteadyUsage, month(30.0 * 0.8 * 0.2)),
        (AdviceType::UnusedCommitment, month(4.0)),
        (AdviceType::RemoveIdle, month(2.0)),
        (AdviceType::NewerGeneration, month(0.4)),
    ];
    assert_eq!(saved.len(), expect.len(), "{:?}", judged.advice);

    for ((kind, saving), (wanted, right)) in saved.iter().zip(expect) {
        assert_eq!(*kind, wanted);
        assert!(
            (saving - right).abs() < 1e-5,
            "{kind}: {saving} is not {right}"
        );
    }

    let list = judged.advice[1].saving.unwrap();
    let twice = (list.at_list - list.after_discounts - list.after_discounts).abs();
    assert!(
        twice <= amount("0.000002"),
        "list prices are twice the effective ones: {list:?}"
    );
}

#[test]
fn what_is_bought_for_a_year_does_not_stretch_the_bill() {
    let mut charges = Vec::new();
    for day in 0..28 {
        charges.push(usage(day, "EC2", "100"));
        charges.push(Charge {
            commitment: text("sp-1"),
            commitment_status: Some(CommitmentStatus::Unused),
            pricing: Some(PricingCategory::Committed),
            ..usage(day, "EC2", "50")
        });
    }

    let saved = |charges: &[Charge]| {
        let judged = judge(charges, &AnomalyLimits::default());
        let unused = judged
            .advice
            .iter()
            .find(|advice| advice.advice_type == AdviceType::UnusedCommitment)
            .unwrap();
        (
            judged.totals.span.days(),
            unused.saving.unwrap().after_discounts,
        )
    };
    let month = saved(&charges);

    assert!(
        (month.0 - 28.0).abs() < 1e-9 && (month.1.as_f64() - 50.0 * 365.0 / 12.0).abs() < 1e-3,
        "{month:?}"
    );

    let year = |category, cost: &str| Charge {
        category,
        end_ms: (20_000 + 365) * DAY_MS,
        effective: Some(Amount::ZERO),
        billed: amount(cost),
        ..usage(0, "EC2", "0")
    };

    for category in [
        ChargeCategory::Purchase,
        ChargeCategory::Credit,
        ChargeCategory::Tax,
    ] {
        charges.push(year(category, "8760"));
        assert_eq!(saved(&charges), month, "{category}");
    }

    // A support fee of the month in which the file was made.
    charges.push(Charge {
        end_ms: (20_000 + 31) * DAY_MS,
        ..usage(0, "Support", "10")
    });
    assert_eq!(saved(&charges), month);
}

#[test]
fn a_bill_of_purchases_alone_is_of_their_time() {
    let bought = Charge {
        category: ChargeCategory::Purchase,
        end_ms: 20_365 * DAY_MS,
        ..usage(0, "EC2", "8760")
    };
    let judged = judge(&[bought], &AnomalyLimits::default());
    assert!(
        (judged.totals.span.days() - 365.0).abs() < 1e-9,
        "{:?}",
        judged.totals.span
    );
}

#[test]
fn a_thin_bill_is_said_to_be_one() {
    let judged = judge(&steady(3), &AnomalyLimits::default());
    let checks: Vec<_> = judged
        .abstentions
        .iter()
        .map(|one| one.check.as_str())
        .collect();

    assert_eq!(
        checks,
        ["anomalies", "monthly_savings", "commitment_coverage"]
    );
    assert!(
        judged.abstentions[0]
            .reason
            .contains("3 charges of 3.0 days"),
        "{:?}",
        judged.abstentions
    );

    // A tenth of the rows of forty days.
    let sampled: Vec<Charge> = (0..40)
        .step_by(10)
        .map(|day| usage(day, "EC2", "100"))
        .collect();
    let judged = judge(&sampled, &AnomalyLimits::default());
    assert!(
        judged.anomalies.is_empty() && judged.abstentions[0].reason.contains("sample"),
        "{:?}",
        judged.abstentions
    );

    let nothing = judge(&[], &AnomalyLimits::default());
    assert!(nothing.totals.currencies.is_empty() && nothing.advice.is_empty());
}
