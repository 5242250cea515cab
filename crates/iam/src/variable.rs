//! Policy variables (IAM User Guide, "IAM policy elements: Variables and tags"): `${aws:username}`,
//! with a default `${aws:PrincipalTag/team, 'none'}`, and the literal `${*}`, `${?}` and `${$}`.

use crate::context::{IamContext, KeyValue};
use crate::pattern::{Piece, matches, matches_pieces};
use crate::truth::Truth;

/// Text of a policy with its variables replaced. A replaced value is literal: an asterisk in it is
/// no wildcard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Expansion {
    pub(crate) pieces: Vec<Piece>,
    /// A variable is not known; `Any` stands for it.
    pub(crate) is_unknown: bool,
}

/// Returns the text with its variables replaced; none if a variable's key is absent and has no
/// default, so that the text matches nothing.
pub(crate) fn expand(text: &str, context: &IamContext) -> Option<Expansion> {
    let mut pieces = Vec::with_capacity(text.len());
    let mut is_unknown = false;
    let mut rest = text;

    while let Some((before, behind)) = rest.split_once("${") {
        pieces.extend(before.bytes().map(Piece::of_pattern));
        let Some((name, after)) = behind.split_once('}') else {
            // An open brace without its end is text.
            rest = &rest[before.len()..];
            break;
        };
        rest = after;

        if ["*", "?", "$"].contains(&name) {
            pieces.extend(name.bytes().map(Piece::Byte));
            continue;
        }
        let (key, default) = match name.split_once(',') {
            Some((key, default)) => (key.trim(), Some(default.trim().trim_matches('\''))),
            None => (name.trim(), None),
        };
        match context.key(&key.to_ascii_lowercase()) {
            KeyValue::Values([value]) => pieces.extend(value.bytes().map(Piece::Byte)),
            KeyValue::Unknown => {
                is_unknown = true;
                pieces.push(Piece::Any);
            }
            // A variable stands for one value: several are as good as none.
            KeyValue::Values(_) | KeyValue::Absent => {
                pieces.extend(default?.bytes().map(Piece::Byte));
            }
        }
    }

    pieces.extend(rest.bytes().map(Piece::of_pattern));
    Some(Expansion { pieces, is_unknown })
}

/// Matches a pattern with variables with a text.
pub(crate) fn matches_with_variables(
    pattern: &str,
    text: &str,
    context: &IamContext,
    has_variables: bool,
) -> Truth {
    if !has_variables || !pattern.contains("${") {
        return matches(pattern, text).into();
    }

    match expand(pattern, context) {
        None => Truth::False,
        Some(expansion) => {
            let is_match = Truth::from(matches_pieces(&expansion.pieces, text));
            if expansion.is_unknown {
                is_match.and(Truth::Unknown)
            } else {
                is_match
            }
        }
    }
}
