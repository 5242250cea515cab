//! `reeve analyze costs`.

use serde_json::Value;

use super::{analyze, analyze_text, open_data};

const HEADER: &str = "BilledCost,EffectiveCost,BillingCurrency,ChargePeriodStart,ChargePeriodEnd,ChargeCategory,ServiceName,ResourceId";

fn bill(rows: &[&str]) -> String {
    std::iter::once(HEADER)
        .chain(rows.iter().copied())
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn sums_are_exact_and_currencies_apart() {
    let rows = [
        "0.1,0.1,USD,2026-11-01T00:00:00Z,2026-11-02T00:00:00Z,Usage,EC2,i-1",
        "0.2,0.2,USD,2026-11-01T00:00:00Z,2026-11-02T00:00:00Z,Usage,EC2,i-1",
        "-0.00000000603,NULL,USD,2026-11-01T00:00:00Z,2026-11-02T00:00:00Z,Credit,EC2,",
        "7,7,EUR,2026-11-01 00:00:00,2026-11-02 00:00:00,Tax,,",
    ];
    let output = analyze_text(&["costs", "-"], &bill(&rows));

    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );

    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.contains("\"billed_cost\": 0.29999999397"),
        "every digit: {text}"
    );

    let answer: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        answer["totals"]["currencies"],
        serde_json::json!(["EUR", "USD"])
    );
    assert_eq!(
        answer["totals"]["by_currency"]["EUR"]["discounts"]["taxes"],
        7
    );
    assert_eq!(
        answer["totals"]["by_currency"]["USD"]["by_day"][0]["date"],
        "2026-11-01"
    );
    assert!(answer["anomalies"].as_array().unwrap().is_empty());
    assert!(
        answer["abstained"]
            .as_array()
            .unwrap()
            .iter()
            .any(|one| one["check"] == "anomalies"),
        "{text}"
    );
}

#[test]
fn a_bill_in_parquet_is_judged_like_one_in_csv() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/focus.parquet");
    let output = analyze(&["costs", file]).output().unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );

    let text = String::from_utf8(output.stdout).unwrap();
    // Three days at $25.50 billed and $20.25 effective, as DuckDB wrote them.
    assert!(
        text.contains("\"billed_cost\": 76.5") && text.contains("\"effective_cost\": 60.75"),
        "{text}"
    );

    let answer: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        answer["totals"]["by_currency"]["USD"]["by_day"][0]["date"],
        "2026-11-01"
    );
}

#[test]
fn a_runaway_day_is_found_with_its_resource() {
    let mut rows = Vec::new();
    for day in 1..=30 {
        for hour in 0..24 {
            rows.push(format!(
                "1,1,USD,2026-11-{day:02}T{hour:02}:00:00Z,,Usage,EC2,i-{}",
                hour % 3
            ));
        }
    }

    rows.push("30,30,USD,2026-11-27T05:00:00Z,,Usage,EC2,i-runaway".to_owned());
    // The last hour tells that the month is whole.
    rows.push("0,0,USD,2026-11-30T23:00:00Z,2026-12-01T00:00:00Z,Usage,EC2,i-0".to_owned());
    let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
    let home = tempfile::tempdir().unwrap();
    let (file, to) = (
        home.path().join("bill.csv"),
        home.path().join("judged.json"),
    );
    std::fs::write(&file, bill(&rows).replace('\n', "\r\n")).unwrap();
    let output = analyze(&["costs", file.to_str().unwrap(), "-o", to.to_str().unwrap()])
        .output()
        .unwrap();
    assert!(output.status.success() && output.stdout.is_empty());

    let answer: Value = serde_json::from_slice(&std::fs::read(&to).unwrap()).unwrap();
    let found = answer["anomalies"].as_array().unwrap();
    assert_eq!(found.len(), 1, "{found:?}");

    let one = &found[0];
    assert_eq!(
        (&one["start"], &one["end"], &one["kind"]),
        (&"2026-11-27".into(), &"2026-11-27".into(), &"spike".into())
    );
    assert_eq!(
        (
            &one["observed"],
            &one["expected"],
            &one["deviation_percent"]
        ),
        (&54.into(), &24.into(), &125.0.into())
    );

    assert_eq!(one["contributors"][0]["resource"], "i-runaway");
}

