//! Storage classes: what moves, what it saves after everything that S3 charges, and why other
//! buckets stay as they are.

use jiff::SignedDuration;
use reeve_estate::bucket::access::{AGE_BANDS, AccessState, Amount, BandUse};
use reeve_estate::{BucketAccess, BucketContents, Document, Money, ResourceKind, ResourceState};
use reeve_recommend::agent::settings::SettingValue;
use reeve_recommend::judgement::{Facts, Judgement};
use serde_json::{Value, json};

use super::{Case, judge};
use crate::cost_optimizer::tests::estate::{now, resource};

const GIB: u64 = 1 << 30;

/// A bucket with rules, and 60 days of logs.
fn case(bands: &[(&str, usize, BandUse)]) -> Case {
    let mut case = Case::volume("gp3", 1.0, None, None);
    case.volume = resource("trail", ResourceKind::Bucket, "s3", None);
    case.volume.state = ResourceState::Available;
    let mut access = BucketAccess::empty(now(), AccessState::Complete);
    access.observe(now() - SignedDuration::from_hours(60 * 24));
    access.observe(now());

    for (key, band, used) in bands {
        let prefix = access.of_key(key);
        prefix.stored[*band] = Amount {
            count: used.objects,
            bytes: used.bytes,
        };
        // Spread over the hours, so that every week has its share.
        let reads = Spread {
            of: Amount {
                count: used.reads,
                bytes: used.read_bytes,
            },
            over: 60 * 24,
        };
        for (hour, part) in reads.parts().enumerate() {
            prefix.read(
                AGE_BANDS[*band],
                now() - SignedDuration::from_hours(60 * 24 - hour as i64),
                part,
            );
        }
    }

    let gib = access.total().from_age(0).bytes as f64 / GIB as f64;
    let gib = [("StandardStorage".to_owned(), gib)].into();
    case.volume.specification.contents = Some(BucketContents {
        measured_at: now(),
        objects: None,
        gib,
    });
    case.volume.specification.access = Some(access);
    case.volume.monthly_cost = reeve_estate::PriceCatalogue::builtin()
        .monthly_cost(&case.volume)
        .map(|month| month.cost);

    case
}

struct Spread {
    of: Amount,
    over: u64,
}

impl Spread {
    fn parts(&self) -> impl Iterator<Item = Amount> {
        let until = |all: u64, part: u64| {
            (u128::from(all) * u128::from(part) / u128::from(self.over)) as u64
        };
        (0..self.over).map(move |part| Amount {
            count: until(self.of.count, part + 1) - until(self.of.count, part),
            bytes: until(self.of.bytes, part + 1) - until(self.of.bytes, part),
        })
    }
}

/// A GiB in objects of 4 MiB.
fn stored(gib: u64, reads: u64) -> BandUse {
    BandUse {
        objects: gib * 256,
        bytes: gib * GIB,
        reads,
        read_bytes: reads * (4 << 20),
    }
}

fn rules(more: &[Value]) -> Value {
    let aborts = json!({ "ID": "own", "Status": "Enabled", "Filter": { "Prefix": "" }, "AbortIncompleteMultipartUpload": {} });
    let all = [&[aborts], more].concat();
    json!({ "Lifecycle": { "Rule": all } })
}

fn judged(case: &Case, rules: Value) -> Judgement {
    let document = Document::new(rules);
    case.with(|facts| {
        judge(&Facts {
            document: Some(&document),
            ..*facts
        })
    })
}

fn code(case: &Case, rules: Value) -> &'static str {
    let judgement = judged(case, rules);
    assert!(
        judgement.proposals.is_empty(),
        "{}",
        judgement.proposals[0].title
    );
    judgement.abstentions[0].code
}

