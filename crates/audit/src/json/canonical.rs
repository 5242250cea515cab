//! RFC 8785 (JCS): no spaces, members by UTF-16 code units, shortest escapes, numbers as ECMAScript
//! writes them.

use super::plain::end_of_run;
use super::{Json, MAX_INTEGER};

/// Appends the canonical spelling of `value`. A number that is not finite, which no reader
/// produces, is `null`.
pub fn write_canonical(value: &Json, out: &mut Vec<u8>) {
    match value {
        Json::Null => out.extend_from_slice(b"null"),
        Json::Bool(true) => out.extend_from_slice(b"true"),
        Json::Bool(false) => out.extend_from_slice(b"false"),
        Json::Number(number) => write_number(*number, out),
        Json::String(text) => write_string(text, out),
        Json::Array(items) => {
            out.push(b'[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push(b',');
                }
                write_canonical(item, out);
            }
            out.push(b']');
        }
        Json::Object(object) => {
            out.push(b'{');
            for (at, (name, value)) in object.iter().enumerate() {
                if at > 0 {
                    out.push(b',');
                }
                write_string(name, out);
                out.push(b':');
                write_canonical(value, out);
            }
            out.push(b'}');
        }
    }
}

fn write_number(number: f64, out: &mut Vec<u8>) {
    // A cast saturates, and is the number again only where nothing was lost.
    let integer = number as i64;
    if integer.unsigned_abs() <= MAX_INTEGER && integer as f64 == number {
        write_integer(integer, out);
    } else if number.is_finite() {
        out.extend_from_slice(ryu_js::Buffer::new().format_finite(number).as_bytes());
    } else {
        out.extend_from_slice(b"null");
    }
}

/// Appends the digits of an integer.
fn write_integer(integer: i64, out: &mut Vec<u8>) {
    let mut digits = [0; 20];
    let (mut at, mut rest) = (digits.len(), integer.unsigned_abs());

    loop {
        at -= 1;
        digits[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }

    if integer < 0 {
        at -= 1;
        digits[at] = b'-';
    }

    out.extend_from_slice(&digits[at..]);
}

/// Appends `text` in quotes, escaping only what must be.
pub fn write_string(text: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    let bytes = text.as_bytes();
    let mut from = 0;

    loop {
        let end = end_of_run(bytes, from);
        out.extend_from_slice(&bytes[from..end]);
        match bytes.get(end) {
            Some(byte) => write_escape(*byte, out),
            None => break,
        }
        from = end + 1;
    }

    out.push(b'"');
}

#[cold]
fn write_escape(byte: u8, out: &mut Vec<u8>) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    match byte {
        b'"' => out.extend_from_slice(b"\\\""),
        b'\\' => out.extend_from_slice(b"\\\\"),
        0x08 => out.extend_from_slice(b"\\b"),
        0x09 => out.extend_from_slice(b"\\t"),
        0x0a => out.extend_from_slice(b"\\n"),
        0x0c => out.extend_from_slice(b"\\f"),
        0x0d => out.extend_from_slice(b"\\r"),
        _ => {
            let (high, low) = (HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]);
            out.extend_from_slice(&[b'\\', b'u', b'0', b'0', high, low]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spells_as_rfc_8785() {
        let cases = [
            (Json::Number(333333333.3333333), "333333333.3333333"),
            (Json::Number(1e30), "1e+30"),
            (Json::Number(4.5), "4.5"),
            (Json::Number(-0.0), "0"),
            (Json::Number(0.002), "0.002"),
            (Json::Number(1e-27), "1e-27"),
            (Json::Number(f64::NAN), "null"),
            (
                Json::from("€$\u{f}\nA'B\"\\\\\"/\u{7f}"),
                "\"€$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\u{7f}\"",
            ),
            (
                Json::object([
                    ("b", Json::Null),
                    ("a", Json::Array(vec![true.into(), 1.into()])),
                ]),
                r#"{"a":[true,1],"b":null}"#,
            ),
        ];
        for (value, expect) in cases {
            assert_eq!(value.to_string(), expect);
        }
    }
}
