//! Lines of S3's server access logs. Amazon S3 user guide, "Amazon S3 server access log format".
//!
//! The first thirteen fields are read strictly, and a line without them is refused. What follows is
//! not looked at: S3 adds fields at the end, and the agent that a client names may contain any
//! text. A field may be enclosed in quotes that are not escaped, so the end of the request line is
//! where a status follows.

use jiff::Timestamp;
use jiff::fmt::strtime;

/// Longest line that is read, bytes: a key has 1,024 at most, three times that where it is encoded,
/// and stands in it twice.
const MOST_BYTES: usize = 16 * 1024;
/// Form of the time: `[06/Feb/2026:00:00:38 +0000]`.
const TIME: &str = "%d/%b/%Y:%H:%M:%S %z";

/// Fields of one line of an access log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AccessRecord<'a> {
    pub(super) bucket: &'a str,
    pub(super) time: Timestamp,
    /// Operation, such as `REST.GET.OBJECT`.
    pub(super) operation: &'a str,
    /// Key, decoded; `None` for requests of the bucket, and where it is no text.
    pub(super) key: Option<String>,
    /// HTTP status; `None` for what S3 did itself.
    pub(super) status: Option<u16>,
    pub(super) bytes_sent: u64,
}

/// Effect of a request on the class of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AccessEffect {
    /// The content was read: colder classes charge for it.
    Read,
    /// The object was written.
    Written,
}

impl AccessRecord<'_> {
    /// Effect of a request that succeeded.
    pub(super) fn effect(&self) -> Option<AccessEffect> {
        if !matches!(self.status, Some(200 | 206)) {
            return None;
        }
        match self.operation {
            "REST.GET.OBJECT"
            | "WEBSITE.GET.OBJECT"
            | "REST.COPY.OBJECT_GET"
            | "REST.COPY.PART_GET" => Some(AccessEffect::Read),
            "REST.PUT.OBJECT" | "REST.POST.OBJECT" | "REST.COPY.OBJECT" | "REST.POST.UPLOAD" => {
                Some(AccessEffect::Written)
            }
            _ => None,
        }
    }
}

/// Reads a line; `None` if it is no record.
pub(super) fn parse(line: &str) -> Option<AccessRecord<'_>> {
    if line.len() > MOST_BYTES {
        return None;
    }

    let (owner, rest) = line.split_once(' ')?;
    let (bucket, rest) = rest.split_once(' ')?;
    let (time, rest) = rest.strip_prefix('[')?.split_once("] ")?;
    let time = strtime::parse(TIME, time).ok()?.to_timestamp().ok()?;
    let mut fields = rest.splitn(6, ' ');
    let (address, requester, request) = (fields.next()?, fields.next()?, fields.next()?);
    let (operation, key, rest) = (fields.next()?, fields.next()?, fields.next()?);
    if [owner, bucket, address, requester, request, key]
        .iter()
        .any(|field| field.is_empty())
        || !is_name(operation)
    {
        return None;
    }

    let (status, rest) = after_request_line(rest)?;
    let mut fields = rest.split(' ');
    let (_error, sent, size) = (fields.next()?, fields.next()?, fields.next()?);
    number(size)?;
    let key = (key != "-").then(|| decoded(key)).flatten();

    Some(AccessRecord {
        bucket,
        time,
        operation,
        key,
        status,
        bytes_sent: number(sent)?,
    })
}

fn is_name(operation: &str) -> bool {
    let allowed = |byte: u8| {
        byte.is_ascii_uppercase() || byte.is_ascii_digit() || matches!(byte, b'.' | b'_')
    };
    operation.contains('.') && operation.bytes().all(allowed)
}

/// The status behind the request line, and the rest.
fn after_request_line(text: &str) -> Option<(Option<u16>, &str)> {
    let ends: Box<dyn Iterator<Item = usize>> = match text.strip_prefix('"') {
        Some(quoted) => Box::new(quoted.match_indices("\" ").map(|(at, _)| at + 3)),
        None => Box::new(text.strip_prefix("- ").map(|_| 2).into_iter()),
    };
    let mut candidates = ends.filter_map(|end| text[end..].split_once(' '));
    candidates.find_map(|(status, rest)| match status {
        "-" => Some((None, rest)),
        digits if digits.len() == 3 => digits.parse().ok().map(|status: u16| (Some(status), rest)),
        _ => None,
    })
}

/// A number; `-` is none, which counts as 0.
fn number(text: &str) -> Option<u64> {
    if text == "-" {
        Some(0)
    } else {
        text.parse().ok()
    }
}

