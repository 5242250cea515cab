//! From tree to text that reads back as the same tree.

use std::fmt::{self, Display, Formatter, Write};

use super::ast::{Bound, Expr, Match, QueryComparison};
use super::column::FieldPath;
use super::list::network;
use super::pattern::{Pattern, PatternPiece};
use super::text::{TextMatch, TextWord};
use super::time::UNITS;
use super::value::holds_address;
use crate::instant::format_instant;
use crate::json::Json;

impl Display for Expr {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.write_char('*'),
            Self::And(terms) => joined(terms, " AND ", f),
            Self::Or(terms) => joined(terms, " OR ", f),
            Self::Not(term) => {
                f.write_str("NOT ")?;
                operand(term, f)
            }
            // Elsewhere a network without the sign is the text of it.
            Self::Field {
                field,
                op: Match::Cidr(net),
            } if !holds_address(field) => write!(f, "{field}:@{net}"),
            Self::Field { field, op } => write!(f, "{field}:{op}"),
            Self::Text(term) => text(term, f),
        }
    }
}

/// A term, its words with spaces between them.
fn text(term: &TextMatch, f: &mut Formatter<'_>) -> fmt::Result {
    let mut all = Pattern::default();
    for (at, word) in term.words.iter().enumerate() {
        if at > 0 {
            all.push(PatternPiece::Text(" ".to_owned()));
        }
        match word {
            TextWord::Whole(word) => all.push(PatternPiece::Text(word.clone())),
            TextWord::Start(start) => {
                all.push(PatternPiece::Text(start.clone()));
                all.push(PatternPiece::AnyText);
            }
            TextWord::Like(pattern) => pattern
                .pieces()
                .iter()
                .for_each(|piece| all.push(piece.clone())),
        }
    }

    all.pieces().iter().try_for_each(|piece| match piece {
        PatternPiece::Text(text) => write!(f, "\"{text}\""),
        PatternPiece::AnyCharacter => f.write_char('?'),
        PatternPiece::AnyText => f.write_char('*'),
    })
}

fn joined(terms: &[Expr], between: &str, f: &mut Formatter<'_>) -> fmt::Result {
    for (at, term) in terms.iter().enumerate() {
        if at > 0 {
            f.write_str(between)?;
        }
        operand(term, f)?;
    }
    Ok(())
}

fn operand(term: &Expr, f: &mut Formatter<'_>) -> fmt::Result {
    match term {
        Expr::And(_) | Expr::Or(_) => write!(f, "({term})"),
        _ => write!(f, "{term}"),
    }
}

impl Display for FieldPath {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let path = |name: &str, segments: &[String], f: &mut Formatter<'_>| {
            f.write_str(name)?;
            segments.iter().try_for_each(|s| {
                if plain_segment(s) {
                    write!(f, ".{s}")
                } else {
                    write!(f, ".{}", Quoted(s))
                }
            })
        };
        match self {
            Self::Column(column) => f.write_str(column.field_name()),
            Self::User => f.write_str("user"),
            Self::Tags => f.write_str("tags"),
            Self::MetadataTags => f.write_str("metadata.tags"),
            Self::ApiVersion => f.write_str("metadata.api_version"),
            Self::ResourceTags => f.write_str("resource.tags"),
            Self::Changes => f.write_str("changes"),
            Self::ResourceTag(name) => path("resource.tags", std::slice::from_ref(name), f),
            Self::Before(segments) => path("changes.before", segments, f),
            Self::After(segments) => path("changes.after", segments, f),
            Self::Metadata(segments) => path("metadata", segments, f),
            Self::Submitter(field) => f.write_str(field.field_name()),
        }
    }
}

fn plain_segment(text: &str) -> bool {
    !text.is_empty()
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'/'))
}

impl Display for Match {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exact(text) => value(text, f),
            Self::Identical(text) => {
                f.write_char('=')?;
                value(text, f)
            }
            Self::Prefix(text) => {
                value(text, f)?;
                f.write_char('*')
            }
            Self::Glob(pattern) => pattern.pieces().iter().try_for_each(|piece| match piece {
                PatternPiece::Text(text) => value(text, f),
                PatternPiece::AnyCharacter => f.write_char('?'),
                PatternPiece::AnyText => f.write_char('*'),
            }),
            Self::Regular(expression) => write!(f, "/{}/", expression.source()),
            Self::Between(range) => {
                let open = |side: Option<QueryComparison>| {
                    matches!(side, Some(QueryComparison::Greater | QueryComparison::Less))
                };
                let (low, high) = (range.low.as_ref(), range.high.as_ref());
                f.write_char(if open(low.map(|low| low.0)) { '{' } else { '[' })?;
                end(low, f)?;
                f.write_str(" TO ")?;
                end(high, f)?;
                f.write_char(if open(high.map(|high| high.0)) {
                    '}'
                } else {
                    ']'
                })
            }
            Self::Listed(list) => {
                f.write_char('@')?;
                list_name(&list.name, f)
            }
            Self::Exists => f.write_char('*'),
            Self::Compare(side, bound) => write!(f, "{}{bound}", side.as_str()),
            Self::Cidr(net) => write!(f, "{net}"),
            Self::Ip(address) => write!(f, "{address}"),
        }
    }
}

/// An end of a range; `*` if it is open.
fn end(end: Option<&(QueryComparison, Bound)>, f: &mut Formatter<'_>) -> fmt::Result {
    match end {
        None => f.write_char('*'),
        Some((_, bound)) => write!(f, "{bound}"),
    }
}

/// The name of a list, in quotes where it could be taken for an address or cut short.
fn list_name(name: &str, f: &mut Formatter<'_>) -> fmt::Result {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':');
    if name.chars().all(plain) && network(name).is_none() {
        f.write_str(name)
    } else {
        write!(f, "{}", Quoted(name))
    }
}

impl Display for Bound {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Time(at) => f.write_str(&format_instant(*at)),
            Self::Now(0) => f.write_str("now"),
            Self::Now(ms) => {
                let (unit, unit_ms) = UNITS
                    .into_iter()
                    .find(|(_, unit_ms)| ms % unit_ms == 0)
                    .unwrap_or(("ms", 1));
                write!(f, "now{:+}{unit}", ms / unit_ms)
            }
            Self::Number(number) => write!(f, "{}", Json::Number(*number)),
            Self::Severity(severity) => write!(f, "{severity}"),
            // In quotes, so that a text of digits stays a text.
            Self::Text(text) => write!(f, "{}", Quoted(text)),
            Self::Address(address) => write!(f, "{address}"),
        }
    }
}

/// A value as it is when nothing in it could be misread, in quotes otherwise.
fn value(text: &str, f: &mut Formatter<'_>) -> fmt::Result {
    let plain = |c: char| !c.is_whitespace() && !matches!(c, '(' | ')' | '"' | '*' | '?');
    if !text.is_empty()
        && text.chars().all(plain)
        && !text.starts_with(['<', '>', '=', '@', '/', '[', '{'])
    {
        f.write_str(text)
    } else {
        write!(f, "{}", Quoted(text))
    }
}

struct Quoted<'a>(&'a str);

impl Display for Quoted<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "\"{}\"",
            self.0.replace('\\', "\\\\").replace('"', "\\\"")
        )
    }
}
