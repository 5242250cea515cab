//! Patterns of IAM: `*` stands for any letters, `?` for one (IAM User Guide, "IAM JSON policy
//! elements: Resource" and "Action").

/// Part of a pattern whose literal letters are known to be literal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Piece {
    Any,
    One,
    Byte(u8),
}

impl Piece {
    /// Reads a letter of a pattern: `*` and `?` are wildcards.
    pub(crate) fn of_pattern(byte: u8) -> Self {
        match byte {
            b'*' => Piece::Any,
            b'?' => Piece::One,
            other => Piece::Byte(other),
        }
    }
}

/// Returns `true` if a pattern, in which `*` stands for any letters and `?` for one, matches all
/// of a text.
#[must_use]
pub fn matches(pattern: &str, text: &str) -> bool {
    glob(pattern.as_bytes(), text.as_bytes(), Piece::of_pattern)
}

/// Returns `true` for a pattern that every text matches.
#[must_use]
pub fn is_all(pattern: &str) -> bool {
    pattern.bytes().all(|byte| byte == b'*')
}

/// Returns `true` if two ARNs match in each of their six parts, in which `*` and `?` are wildcards
/// (IAM User Guide, "Amazon Resource Name (ARN) condition operators").
pub(crate) fn matches_arn(pattern: &[Piece], arn: &str) -> bool {
    let parts = |count: usize| {
        let mut left = count;
        move |piece: &Piece| {
            let is_end = *piece == Piece::Byte(b':') && left > 0;
            left -= usize::from(is_end);
            is_end
        }
    };
    let patterns: Vec<&[Piece]> = pattern.split(parts(5)).collect();
    let fields: Vec<&str> = arn.splitn(6, ':').collect();

    patterns.len() == fields.len()
        && patterns
            .iter()
            .zip(&fields)
            .all(|(pattern, field)| matches_pieces(pattern, field))
}

pub(crate) fn matches_pieces(pattern: &[Piece], text: &str) -> bool {
    glob(pattern, text.as_bytes(), |piece| piece)
}

fn glob<P: Copy>(pattern: &[P], text: &[u8], piece: impl Fn(P) -> Piece) -> bool {
    let (mut at, mut read) = (0, 0);
    // Where to resume after the last asterisk: behind it, with one letter more for it.
    let mut retry: Option<(usize, usize)> = None;

    while read < text.len() {
        match pattern.get(at).map(|part| piece(*part)) {
            Some(Piece::Any) => {
                retry = Some((at + 1, read));
                at += 1;
            }
            Some(Piece::One) => {
                at += 1;
                read += 1;
            }
            Some(Piece::Byte(byte)) if byte == text[read] => {
                at += 1;
                read += 1;
            }
            _ => match retry {
                Some((behind, from)) => {
                    retry = Some((behind, from + 1));
                    (at, read) = (behind, from + 1);
                }
                None => return false,
            },
        }
    }

    pattern[at..].iter().all(|part| piece(*part) == Piece::Any)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn wildcards_match_as_iam_documents() {
        let check = |pattern: &str, text: &str, expected: bool| {
            assert_eq!(matches(pattern, text), expected, "{pattern} {text}");
        };
        check("s3:Get*", "s3:GetObject", true);
        check("s3:Get?bject", "s3:GetObject", true);
        check("s3:*Object*Acl", "s3:GetObjectVersionAcl", true);
        check("arn:aws:s3:::logs/*", "arn:aws:s3:::logs/a/b", true);
        check("arn:aws:s3:::logs", "arn:aws:s3:::logs/a", false);
        check("", "", true);
        check("*", "", true);
        check("?", "", false);
    }

    #[test]
    fn an_arn_is_matched_part_by_part() {
        let pieces = |text: &str| -> Vec<Piece> { text.bytes().map(Piece::of_pattern).collect() };
        let check = |pattern: &str, arn: &str, expected: bool| {
            assert_eq!(matches_arn(&pieces(pattern), arn), expected, "{pattern}");
        };
        let role = "arn:aws:iam::111122223333:role/path/deploy";
        check("arn:aws:iam::*:role/*", role, true);
        check("arn:aws:iam::111122223333:role/path/deploy", role, true);
        // One asterisk does not stand for several parts.
        check("arn:aws:*:role/path/deploy", role, false);
    }

    proptest! {
        #[test]
        fn a_text_matches_itself_and_every_asterisk_put_into_it(
            text in "[a-z:/]{0,20}", at in 0_usize..21, length in 0_usize..5
        ) {
            prop_assert!(matches(&text, &text));
            let at = at.min(text.len());
            let end = (at + length).min(text.len());
            let pattern = format!("{}*{}", &text[..at], &text[end..]);
            prop_assert!(matches(&pattern, &text));
        }
    }
}
