//! Numbers, identifiers and times as text, without the machinery of formatting.

use super::random::Random;

const HEX: &[u8; 16] = b"0123456789abcdef";
const MINUTE: i64 = 60_000;

/// A random UUID, version 4 of RFC 9562.
pub(crate) fn push_uuid(out: &mut Vec<u8>, random: &mut Random) {
    let high = random.bits() & !0xf000 | 0x4000;
    let low = random.bits() & !(0b11 << 62) | (0b10 << 62);
    let mut text = [b'-'; 36];
    let mut at = 0;

    for nibble in 0..32 {
        if matches!(nibble, 8 | 12 | 16 | 20) {
            at += 1;
        }
        let half = if nibble < 16 { high } else { low };
        text[at] = HEX[(half >> (60 - nibble % 16 * 4) & 0xf) as usize];
        at += 1;
    }

    out.extend_from_slice(&text);
}

/// Appends a number in decimal digits.
pub(crate) fn push_number(out: &mut Vec<u8>, number: u64) {
    let (mut digits, mut left, mut at) = ([0_u8; 20], number, 20);
    loop {
        at -= 1;
        digits[at] = b'0' + (left % 10) as u8;
        left /= 10;
        if left == 0 {
            break;
        }
    }

    out.extend_from_slice(&digits[at..]);
}

/// Writes times; remembers the minute it wrote last, because the next time is mostly in the same
/// one.
#[derive(Debug, Default)]
pub(crate) struct Clockface {
    minute: i64,
    text: String,
}

impl Clockface {
    /// `2026-11-20T10:00:00.123Z` of milliseconds since 1970-01-01 UTC.
    pub(crate) fn push(&mut self, out: &mut Vec<u8>, millis: i64) {
        let minute = millis.div_euclid(MINUTE);
        if self.text.is_empty() || minute != self.minute {
            self.minute = minute;
            let time = jiff::Timestamp::from_millisecond(minute * MINUTE)
                .unwrap_or(jiff::Timestamp::UNIX_EPOCH);
            self.text = time.strftime("%Y-%m-%dT%H:%M:").to_string();
        }

        let rest = millis.rem_euclid(MINUTE) as u32;
        let digit = |divisor: u32| b'0' + (rest / divisor % 10) as u8;
        out.extend_from_slice(self.text.as_bytes());
        out.extend_from_slice(&[
            digit(10_000),
            digit(1_000),
            b'.',
            digit(100),
            digit(10),
            digit(1),
            b'Z',
        ]);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::{Clockface, push_number, push_uuid};
    use crate::generate::random::Random;

    #[test]
    fn numbers_times_and_identifiers_are_spelled_as_others_do() {
        for number in [0, 7, 10, 65_535, u64::MAX] {
            let mut out = Vec::new();
            push_number(&mut out, number);
            assert_eq!(out, number.to_string().into_bytes());
        }

        let mut clockface = Clockface::default();
        for text in [
            "2026-10-01T00:00:00.000Z",
            "2026-10-01T00:00:59.999Z",
            "2026-10-31T23:59:07.040Z",
            "1969-12-31T23:59:59.001Z",
        ] {
            let mut out = Vec::new();
            clockface.push(
                &mut out,
                text.parse::<jiff::Timestamp>().unwrap().as_millisecond(),
            );
            assert_eq!(String::from_utf8(out).unwrap(), text);
        }

        let mut out = Vec::new();
        push_uuid(&mut out, &mut Random::new(1));
        assert_eq!(out.len(), 36);
        assert_eq!(
            (out[14], out[8], out[13], out[18], out[23]),
            (b'4', b'-', b'-', b'-', b'-')
        );
        assert!(b"89ab".contains(&out[19]));
    }
}
