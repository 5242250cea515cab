//! Strings: runs of plain bytes copied whole, escapes resolved, half surrogate pairs refused.

use super::error::JsonFault;
use super::plain::end_of_run;

const CONTROL: JsonFault = JsonFault::Syntax("an escape instead of a control character");
const ESCAPE: JsonFault =
    JsonFault::Syntax("one of the escapes \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX");
const HEX: JsonFault = JsonFault::Syntax("four hexadecimal digits");

/// Reads the string whose first byte after the quote is at `start`; returns it and the place after
/// its closing quote, or the fault and its place.
pub(crate) fn read(input: &str, start: usize) -> Result<(String, usize), (JsonFault, usize)> {
    let bytes = input.as_bytes();
    let mut out = String::new();
    let mut at = start;

    loop {
        let end = end_of_run(bytes, at);
        let plain = &input[at..end];
        at = end;
        match bytes.get(at) {
            None => return Err((JsonFault::UnexpectedEnd, at)),
            Some(b'"') if out.is_empty() => return Ok((plain.to_owned(), at + 1)),
            Some(b'"') => {
                out.push_str(plain);
                return Ok((out, at + 1));
            }
            Some(b'\\') => {
                out.push_str(plain);
                let (character, next) = escape(bytes, at)?;
                out.push(character);
                at = next;
            }
            Some(_) => return Err((CONTROL, at)),
        }
    }
}

/// Resolves the escape whose backslash is at `at`.
fn escape(bytes: &[u8], at: usize) -> Result<(char, usize), (JsonFault, usize)> {
    let simple = match bytes.get(at + 1) {
        None => return Err((JsonFault::UnexpectedEnd, at + 1)),
        Some(b'u') => return unicode(bytes, at),
        Some(b'"') => '"',
        Some(b'\\') => '\\',
        Some(b'/') => '/',
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(b'n') => '\n',
        Some(b'r') => '\r',
        Some(b't') => '\t',
        Some(_) => return Err((ESCAPE, at + 1)),
    };
    Ok((simple, at + 2))
}

fn unicode(bytes: &[u8], at: usize) -> Result<(char, usize), (JsonFault, usize)> {
    let first = hex4(bytes, at + 2)?;
    let lone = (JsonFault::LoneSurrogate, at);
    if !(0xd800..0xe000).contains(&first) {
        return char::from_u32(first).map(|c| (c, at + 6)).ok_or(lone);
    }
    if first >= 0xdc00 || bytes.get(at + 6) != Some(&b'\\') || bytes.get(at + 7) != Some(&b'u') {
        return Err(lone);
    }

    let second = hex4(bytes, at + 8)?;
    if !(0xdc00..0xe000).contains(&second) {
        return Err(lone);
    }

    let scalar = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
    char::from_u32(scalar).map(|c| (c, at + 12)).ok_or(lone)
}

fn hex4(bytes: &[u8], at: usize) -> Result<u32, (JsonFault, usize)> {
    let mut value = 0;
    for place in at..at + 4 {
        let byte = bytes
            .get(place)
            .ok_or((JsonFault::UnexpectedEnd, bytes.len()))?;
        let digit = char::from(*byte).to_digit(16).ok_or((HEX, place))?;
        value = value * 16 + digit;
    }
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes() {
        let cases = [
            (r#"a\"\\\/\b\f\n\r\tz""#, Ok("a\"\\/\u{8}\u{c}\n\r\tz")),
            (r#"\u00e9\ud83d\ude00""#, Ok("é😀")),
            (r#"\uFFFF""#, Ok("\u{ffff}")),
            (r#"\x""#, Err((ESCAPE, 1))),
            (r#"\u12g4""#, Err((HEX, 4))),
            (r#"\ud800x""#, Err((JsonFault::LoneSurrogate, 0))),
            (r#"abc"#, Err((JsonFault::UnexpectedEnd, 3))),
            (r#"\u12"#, Err((JsonFault::UnexpectedEnd, 4))),
        ];
        for (text, expect) in cases {
            let got = read(text, 0);
            assert_eq!(
                got.as_ref().map(|(s, _)| s.as_str()).map_err(|e| *e),
                expect,
                "{text}"
            );
        }
    }
}