/// Class, days and prefix of a proposal's rule, and its saving.
fn found(case: &Case) -> (String, f64, Option<String>, f64) {
    let judgement = judged(case, rules(&[]));
    let found = judgement
        .proposals
        .first()
        .unwrap_or_else(|| panic!("{:?}", judgement.abstentions));
    let plan = found.plan.as_ref().unwrap();
    assert!(!plan.reversible);

    let parameters = &plan.change.as_ref().unwrap().parameters;
    let member = |name: &str| parameters.as_object().unwrap().get(name).cloned().unwrap();
    let text = |name: &str| member(name).as_str().map(str::to_owned);
    let days = member("tier_objects_after_days").as_f64().unwrap();

    (
        text("storage_class").unwrap(),
        days,
        text("prefix"),
        found.savings_monthly.unwrap().usd(),
    )
}

fn near(found: f64, expected: f64) -> bool {
    (found - expected).abs() < 0.005
}

#[test]
fn objects_that_nobody_reads_move_to_the_class_that_is_cheapest_after_its_charges() {
    let case = case(&[
        ("logs/a", 0, stored(50, 900)),
        ("logs/a", 4, stored(400, 0)),
        ("logs/a", 5, stored(600, 30)),
    ]);
    let (class, days, prefix, saving) = found(&case);
    assert_eq!((class.as_str(), days, prefix), ("GLACIER_IR", 90.0, None));

    // Storage 0.023 to 0.004 a GiB; 15 reads a month of 4 MiB each at $0.03 a GiB and $0.01 a
    // thousand; transitions at $0.02 a thousand.
    let reads = 15.0 * 4.0 / 1024.0 * 0.03 + 15.0 * (0.000_01 - 0.000_000_4);
    let transitions = 256_000.0 * 0.000_02 / 12.0 + 12_800.0 * 0.000_02;
    assert!(
        near(saving, 1000.0 * 0.019 - reads - transitions),
        "{saving}"
    );

    let judgement = judged(&case, rules(&[]));
    let factors = judgement.proposals[0]
        .explanation
        .factors
        .texts()
        .join("\n");

    for part in [
        "256,000 objects with 1,000 GiB",
        "30 with 0.12 GiB",
        "$5.12 once",
        "at least 90 days",
        "copying them back to STANDARD costs",
    ] {
        assert!(factors.contains(part), "{part}: {factors}");
    }

    assert_eq!(
        judgement.proposals[0].monthly_cost,
        Some(Money::from_usd(1050.0 * 0.023))
    );
}

#[test]
fn past_weeks_decide_about_the_confidence() {
    let quiet = case(&[("logs/a", 5, stored(600, 30))]);
    let words = |case: &Case| {
        let found = judged(case, rules(&[])).proposals.remove(0);
        (
            found.explanation.factors.texts().join("\n"),
            found.confidence,
        )
    };
    let (factors, confidence) = words(&quiet);

    assert!(
        factors.contains("Safe on 6 of 6 past weeks, each judged by the weeks before it"),
        "{factors}"
    );

    // One week in which everything was read costs more than that week's storage saves; over the two
    // months the rule pays.
    let mut restored = quiet;
    let access = restored.volume.specification.access.as_mut().unwrap();
    access.of_key("logs/a").read(
        365,
        now() - SignedDuration::from_hours(20 * 24),
        Amount {
            count: 600 * 256,
            bytes: 600 * GIB,
        },
    );

    let (factors, doubted) = words(&restored);
    assert!(factors.contains("Safe on 5 of 6 past weeks"), "{factors}");
    assert!(doubted < confidence - 10.0, "{doubted} after {confidence}");
}

