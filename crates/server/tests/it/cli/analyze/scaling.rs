//! `reeve analyze scaling`: units a row, ahead of the load and from the past alone.

use std::fmt::Write as _;

use super::analyze_text;

/// Days of five minutes: 1,000 from eight to six, 150 otherwise; sessions until eight at night.
fn trace(days: usize, with_sessions: bool) -> String {
    let header = if with_sessions {
        "timestamp,load,sessions\n"
    } else {
        "timestamp,load\n"
    };
    let mut text = header.to_owned();
    for row in 0..days * 288 {
        let busy = (96..216).contains(&(row % 288));
        let load = if busy { 1_000 } else { 150 } + row * 7 % 13;
        write!(text, "{},{load}", 1_767_571_200 + row * 300).unwrap();
        let sessions = if (96..240).contains(&(row % 288)) {
            ",3\n"
        } else {
            ",0\n"
        };
        text.push_str(if with_sessions { sessions } else { "\n" });
    }
    text
}

fn scaled(more: &[&str], text: &str) -> Vec<(String, u64, String)> {
    let output = analyze_text(&[&["scaling", "-", "--unit", "100"], more].concat(), text);
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let text = String::from_utf8(output.stdout).unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("timestamp,units,reason"));
    lines
        .map(|line| {
            let cells: Vec<&str> = line.split(',').collect();
            (
                cells[0].to_owned(),
                cells[1].parse().unwrap(),
                cells[2].to_owned(),
            )
        })
        .collect()
}

#[test]
fn units_are_asked_for_the_lead_before_the_load_rises() {
    let text = trace(8, false);
    let found = scaled(&["--lead", "15m", "--min", "2"], &text);
    assert_eq!(found.len(), 8 * 288);
    assert!(
        found[..288]
            .iter()
            .all(|row| ["learning", "held"].contains(&row.2.as_str()))
    );

    let day = 7 * 288;
    assert!(found[day + 93].1 >= 10, "{:?} at 07:45", found[day + 93]);
    assert!(
        found[day + 85..day + 94]
            .iter()
            .any(|row| row.2 == "forecast")
    );
    assert!(found[day + 60].1 <= 3, "{:?} at 05:00", found[day + 60]);
    assert!(found.iter().all(|row| row.1 >= 2), "the minimum");

    assert_eq!(scaled(&["--lead", "15m", "--min", "2"], &text), found);
    assert_eq!(
        scaled(&["--lead", "15m", "--min", "2"], &trace(5, false))[..],
        found[..5 * 288],
        "what comes later changes nothing"
    );
}

#[test]
fn sessions_hold_the_units() {
    let (without, with) = (scaled(&[], &trace(8, false)), scaled(&[], &trace(8, true)));
    let evening = 7 * 288 + 230;
    assert!(without[evening].1 <= 3, "{:?}", without[evening]);
    assert!(with[evening].1 >= 10, "{:?}", with[evening]);
    assert_eq!(with[evening].2, "active_sessions");
    assert!(with[7 * 288 + 250].1 <= 3, "sessions ended");
}

#[test]
fn unusable_loads_are_refused_with_a_reason() {
    let header = "timestamp,load,sessions\n";
    for (text, expect) in [
        ("timestamp,value\n0,1\n300,2\n".to_owned(), "no column load"),
        (
            format!("{header}0,1,0\n300,-2,0\n"),
            "line 3, column load: -2 is negative",
        ),
        (
            format!("{header}0,1,0\n300,2,-1\n"),
            "line 3, column sessions: -1 is negative",
        ),
        (
            format!("{header}0,1,0\n300,many,0\n"),
            "line 3, column 2 (load)",
        ),
        (
            format!("{header}0,1,0\nlater,2,0\n"),
            "line 3, column 1 (timestamp)",
        ),
        (header.to_owned(), "no rows below it"),
    ] {
        let output = analyze_text(&["scaling", "-", "--unit", "100"], &text);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(
            (output.status.code(), output.stdout.len()),
            (Some(2), 0),
            "{said}"
        );
        assert!(said.contains(expect), "{expect}: {said}");
    }

    for unit in ["0", "-1", "NaN", "ten"] {
        let output = analyze_text(&["scaling", "-", "--unit", unit], &trace(1, false));
        assert_eq!(output.status.code(), Some(2));
    }
}
