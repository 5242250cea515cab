//! `reeve analyze sizing`: capacity needed for the next seven days.

use std::fmt::Write as _;

use serde_json::Value;

use super::analyze_text;

/// Four weeks of hours: busy by day up to a peak, quiet at night; memory steady.
fn trace(peak: f64, with_memory: bool) -> String {
    let mut text = if with_memory {
        "timestamp,cpu_percent,memory_percent\n"
    } else {
        "timestamp,cpu_percent\n"
    }
    .to_owned();

    for hour in 0..28 * 24_u32 {
        let busy = if (9..18).contains(&(hour % 24)) {
            peak
        } else {
            peak / 8.0
        };
        let wobble = f64::from(hour * 7 % 11) * peak / 100.0;
        write!(
            text,
            "{},{:.2}",
            1_767_571_200 + hour * 3_600,
            busy - wobble
        )
        .unwrap();
        text.push_str(if with_memory { ",61.5\n" } else { "\n" });
    }

    text
}

fn judged(text: &str) -> Value {
    let output = analyze_text(&["sizing", "-"], text);
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn capacity_is_above_the_peaks_and_not_far() {
    let found = judged(&trace(40.0, true));
    let cpu = found["cpu_percent_needed"].as_f64().unwrap();
    assert!((40.0..50.0).contains(&cpu), "{found}");

    let memory = found["memory_percent_needed"].as_f64().unwrap();
    assert!((61.5..70.0).contains(&memory), "{found}");
    assert!(
        (50.0..100.0).contains(&found["confidence"].as_f64().unwrap()),
        "{found}"
    );
    assert!(found["reasons"].as_array().unwrap().len() >= 4, "{found}");
    assert_eq!(
        judged(&trace(40.0, true)),
        found,
        "the same file gets the same answer"
    );
}

#[test]
fn memory_that_was_not_measured_is_said_to_be() {
    let found = judged(&trace(40.0, false));
    assert!(found["memory_percent_needed"].is_null());
    assert!(
        found["reasons"]
            .to_string()
            .contains("Memory was not measured"),
        "{found}"
    );
}

#[test]
fn a_machine_at_its_limit_needs_more() {
    let full: String = (0..14 * 24)
        .map(|hour| format!("{},100\n", 1_767_571_200 + hour * 3_600))
        .collect();
    let found = judged(&format!("timestamp,cpu_percent\n{full}"));
    assert!(
        found["cpu_percent_needed"].as_f64().unwrap() > 105.0,
        "{found}"
    );
    assert!(found["reasons"].to_string().contains("cut off"), "{found}");
}

#[test]
fn unusable_files_are_refused_with_a_reason() {
    for (text, expect) in [
        (
            "timestamp,load\n0,1\n".to_owned(),
            "names no column cpu_percent",
        ),
        (
            "timestamp,cpu_percent\n0,1\n3600,2\n".to_owned(),
            "fewer than 3 days",
        ),
        (
            "timestamp,cpu_percent\n0,1\n3600,-2\n".to_owned(),
            "line 3, cpu_percent: -2 is no percentage",
        ),
        (
            "timestamp,cpu_percent,memory_percent\n0,1,\n3600,2,\n".to_owned(),
            "holds no number",
        ),
    ] {
        let output = analyze_text(&["sizing", "-"], &text);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(
            (output.status.code(), output.stdout.len()),
            (Some(2), 0),
            "{said}"
        );
        assert!(said.contains(expect), "{expect}: {said}");
    }
}

#[test]
fn only_chooses_a_machine_of_several() {
    let mut text = "timestamp,host,cpu_percent\n".to_owned();
    for hour in 0..28 * 24_u32 {
        for (host, busy) in [("web-1", 20), ("web-2", 60)] {
            let value = if (9..18).contains(&(hour % 24)) {
                busy
            } else {
                busy / 4
            };
            writeln!(text, "{},{host},{value}", 1_767_571_200 + hour * 3_600).unwrap();
        }
    }

    let of = |host: &str| {
        let output = analyze_text(&["sizing", "-", "--only", &format!("host={host}")], &text);
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        serde_json::from_slice::<Value>(&output.stdout).unwrap()
    };

    let [small, large] =
        ["web-1", "web-2"].map(|host| of(host)["cpu_percent_needed"].as_f64().unwrap());
    assert!(
        (20.0..30.0).contains(&small) && (60.0..80.0).contains(&large),
        "{small} {large}"
    );
    assert!(
        of("web-1")["reasons"]
            .to_string()
            .contains("a monthly peak twice"),
        "{}",
        of("web-1")
    );
}
