//! Search for the end of a run of plain bytes: a quote, a backslash or a control character. Eight
//! bytes are compared at a time.

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGHS: u64 = 0x8080_8080_8080_8080;

/// The place of the first byte from `from` on that is a quote, a backslash or below 0x20; the
/// length where there is none.
#[inline]
pub(crate) fn end_of_run(bytes: &[u8], from: usize) -> usize {
    let mut at = from;
    while let Some(word) = bytes.get(at..).and_then(<[u8]>::first_chunk::<8>) {
        let found = special(u64::from_le_bytes(*word));
        if found != 0 {
            return at + (found.trailing_zeros() / 8) as usize;
        }
        at += 8;
    }

    while bytes
        .get(at)
        .is_some_and(|&byte| byte >= 0x20 && byte != b'"' && byte != b'\\')
    {
        at += 1;
    }

    at
}

/// The high bit of each byte that ends a run. Bits above the lowest may be wrong, because a borrow
/// travels upward.
#[inline]
const fn special(word: u64) -> u64 {
    let quote = word ^ (ONES * b'"' as u64);
    let backslash = word ^ (ONES * b'\\' as u64);
    let control = word.wrapping_sub(ONES * 0x20) & !word;
    let quote = quote.wrapping_sub(ONES) & !quote;
    let backslash = backslash.wrapping_sub(ONES) & !backslash;
    (control | quote | backslash) & HIGHS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_at_every_place() {
        for byte in 0..=255_u8 {
            let ends = byte < 0x20 || byte == b'"' || byte == b'\\';
            for place in 0..20 {
                for other in [b'a', 0x7f, 0x80, 0xff, b' ', b'!', b'#', b'[', b']'] {
                    let mut bytes = [other; 20];
                    bytes[place] = byte;
                    bytes[19] = b'"';
                    for from in 0..=place {
                        let expect = if ends { place } else { 19 };
                        assert_eq!(
                            end_of_run(&bytes, from),
                            expect,
                            "{byte} at {place} from {from}"
                        );
                    }
                }
            }
        }
        assert_eq!(
            (
                end_of_run(b"", 0),
                end_of_run(b"abc", 1),
                end_of_run(b"abc", 3)
            ),
            (0, 3, 3)
        );
    }
}
