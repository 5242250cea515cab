//! `reeve analyze forecast`: bands of real and of awkward files, and what is refused.

use std::fmt::Write as _;

use super::{analyze, analyze_text, open_data};

/// The answer as `(step, [p05, p50, p95])`; whatever is no ordered, finite band fails.
fn bands(stdout: &[u8]) -> Vec<(usize, [f64; 3])> {
    let text = std::str::from_utf8(stdout).unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("step,p05,p50,p95"));

    let parse = |line: &str| {
        let mut cells = line.split(',');
        let step: usize = cells.next().unwrap().parse().unwrap();
        let values: Vec<f64> = cells.map(|cell| cell.parse().unwrap()).collect();
        let band = <[f64; 3]>::try_from(values).unwrap();
        assert!(
            band.iter().all(|value| value.is_finite()) && band.is_sorted(),
            "{line}"
        );
        (step, band)
    };
    let found: Vec<_> = lines.map(parse).collect();

    assert!(
        found
            .iter()
            .enumerate()
            .all(|(at, (step, _))| *step == at + 1)
    );

    found
}

/// A file with a row a step, from 2026-01-05 (a Monday) on.
fn rows(step_seconds: i64, length: usize, value: impl Fn(usize) -> String) -> String {
    let mut text = "timestamp,value\n".to_owned();
    for at in 0..length {
        writeln!(
            text,
            "{},{}",
            1_767_571_200 + at as i64 * step_seconds,
            value(at)
        )
        .unwrap();
    }

    text
}

#[test]
fn the_quiet_weekend_of_a_daily_file_is_foreseen() {
    let text = rows(86_400, 60, |day| {
        if day % 7 < 5 { "80" } else { "20" }.to_owned()
    });
    let output = analyze_text(&["forecast", "-", "--horizon", "14"], &text);
    assert!(output.status.success(), "{output:?}");

    for (step, [_, middle, _]) in bands(&output.stdout) {
        let expected = if (60 + step - 1) % 7 < 5 { 80.0 } else { 20.0 };
        assert!(
            (middle - expected).abs() < 6.0,
            "step {step}: {middle} for {expected}"
        );
    }

    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        said.contains("steps of 1 d") && said.contains("a season of 7 steps"),
        "{said}"
    );
}

#[test]
fn awkward_files_get_bands_too() {
    let few = rows(3_600, 10, |at| (at % 3).to_string());
    let constant = rows(300, 500, |_| "42".to_owned());
    let holes = rows(300, 900, |at| {
        if at % 5 == 2 {
            String::new()
        } else {
            (at % 288).to_string()
        }
    });

    for (name, text) in [
        ("few", few),
        ("constant", constant.clone()),
        ("holes", holes),
    ] {
        for horizon in ["1", "10000"] {
            let output = analyze_text(&["forecast", "-", "--horizon", horizon], &text);
            assert!(output.status.success(), "{name} {horizon}: {output:?}");
            assert_eq!(bands(&output.stdout).len().to_string(), horizon, "{name}");
        }
    }

    let output = analyze_text(&["forecast", "-", "--horizon", "100"], &constant);
    assert!(
        bands(&output.stdout)
            .iter()
            .all(|(_, band)| *band == [42.0; 3])
    );
}

#[test]
fn a_series_without_a_forecast_is_refused_with_a_reason() {
    for (text, reason) in [
        ("", "is empty"),
        ("timestamp,value\n", "a header and no rows"),
        ("timestamp,value\n0,\n60,\n", "holds no number"),
        ("timestamp,value\n0,1\n", "one point in time"),
        ("timestamp,value\n0,1\n60,2\n", "too few for a forecast"),
        ("timestamp,value\n0,1\n60,two\n", "line 3"),
        ("timestamp,value\n0,1\nyesterday,2\n", "line 3"),
        ("timestamp,value\n0,1\n60\n", "line 3"),
    ] {
        let output = analyze_text(&["forecast", "-", "--horizon", "5"], text);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(
            (output.status.code(), output.stdout.len()),
            (Some(2), 0),
            "{text}: {said}"
        );
        assert!(said.contains(reason), "{text}: {said}");
    }
}

