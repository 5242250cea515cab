//! `reeve analyze anomalies`: a score a row, from the rows before it alone.

use std::fmt::Write as _;

use super::{analyze, analyze_text, open_data};

/// The answer as `(timestamp, score, alarm)`; a row that is not `timestamp,value,score,alarm`, with
/// a score from 0 to 1 (`None` where it is blank) and an alarm of 0 or 1, fails.
fn scores(stdout: &[u8]) -> Vec<(String, Option<f64>, bool)> {
    let text = std::str::from_utf8(stdout).unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("timestamp,value,anomaly_score,alarm"));

    let row = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        assert_eq!(cells.len(), 4, "{line}");
        let score: Option<f64> = (!cells[2].is_empty()).then(|| cells[2].parse().unwrap());
        assert!(
            score.is_none_or(|score| (0.0..=1.0).contains(&score)),
            "{line}"
        );
        assert!(["0", "1"].contains(&cells[3]), "{line}");
        let alarm = cells[3] == "1";
        assert!(!alarm || score.is_some_and(|score| score >= 0.5), "{line}");
        (cells[0].to_owned(), score, alarm)
    };

    lines.map(row).collect()
}

/// Two weeks of five minutes that follow the day, and a little noise; `odd` replaces some values.
fn days(odd: impl Fn(usize) -> Option<f64>) -> String {
    let mut text = "timestamp,value\n".to_owned();
    for at in 0..14 * 288 {
        let noise = ((at * 7_919) % 101) as f64 / 101.0;
        let usual = 40.0 + 20.0 * (at as f64 / 288.0 * std::f64::consts::TAU).sin() + noise;
        writeln!(
            text,
            "{},{}",
            1_767_571_200 + at * 300,
            odd(at).unwrap_or(usual)
        )
        .unwrap();
    }

    text
}

#[test]
fn a_jump_is_an_alarm_and_the_days_before_it_are_not() {
    let text = days(|at| (at == 4_000).then_some(140.0));
    let output = analyze_text(&["anomalies", "-"], &text);
    assert!(output.status.success(), "{output:?}");

    let found = scores(&output.stdout);
    assert_eq!(found.len(), 14 * 288);

    let alarms: Vec<usize> = found
        .iter()
        .enumerate()
        .filter(|(_, row)| row.2)
        .map(|(at, _)| at)
        .collect();
    assert_eq!(alarms, [4_000], "a clean series has no other alarms");

    assert!(
        found[..15].iter().all(|row| row.1.is_none())
            && found[15..].iter().all(|row| row.1.is_some())
    );
}

#[test]
fn sensitivity_moves_alarms() {
    // Twenty leaps, each a little higher than the last.
    let text = days(|at| (at > 1_000 && at % 150 == 0).then_some(60.0 + at as f64 / 100.0));
    let alarms = |sensitivity: &str| {
        let output = analyze_text(&["anomalies", "--sensitivity", sensitivity, "-"], &text);
        assert!(output.status.success(), "{output:?}");
        scores(&output.stdout).iter().filter(|row| row.2).count()
    };
    let [low, medium, high] = ["low", "medium", "high"].map(alarms);

    assert!(
        0 < low && low <= medium && medium <= high && low < high,
        "{low} {medium} {high}"
    );

    let refused = analyze_text(&["anomalies", "--sensitivity", "highest", "-"], &text);
    assert_eq!(refused.status.code(), Some(2), "{refused:?}");
}

#[test]
fn a_score_does_not_know_what_comes_later() {
    let whole = analyze_text(
        &["anomalies", "-"],
        &days(|at| (at == 4_000).then_some(140.0)),
    );
    let text = days(|_| None);
    let cut: String = text
        .lines()
        .take(1 + 3_900)
        .map(|line| format!("{line}\n"))
        .collect();
    let part = analyze_text(&["anomalies", "-"], &cut);
    assert_eq!(scores(&part.stdout)[..], scores(&whole.stdout)[..3_900]);
}

#[test]
fn a_file_without_a_series_is_refused_with_its_line() {
    for (text, reason) in [
        ("", "empty"),
        ("timestamp,value\n0,1\nyesterday,2\n", "line 3"),
        ("a,b,c\n1,2,3\n", "column"),
    ] {
        let output = analyze_text(&["anomalies", "-"], text);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(
            (output.status.code(), output.stdout.len()),
            (Some(2), 0),
            "{text:?}: {said}"
        );
        assert!(said.contains(reason), "{text:?}: {said}");
    }
}

#[test]
fn a_real_file_is_judged_the_same_every_time_row_by_row() {
    let Some(path) = open_data("nab/realAWSCloudwatch/ec2_cpu_utilization_5f5533.csv") else {
        return;
    };

    let run = || {
        analyze(&["anomalies", path.to_str().unwrap()])
            .output()
            .unwrap()
    };
    let (first, second) = (run(), run());

    assert!(first.status.success(), "{first:?}");
    assert_eq!(first.stdout, second.stdout);

    let rows = std::fs::read_to_string(&path).unwrap().lines().count() - 1;
    assert_eq!(scores(&first.stdout).len(), rows);
}
