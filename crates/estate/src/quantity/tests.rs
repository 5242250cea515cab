//! Every spelling of the requirements is read, and written as it was read.

use std::fmt::{Debug, Display};
use std::str::FromStr;

use super::*;

fn same<T: FromStr<Err = QuantityError> + Display>(texts: &[&str]) {
    for text in texts {
        assert_eq!(text.parse::<T>().unwrap().to_string(), *text);
    }
}

fn refused<T: FromStr<Err = QuantityError> + Debug>(texts: &[&str]) {
    for text in texts {
        let error = text.parse::<T>().unwrap_err().to_string();
        assert!(error.contains("such as"), "{text}: {error}");
    }
}

#[test]
fn the_specifications_spellings_are_written_as_they_were_read() {
    same::<TimeSpan>(&[
        "5m", "15m", "30m", "2h", "24h", "3d", "7d", "14d", "30d", "90d", "730d",
    ]);
    same::<Percent>(&[
        "5%", "50%", "3%", "99.9%", "20%", "85%", "0%", "100%", "99.999%", "0.1%",
    ]);
    same::<DataSize>(&["500GB", "10GB", "1TB", "1500GB", "1B", "0B"]);
    same::<QuantityBaseline>(&["30d_average", "7d_average"]);
}

#[test]
fn other_spellings_of_a_value_are_read_and_written_in_one() {
    let span = |text: &str| text.parse::<TimeSpan>().unwrap().to_string();
    assert_eq!(
        ["1d", "48h", "120s", "90s", "0h", " 60m "].map(span),
        ["24h", "2d", "2m", "90s", "0m", "1h"]
    );

    let percent = |text: &str| text.parse::<Percent>().unwrap().to_string();
    assert_eq!(
        ["85", "85 %", "85.0%", "-0"].map(percent),
        ["85%", "85%", "85%", "0%"]
    );

    let size = |text: &str| text.parse::<DataSize>().unwrap();
    assert_eq!(
        ["500 gb", "0.5TB", "1GiB"].map(|text| size(text).bytes()),
        [500_000_000_000, 500_000_000_000, 1 << 30]
    );
    assert_eq!(
        DataSize::from_gigabytes(500.25).map(DataSize::gigabytes),
        Some(500.25)
    );
    assert_eq!(
        "30d".parse::<QuantityBaseline>().unwrap(),
        QuantityBaseline { days: 30 }
    );
}

#[test]
fn what_is_no_quantity_is_refused_with_an_example() {
    refused::<TimeSpan>(&[
        "",
        "m",
        "15",
        "15 m",
        "-2h",
        "+2h",
        "1.5h",
        "2w",
        "99999999999999999999d",
        "18446744073709551615d",
        "7é",
        "5mm",
    ]);

    refused::<Percent>(&["", "%", "high", "-1%", "NaN", "inf%", "5%%"]);
    refused::<DataSize>(&[
        "", "GB", "500", "500XB", "-1GB", "NaNGB", "infGB", "1e9PB", "+5GB",
    ]);
    refused::<QuantityBaseline>(&["", "average", "30_average", "36h_average", "30d_median"]);
}

#[test]
fn every_value_survives_its_text() {
    for seconds in (0..200_000).step_by(7).chain([u64::MAX, 86_400 * 365]) {
        let span = TimeSpan::from_seconds(seconds);
        assert_eq!(span.to_string().parse(), Ok(span));
    }

    for tenths in 0..2_000 {
        let percent = Percent::new(f64::from(tenths) / 7.0).unwrap();
        assert_eq!(percent.to_string().parse(), Ok(percent));
    }

    for bytes in [0_u64, 1, 999, 1_000, 1_001, 1 << 40, 9_007_199_254_740_992] {
        let size: DataSize = format!("{bytes}B").parse().unwrap();
        assert_eq!(size.bytes(), bytes);
        assert_eq!(size.to_string().parse(), Ok(size));
    }
}