/// One series in the ways that programs write it.
#[test]
fn how_a_file_is_written_does_not_change_its_forecast() {
    let hours: Vec<(i64, usize)> = (0..24 * 21)
        .map(|at| (at, 20 + (at as usize * 7) % 24))
        .collect();
    let seconds = |at: i64| 1_767_571_200 + at * 3_600;

    // The hours of 2026-01-05 onward, as clocks two hours to the east show them.
    let east = |at: i64| {
        format!(
            "2026-01-{:02}T{:02}:00:00+02:00",
            5 + (at + 2) / 24,
            (at + 2) % 24
        )
    };

    let file = |row: &dyn Fn(i64, usize) -> String| {
        hours
            .iter()
            .map(|(at, value)| row(*at, *value))
            .collect::<String>()
    };
    let plain = file(&|at, value| format!("{},{value}\n", seconds(at)));

    let backwards = hours
        .iter()
        .rev()
        .map(|(at, value)| format!("{},{value}\n", seconds(*at)))
        .collect::<String>();

    let ways = [
        (
            "milliseconds",
            "timestamp,value\n",
            file(&|at, value| format!("{},{value}\n", seconds(at) * 1_000)),
        ),
        (
            "zones",
            "timestamp,value\n",
            file(&|at, value| format!("{},{value}\n", east(at))),
        ),
        (
            "windows",
            "\u{feff}timestamp,value\r\n",
            plain.replace('\n', "\r\n"),
        ),
        (
            "columns",
            "value,timestamp\n",
            file(&|at, value| format!("{value},{}\n", seconds(at))),
        ),
        ("backwards", "timestamp,value\n", backwards),
        (
            "doubled",
            "timestamp,value\n",
            file(&|at, value| format!("{0},{value}\n{0},{value}\n", seconds(at))),
        ),
        (
            "gaps as text",
            "timestamp,value\n",
            format!("{},NaN\n{plain}{},null\n", seconds(-5), seconds(24 * 21)),
        ),
    ];

    let run = |text: &str| analyze_text(&["forecast", "-", "--horizon", "48"], text);
    let expected = bands(&run(&format!("timestamp,value\n{plain}")).stdout);
    assert_eq!(expected.len(), 48);

    for (name, header, rows) in ways {
        let output = run(&format!("{header}{rows}"));
        assert!(output.status.success(), "{name}: {output:?}");
        assert_eq!(bands(&output.stdout), expected, "{name}");
    }
}

#[test]
fn a_horizon_of_nothing_and_one_beyond_reason_are_refused() {
    let text = rows(3_600, 100, |at| (at % 24).to_string());
    for horizon in ["0", "100001", "99999999999", "-3", "a day"] {
        let output = analyze_text(&["forecast", "-", &format!("--horizon={horizon}")], &text);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(
            (output.status.code(), output.stdout.len()),
            (Some(2), 0),
            "{horizon}: {said}"
        );
        assert!(said.contains("--horizon"), "{horizon}: {said}");
    }
}

#[test]
fn a_hundred_thousand_rows_and_the_largest_horizon_are_answered() {
    let day = |at: usize| at as f64 / 1_440.0 * std::f64::consts::TAU;
    let text = rows(60, 100_000, |at| {
        format!("{:.3}", 50.0 + 20.0 * day(at).sin())
    });
    let output = analyze_text(&["forecast", "-", "--horizon", "100000"], &text);
    assert!(output.status.success(), "{:?}", output.stderr);
    assert_eq!(bands(&output.stdout).len(), 100_000);
}

#[test]
fn values_at_the_end_of_what_a_number_holds_get_a_band_around_them() {
    let text = rows(3_600, 400, |at| format!("{}e307", 5 + at % 24 / 4));
    let output = analyze_text(&["forecast", "-", "--horizon", "24"], &text);
    assert!(output.status.success(), "{output:?}");

    for (step, band) in bands(&output.stdout) {
        let expected = (5 + (400 + step - 1) % 24 / 4) as f64 * 1e307;
        assert!(
            (band[1] / expected - 1.0).abs() < 0.2,
            "step {step}: {band:?} for {expected}"
        );
    }
}

#[test]
fn a_real_file_is_forecast_the_same_every_time() {
    let Some(path) = open_data("nab/realAWSCloudwatch/ec2_cpu_utilization_5f5533.csv") else {
        return;
    };

    let run = || {
        analyze(&["forecast", path.to_str().unwrap(), "--horizon", "288"])
            .output()
            .unwrap()
    };
    let (first, second) = (run(), run());

    assert!(first.status.success(), "{first:?}");
    assert_eq!(first.stdout, second.stdout);

    let found = bands(&first.stdout);
    assert_eq!(found.len(), 288);
    assert!(
        found
            .iter()
            .all(|(_, [low, _, high])| *low >= 0.0 && high > low)
    );
}

#[test]
fn values_before_a_gap_of_years_are_said_to_be_unused() {
    let mut text = "timestamp,value\n".to_owned();
    for row in 0..800_u64 {
        // Ten minutes of 1996, and then half a day of 2026 by the minute.
        let at = if row < 10 {
            820_454_400 + row * 60
        } else {
            1_767_225_600 + row * 60
        };
        writeln!(text, "{at},{}", 40 + row % 7).unwrap();
    }

    let output = analyze_text(&["forecast", "-", "--horizon", "3"], &text);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    assert!(
        said.contains("10 older values are not used: in steps of 1 min"),
        "{said}"
    );
}