#[test]
fn a_file_that_is_no_bill_is_refused_with_its_place() {
    for (text, expect) in [
        (String::new(), "stdin is empty"),
        ("a,b\n1,2\n".to_owned(), "names no BilledCost"),
        (
            bill(&["1,1,USD,2026-11-01,2026-11-02,Usage,EC2"]),
            "line 2 has 7 columns, the header 8",
        ),
        (
            bill(&[
                "1,1,USD,2026-11-01,2026-11-02,Usage,EC2,i",
                "\"1,5\",1,USD,2026-11-01,,Usage,,",
            ]),
            "line 3: BilledCost: \"1,5\"",
        ),
        (bill(&[]), "has a header and no charges"),
        (r#"[{"BilledCost": 1}]"#.to_owned(), "stdin is JSON"),
        (
            bill(&["1,1,USD,2026-11-02,2026-11-01,Usage,EC2,i"]),
            "line 2: ChargePeriodEnd: \"2026-11-01\": the charge ends before it starts",
        ),
        (
            bill(&["1,1,USD,soon,2026-11-02,Usage,EC2,i"]),
            "line 2: ChargePeriodStart: \"soon\"",
        ),
    ] {
        let output = analyze_text(&["costs", "-"], &text);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(
            (output.status.code(), output.stdout.len()),
            (Some(2), 0),
            "{said}"
        );
        assert!(said.contains(expect), "{expect}: {said}");
    }

    let output = analyze(&["costs", "/nowhere/bill.csv"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn the_open_sample_is_added_up_and_said_to_be_thin() {
    let Some(file) = open_data("focus/focus_sample.csv") else {
        return;
    };

    let run = || {
        analyze(&["costs", file.to_str().unwrap()])
            .output()
            .unwrap()
    };
    let output = run();
    assert_eq!(output.stdout, run().stdout, "the same bytes each time");

    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(answer["totals"]["charges"], 1000);
    assert_eq!(
        answer["totals"]["by_currency"]["USD"]["billed_cost"],
        20.520_226_728_99
    );
    assert_eq!(answer["anomalies"], serde_json::json!([]));
    assert!(
        answer["abstained"][0]["reason"]
            .as_str()
            .unwrap()
            .contains("1000 charges"),
        "{}",
        answer["abstained"]
    );
}

/// The shapes of FOCUS's own examples: an upfront purchase, `$10,000.00`, `4/1/25`, hours
/// past midnight, no currency.
#[test]
fn bills_as_the_specification_writes_them_are_read() {
    let header = "BilledCost,BillingPeriodStart,ChargeCategory,ChargePeriodEnd,ChargePeriodStart,EffectiveCost,ServiceName";
    let rows = [
        r#""$10,000.00 ",4/1/25,Purchase,4/1/26,4/1/25,"$10,000.00 ",ACMECORP Service"#,
        "1.00,2025-04-01T00:00:00Z,Usage,2025-04-01T30:00:00Z,2025-04-01T20:00:00Z,null,ACMECORP Service",
    ];
    let output = analyze_text(&["costs", "-"], &format!("{header}\n{}\n", rows.join("\n")));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        output.status.success() && said.contains("names no currency"),
        "{said}"
    );

    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        answer["totals"]["by_currency"]["unknown"]["billed_cost"],
        10_001
    );
    assert_eq!(
        answer["totals"]["by_currency"]["unknown"]["by_month"][0]["date"],
        "2025-04"
    );

    let comma = "BilledCost;BillingCurrency;ChargePeriodStart\n1.234,50;EUR;2026-11-01\n";
    let output = analyze_text(&["costs", "-"], comma);
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        answer["totals"]["by_currency"]["EUR"]["billed_cost"],
        1234.5
    );
}

#[test]
fn the_specifications_own_examples_are_read() {
    let Some(folder) = open_data("focus/spec_examples") else {
        return;
    };

    let files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|file| file.unwrap().path())
        .collect();
    let bills: Vec<_> = files
        .iter()
        .filter(|path| path.extension().is_some_and(|ending| ending == "csv"))
        .collect();
    assert_eq!(bills.len(), 12);

    for path in bills {
        let output = analyze(&["costs", path.to_str().unwrap()])
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "{}: {}",
            path.display(),
            String::from_utf8_lossy(&output.stderr)
        );
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        let rows = std::fs::read_to_string(path)
            .unwrap()
            .lines()
            .filter(|line| !line.trim().is_empty())
            .count()
            - 1;
        assert_eq!(answer["totals"]["charges"], rows, "{}", path.display());
    }
}
