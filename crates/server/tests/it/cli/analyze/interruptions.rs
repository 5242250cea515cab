//! `reeve analyze interruptions`: a probability a row, from the rows before it alone.

use std::fmt::Write as _;

use super::analyze_text;

/// Ten days of ten minutes; capacity is gone in the first half hour of every sixth hour.
fn trace(rows: usize) -> String {
    let mut text = "timestamp,available\n".to_owned();
    for at in 0..rows {
        writeln!(
            text,
            "{},{}",
            1_767_571_200 + at * 600,
            u8::from(at % 36 > 2)
        )
        .unwrap();
    }

    text
}

fn judged(text: &str) -> Vec<(String, Option<f64>)> {
    let output = analyze_text(&["interruptions", "-", "--horizon", "60m"], text);
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );

    let text = String::from_utf8(output.stdout).unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("timestamp,probability"));

    let row = |line: &str| {
        let (time, chance) = line.split_once(',').unwrap();
        (
            time.to_owned(),
            (!chance.is_empty()).then(|| chance.parse().unwrap()),
        )
    };

    lines.map(row).collect()
}

#[test]
fn the_chance_rises_towards_a_loss_that_comes_by_the_clock() {
    let found = judged(&trace(1_440));
    assert_eq!(found.len(), 1_440);
    assert!(
        found[..60].iter().all(|(_, chance)| chance.is_none()),
        "too little is known"
    );

    let mean = |within: &dyn Fn(usize) -> bool| {
        let rows: Vec<f64> = (720..1_440)
            .filter(|at| within(at % 36))
            .map(|at| found[at].1.unwrap())
            .collect();
        rows.iter().sum::<f64>() / rows.len() as f64
    };
    let (before, away) = (mean(&|at| at >= 30), mean(&|at| (5..25).contains(&at)));

    assert!(
        before > 1.5 * away,
        "{before} in the hour before a loss, {away} away from it"
    );
    assert_eq!(
        judged(&trace(1_000))[..],
        found[..1_000],
        "what comes later changes nothing"
    );
}

#[test]
fn unusable_availability_files_are_refused_with_a_reason() {
    for (text, expect) in [
        (trace(20), "too few"),
        (trace(0), "no rows below it"),
        (
            "timestamp,available\n0,1\n600,0.5\n".to_owned(),
            "line 3: \"0.5\" is neither 1",
        ),
        (
            "timestamp,available\n0,\n600,NaN\n".to_owned(),
            "holds no number",
        ),
    ] {
        let output = analyze_text(&["interruptions", "-", "--horizon", "1h"], &text);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(
            (output.status.code(), output.stdout.len()),
            (Some(2), 0),
            "{said}"
        );
        assert!(said.contains(expect), "{expect}: {said}");
    }

    let output = analyze_text(&["interruptions", "-", "--horizon", "soon"], &trace(10));
    assert!(String::from_utf8_lossy(&output.stderr).contains("30s, 10m, 1h or 1d"));
}
