//! `reeve analyze anomalies`: a score a row, from the rows before it alone.

use std::fmt::Write as _;

use super::{analyze, analyze_text, open_data};

/// The answer as `(timestamp, score)`; a row that is not `timestamp,value,score` with a score from 0 to 1 fails.
fn scores(stdout: &[u8]) -> Vec<(String, f64)> {
    let text = std::str::from_utf8(stdout).unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("timestamp,value,anomaly_score"));
    let row = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        assert_eq!(cells.len(), 3, "{line}");
        let score: f64 = cells[2].parse().unwrap();
        assert!((0.0..=1.0).contains(&score), "{line}");
        (cells[0].to_owned(), score)
    };
    lines.map(row).collect()
}

/// Two weeks of five minutes that follow the day, and a little noise; `odd` replaces some values.
fn days(odd: impl Fn(usize) -> Option<f64>) -> String {
    let mut text = "timestamp,value\n".to_owned();
    for at in 0..14 * 288 {
        let noise = ((at * 7_919) % 101) as f64 / 101.0;
        let usual = 40.0 + 20.0 * (at as f64 / 288.0 * std::f64::consts::TAU).sin() + noise;
        writeln!(text, "{},{}", 1_767_571_200 + at * 300, odd(at).unwrap_or(usual)).unwrap();
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
    assert!(found[4_000].1 >= 0.5, "{:?}", found[4_000]);
    let alarms = found[..4_000].iter().filter(|(_, score)| *score >= 0.5).count();
    assert_eq!(alarms, 0, "a clean series has no alarms");
}

#[test]
fn a_score_does_not_know_what_comes_later() {
    let whole = analyze_text(&["anomalies", "-"], &days(|at| (at == 4_000).then_some(140.0)));
    let text = days(|_| None);
    let cut: String = text.lines().take(1 + 3_900).map(|line| format!("{line}\n")).collect();
    let part = analyze_text(&["anomalies", "-"], &cut);
    assert_eq!(scores(&part.stdout)[..], scores(&whole.stdout)[..3_900]);
}

#[test]
fn what_is_no_series_is_refused_with_its_line_before_anything_is_written() {
    for (text, reason) in
        [("", "empty"), ("timestamp,value\n0,1\nyesterday,2\n", "line 3"), ("a,b,c\n1,2,3\n", "column")]
    {
        let output = analyze_text(&["anomalies", "-"], text);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{text:?}: {said}");
        assert!(said.contains(reason), "{text:?}: {said}");
    }
}

#[test]
fn a_real_file_is_judged_the_same_every_time_row_by_row() {
    let Some(path) = open_data("nab/realAWSCloudwatch/ec2_cpu_utilization_5f5533.csv") else { return };
    let run = || analyze(&["anomalies", path.to_str().unwrap()]).output().unwrap();
    let (first, second) = (run(), run());
    assert!(first.status.success(), "{first:?}");
    assert_eq!(first.stdout, second.stdout);
    let rows = std::fs::read_to_string(&path).unwrap().lines().count() - 1;
    assert_eq!(scores(&first.stdout).len(), rows);
}
