//! Numbers as people read them.

const KIB: f64 = 1_024.0;
const NAMES: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];

/// Writes bytes in the unit that leaves at most four digits.
pub(crate) fn bytes(value: f64) -> String {
    let mut rest = value;
    let mut unit = 0;
    while rest.abs() >= KIB && unit + 1 < NAMES.len() {
        rest /= KIB;
        unit += 1;
    }
    let digits = usize::from(unit > 0 && rest.abs() < 10.0 && rest.fract().abs() > 0.05);
    format!("{rest:.digits$} {}", NAMES[unit])
}

/// Writes a count with separators between thousands.
pub(crate) fn count(value: f64) -> String {
    let digits = format!("{:.0}", value.abs());
    let mut text = String::new();
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    if value < -0.5 {
        format!("-{text}")
    } else {
        text
    }
}

/// Writes a share as a percentage.
pub(crate) fn percent(share: f64) -> String {
    let value = share * 100.0;
    let digits = usize::from(value.abs() < 10.0 && value.fract().abs() > 0.05);
    format!("{value:.digits$} %")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        assert_eq!(bytes(8_192.0), "8 KiB");
        assert_eq!(bytes(1_572_864.0), "1.5 MiB");
        assert_eq!(bytes(12.0), "12 B");
        assert_eq!(count(1_234_567.0), "1,234,567");
        assert_eq!(count(999.0), "999");
        assert_eq!(percent(0.254), "25 %");
        assert_eq!(percent(0.012), "1.2 %");
    }
}
