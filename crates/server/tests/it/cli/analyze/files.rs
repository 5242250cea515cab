//! Files of series as people have them: read, or refused with one sentence.

use super::analyze_text;

#[test]
fn a_series_of_which_no_row_can_be_judged_is_refused() {
    let output = analyze_text(&["anomalies", "-"], "timestamp,value\n0,1\n");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(
        (output.status.code(), output.stdout.len()),
        (Some(2), 0),
        "{said}"
    );
    assert!(said.contains("too few to judge"), "{said}");
}

/// Three days of five minutes, with a line for each by `row`.
fn series(header: &str, row: impl Fn(usize) -> String) -> String {
    let rows = (0..864).map(|at| format!("{}\n", row(at)));
    std::iter::once(format!("{header}\n")).chain(rows).collect()
}

fn minute(at: usize) -> String {
    let at = jiff::Timestamp::from_second(1_767_225_600 + at as i64 * 300).unwrap();
    at.strftime("%Y-%m-%d %H:%M:%S").to_string()
}

#[test]
fn spellings_of_one_series_are_read_alike() {
    let value = |at: usize| 40.0 + (at % 12) as f64 / 2.0;
    let plain = series("timestamp,value", |at| {
        format!("{},{}", minute(at), value(at))
    });
    let forecast = |text: &str| {
        let output = analyze_text(&["forecast", "-", "--horizon", "3"], text);
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        output.stdout
    };
    let expect = forecast(&plain);

    for text in [
        series("timestamp,value", |at| {
            format!("{} UTC,{}", minute(at), value(at))
        }),
        series("timestamp,value", |at| {
            format!("{} +0000,{}", minute(at), value(at))
        }),
        series("zeit;wert", |at| {
            format!("{};{}", minute(at), value(at).to_string().replace('.', ","))
        }),
        series("timestamp,value", |at| {
            format!("{},{}", minute(at), value(at))
        }) + "2026-01-05 00:00:00,#N/A\n",
    ] {
        assert_eq!(forecast(&text), expect, "{}", text.lines().nth(1).unwrap());
    }

    let hosts = series("timestamp,host,value", |at| {
        format!("{},web-{},{}", minute(at / 2), at % 2, value(at / 2))
    });
    let output = analyze_text(
        &["forecast", "-", "--horizon", "3", "--only", "host=web-1"],
        &hosts,
    );
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn every_command_refuses_a_file_without_a_series() {
    let hosts = series("timestamp,host,value", |at| {
        format!("{},web-{},{}", minute(at / 2), at % 2, at % 7)
    });
    let words = series("timestamp,value", |at| format!("{},NaN", minute(at)));

    for (text, expect) in [
        ("", "is empty"),
        ("timestamp,value\n", "a header and no rows"),
        ("PAR1\u{15}\u{4}\u{1b}[31m\n", "is not text"),
        ("timestamp,\u{1b}]0;value\n", "is not text"),
        ("[{\"timestamp\": 0, \"value\": 1}]\n", "is JSON"),
        (
            "{\"timestamp\": 0, \"value\": 1}\n{\"timestamp\": 1, \"value\": 1}\n",
            "is JSON",
        ),
        (&*words, "holds no number in any of 864 rows"),
        (
            &*hosts,
            "holds several series: column 2 (host) has web-0, web-1; choose one with --only host=web-0",
        ),
    ] {
        for command in [
            &["anomalies", "-"][..],
            &["forecast", "-", "--horizon", "3"],
            &["interruptions", "-", "--horizon", "1h"],
        ] {
            let output = analyze_text(command, text);
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(
                (output.status.code(), output.stdout.len()),
                (Some(2), 0),
                "{command:?}: {said}"
            );
            assert!(said.contains(expect), "{command:?}: {expect}: {said}");
        }
    }
}