/// A key without its encoding by percent signs.
fn decoded(key: &str) -> Option<String> {
    let digit = |byte: Option<&u8>| byte.and_then(|byte| char::from(*byte).to_digit(16));
    let (bytes, mut found, mut at) = (key.as_bytes(), Vec::with_capacity(key.len()), 0);

    while at < bytes.len() {
        match (
            bytes[at],
            digit(bytes.get(at + 1)),
            digit(bytes.get(at + 2)),
        ) {
            (b'%', Some(high), Some(low)) => {
                found.push((high * 16 + low) as u8);
                at += 3;
            }
            (b'+', _, _) => {
                found.push(b' ');
                at += 1;
            }
            (byte, _, _) => {
                found.push(byte);
                at += 1;
            }
        }
    }

    String::from_utf8(found).ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use proptest::prelude::*;

    use super::*;

    const OWNER: &str = "79a59df900b949e55d96a1e698fbacedfd6e09d98eacf8f8d5218e7cd47ef2be";

    fn line(rest: &str) -> String {
        format!(
            "{OWNER} images [06/Feb/2026:00:00:38 +0000] 192.0.2.3 {OWNER} 3E57427F3EXAMPLE {rest}"
        )
    }

    #[test]
    fn requests_are_read_as_the_guide_documents_them() {
        let get = line(
            "REST.GET.OBJECT photos/2026%2D02/a%2520b.jpg \"GET /images/photos/a.jpg HTTP/1.1\" 200 - 2662992 3462992 70 10 \"-\" \"S3 \"Console\"\" - Yc= SigV4 TLS_AES_128_GCM_SHA256 AuthHeader images.s3.us-east-1.amazonaws.com TLSV1.2 - -",
        );
        let record = parse(&get).unwrap();
        assert_eq!(
            (record.bucket, record.key.as_deref(), record.status),
            ("images", Some("photos/2026-02/a%20b.jpg"), Some(200))
        );
        assert_eq!(
            (record.bytes_sent, record.effect(), record.time.to_string()),
            (
                2_662_992,
                Some(AccessEffect::Read),
                "2026-02-06T00:00:38Z".to_owned()
            )
        );

        let cases = [
            (
                "REST.PUT.OBJECT a/b \"PUT /images/a/b HTTP/1.1\" 200 - - 10 5 4 \"-\" \"-\" -",
                Some(AccessEffect::Written),
            ),
            (
                "REST.GET.OBJECT a/b \"GET /images/a/b HTTP/1.1\" 304 - - 10 5 4 \"-\" \"-\" -",
                None,
            ),
            (
                "REST.GET.OBJECT a/b \"GET /images/a/b HTTP/1.1\" 403 AccessDenied 243 - 5 - \"-\" \"-\" -",
                None,
            ),
            (
                "REST.HEAD.OBJECT a/b \"HEAD /images/a/b HTTP/1.1\" 200 - - 10 5 4 \"-\" \"-\" -",
                None,
            ),
            ("S3.EXPIRE.OBJECT a/b - - - - 10 - - - - -", None),
            (
                "REST.GET.OBJECT a/b \"GET /a\" b HTTP/1.1\" 206 - 5 10 5 4",
                Some(AccessEffect::Read),
            ),
        ];

        for (rest, effect) in cases {
            assert_eq!(
                parse(&line(rest))
                    .unwrap_or_else(|| panic!("{rest}"))
                    .effect(),
                effect,
                "{rest}"
            );
        }

        assert_eq!(
            parse(&line(
                "REST.GET.BUCKETVERSIONS - \"GET /?versions HTTP/1.1\" 200 - 9 - 5 4"
            ))
            .unwrap()
            .key,
            None
        );
    }

    #[test]
    fn lines_that_are_no_records_are_refused() {
        for rest in [
            "REST.GET.OBJECT a \"GET /a HTTP/1.1\" 200 -",
            "REST.GET.OBJECT a \"GET /a HTTP/1.1\" 200 - many 10",
            "REST.GET.OBJECT a \"GET /a HTTP/1.1 200 - 1 10",
            "get a \"GET /a HTTP/1.1\" 200 - 1 10",
        ] {
            assert_eq!(parse(&line(rest)), None, "{rest}");
        }

        assert_eq!(
            parse(&line("REST.GET.OBJECT a \"GET\" 200 - 1 1").replace("Feb", "Fro")),
            None
        );
        assert_eq!(
            parse(&line(&format!(
                "REST.GET.OBJECT {} \"GET\" 200 - 1 1",
                "a".repeat(MOST_BYTES)
            ))),
            None
        );

        assert_eq!(parse(""), None);
    }

    proptest! {
        #[test]
        fn no_text_breaks_the_parser(text in "\\PC{0,300}", cut in 0_usize..400, more in "[ -~]{0,80}") {
            let _ = parse(&text);
            let whole = line("REST.GET.OBJECT a/%zz%4 \"GET /a HTTP/1.1\" 200 - 5 10 5 4 \"-\" \"curl\" -");
            let _ = parse(whole.get(..cut.min(whole.len())).unwrap_or_default());
            let longer = format!("{whole} {more}");
            prop_assert_eq!(parse(&longer), parse(&whole), "fields at the end change nothing");
        }

        #[test]
        fn keys_come_back(key in "\\PC{1,40}") {
            let encoded: String = key.bytes().map(|byte| format!("%{byte:02X}")).collect();
            let text = line(&format!("REST.GET.OBJECT {encoded} \"GET /a HTTP/1.1\" 200 - 5 10 5 4"));
            prop_assert_eq!(parse(&text).and_then(|record| record.key), Some(key));
        }
    }
}
