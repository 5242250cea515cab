//! `reeve analyze interruptions`: a probability or a purchase a row, from the past alone.

use std::fmt::Write as _;

use super::{analyze_text, open_data};

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

fn purchases(more: &[&str], text: &str) -> Vec<String> {
    let arguments = [&["interruptions", "-", "--policy"], more].concat();
    let output = analyze_text(&arguments, text);
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(str::to_owned).collect()
}

#[test]
fn purchases_fall_back_at_once_and_switch_twice_a_day_at_most() {
    let text = trace(1_440);
    let found = purchases(&[], &text);
    assert_eq!(found[0], "timestamp,purchase");
    assert_eq!(found.len(), 1_441);
    // The first row has no capacity.
    assert_eq!(found[1], "1767571200,on_demand");

    let bought: Vec<&str> = found[1..]
        .iter()
        .map(|line| line.split_once(',').unwrap().1)
        .collect();
    assert!(bought.iter().all(|one| ["spot", "on_demand"].contains(one)));
    assert!(bought.contains(&"spot"));
    let switches = bought.windows(2).filter(|pair| pair[0] != pair[1]).count();
    assert!(switches <= 20, "{switches} in ten days of forty losses");

    assert_eq!(
        purchases(&[], &text),
        found,
        "the same file, the same bytes"
    );
    assert_eq!(
        purchases(&[], &trace(1_000))[..],
        found[..1_001],
        "what comes later changes nothing"
    );
}

#[test]
fn a_minimum_on_demand_is_never_spot() {
    let text = "timestamp,available\n0,1\n600,1\n1200,0\n";
    let alone = purchases(&["--min-on-demand", "1"], text);
    assert_eq!(
        alone[1..],
        ["0,on_demand", "600,on_demand", "1200,on_demand"]
    );

    let group = purchases(&["--min-on-demand", "2", "--machines", "5"], text);
    assert_eq!(
        group,
        [
            "timestamp,purchase,on_demand",
            "0,spot,2",
            "600,spot,2",
            "1200,on_demand,5"
        ]
    );
}

#[test]
fn purchases_of_unusable_files_are_refused_with_a_reason() {
    for (arguments, text, expect) in [
        (
            vec!["--policy"],
            "timestamp,available\n0,1\n600,2\n",
            "line 3: \"2\" is neither 1",
        ),
        (
            vec!["--policy"],
            "timestamp,available\nsoon,1\n",
            "line 2, column 1",
        ),
        (vec![], "timestamp,available\n0,1\n", "--horizon"),
        (
            vec!["--policy", "--horizon", "1h"],
            "timestamp,available\n0,1\n",
            "cannot be used with",
        ),
    ] {
        let output = analyze_text(
            &[&["interruptions", "-"], arguments.as_slice()].concat(),
            text,
        );
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(
            (output.status.code(), output.stdout.len()),
            (Some(2), 0),
            "{said}"
        );
        assert!(said.contains(expect), "{expect}: {said}");
    }
}

/// The recorded p2 fleet: beside "fall back at once, return after two hours", which loses its
/// capacity 36 times in three days, at most half the losses.
#[test]
fn recorded_fleets_lose_half_of_what_returning_after_two_hours_loses() {
    let Some(path) =
        open_data("spot/bamboo-aws-spot-instances-p2-xlarge-2020-11-20-to-2020-11-23.csv")
    else {
        return;
    };
    let recorded = std::fs::read_to_string(path).unwrap();
    let changes: Vec<(f64, u32)> = recorded
        .lines()
        .map(|line| line.split_once(',').unwrap())
        .map(|(hours, nodes)| (hours.parse().unwrap(), nodes.trim().parse().unwrap()))
        .collect();
    let available: Vec<bool> = (0..1_060)
        .map(|step| f64::from(step) / 12.0)
        .map(|hour| changes.iter().rev().find(|(at, _)| *at <= hour).unwrap().1 >= 16)
        .collect();

    let mut text = "timestamp,available\n".to_owned();
    for (row, up) in available.iter().enumerate() {
        writeln!(text, "{},{}", 1_605_830_400 + row * 300, u8::from(*up)).unwrap();
    }
    let spot: Vec<bool> = purchases(&[], &text)[1..]
        .iter()
        .map(|line| line.ends_with(",spot"))
        .collect();

    let (mut control, mut since) = (vec![true], 0);
    for (row, up) in available.iter().enumerate().skip(1) {
        let was = *control.last().unwrap();
        if was && !up {
            since = row;
        }
        control.push(*up && (was || row - since >= 24));
    }
    let lost = |spot: &[bool]| {
        let after = spot.iter().zip(&available[1..]);
        after.filter(|(spot, up)| **spot && !**up).count()
    };
    let (ours, control) = (lost(&spot), lost(&control));
    assert!(
        2 * ours <= control && control > 5,
        "{ours} beside {control}"
    );
}