#[test]
fn reads_decide_between_classes_and_prefixes() {
    // Each GiB is read once in two months: retrieval from GLACIER_IR costs $0.015 a month, from
    // STANDARD_IA $0.005.
    let (class, ..) = found(&case(&[("a/b", 3, stored(1000, 256_000))]));
    assert_eq!(class, "STANDARD_IA");

    // A small share is read very often: S3 moves those objects back by itself.
    let often = BandUse {
        reads: 4_000_000,
        read_bytes: 400 * GIB,
        ..stored(1000, 0)
    };
    let (class, _, _, saving) = found(&case(&[("a/b", 3, often)]));
    assert_eq!(class, "INTELLIGENT_TIERING");
    assert!(
        near(saving, 800.0 * 0.0105 - 0.64 - 256_000.0 * 0.000_01 / 12.0),
        "{saving}"
    );

    let hot = BandUse {
        reads: 5_000_000,
        read_bytes: 9_000 * GIB,
        ..stored(500, 0)
    };
    let (class, _, prefix, _) = found(&case(&[("hot/x", 3, hot), ("cold/x", 3, stored(500, 0))]));
    assert_eq!(
        (class.as_str(), prefix.as_deref()),
        ("GLACIER_IR", Some("cold/"))
    );
}

#[test]
fn rules_that_delete_soon_leave_no_time_for_a_class() {
    let case = case(&[("logs/a", 4, stored(400, 0))]);
    let expiring = |days: &str| {
        rules(&[
            json!({ "ID": "e", "Status": "Enabled", "Filter": { "Prefix": "" }, "Expiration": { "Days": days } }),
        ])
    };

    let class = |days| {
        judged(&case, expiring(days))
            .proposals
            .first()
            .map(|found| found.title.clone())
    };

    assert_eq!(
        class("400").as_deref(),
        Some("Move objects of trail-name to GLACIER_IR after 90 days")
    );
    assert_eq!(
        class("150").as_deref(),
        Some("Move objects of trail-name to STANDARD_IA after 90 days")
    );
    assert_eq!(code(&case, expiring("100")), "no_old_objects");
}

#[test]
fn buckets_that_are_not_known_well_enough_stay_as_they_are() {
    let old = [("logs/a", 5, stored(600, 0))];
    let with = |change: &dyn Fn(&mut BucketAccess)| {
        let mut case = case(&old);
        change(case.volume.specification.access.as_mut().unwrap());
        code(&case, rules(&[]))
    };

    assert_eq!(
        with(&|access| access.state = AccessState::NotLogged),
        "not_logged"
    );
    assert_eq!(
        with(&|access| access.state = AccessState::Behind),
        "logs_behind"
    );
    assert_eq!(
        with(&|access| access.state = AccessState::TooManyObjects),
        "too_many_objects"
    );
    assert_eq!(
        with(&|access| access.since = Some(now() - SignedDuration::from_hours(29 * 24))),
        "too_few_days"
    );
    assert_eq!(
        code(&case(&[("a/b", 1, stored(900, 0))]), rules(&[])),
        "no_old_objects"
    );
    assert_eq!(
        code(&case(&[("a/b", 4, stored(10, 0))]), rules(&[])),
        "not_cheaper"
    );

    let small = BandUse {
        objects: 2_000_000,
        bytes: 2_000_000 * 128 * 1024,
        ..BandUse::default()
    };

    assert_eq!(
        code(
            &case(&[("a/b", 4, small)]).set("tier_objects.least_savings", SettingValue::Count(5)),
            rules(&[])
        ),
        "not_cheaper"
    );

    let others = json!({ "ID": "archive", "Status": "Enabled", "Filter": { "Prefix": "a/" }, "Transition": {} });
    assert_eq!(code(&case(&old), rules(&[others])), "has_transitions");

    let own = json!({ "ID": "reeve-tier-objects", "Status": "Enabled", "Filter": { "Prefix": "" }, "Transition": {} });
    assert_eq!(code(&case(&old), rules(&[own])), "tiered");
    assert_eq!(
        code(
            &case(&old).set("tier_objects.enabled", SettingValue::Flag(false)),
            rules(&[])
        ),
        "configured"
    );

    let mut elsewhere = case(&old);
    // No prices of S3, and prices of its storage without those of transitions.
    for region in ["eu-north-1", "eu-west-1"] {
        elsewhere.volume.region = region.to_owned();
        assert_eq!(code(&elsewhere, rules(&[])), "price_not_known", "{region}");
    }
}
