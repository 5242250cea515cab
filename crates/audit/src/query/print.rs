//! From tree to text that reads back as the same tree.

use std::fmt::{self, Display, Formatter, Write};

use super::ast::{Bound, Expr, Match};
use super::column::FieldPath;
use super::text::TextMatch;
use super::time::UNITS;
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
            Self::Field { field, op } => write!(f, "{field}:{op}"),
            Self::Text(TextMatch { words, prefix }) => {
                write!(f, "\"{}\"{}", words.join(" "), if *prefix { "*" } else { "" })
            }
        }
    }
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
            segments
                .iter()
                .try_for_each(|s| if plain_segment(s) { write!(f, ".{s}") } else { write!(f, ".{}", Quoted(s)) })
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
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'/'))
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
            Self::Glob(pieces) => {
                for (at, piece) in pieces.iter().enumerate() {
                    if at > 0 {
                        f.write_char('*')?;
                    }
                    if !piece.is_empty() {
                        value(piece, f)?;
                    }
                }
                Ok(())
            }
            Self::Exists => f.write_char('*'),
            Self::Compare(side, bound) => write!(f, "{}{bound}", side.as_str()),
            Self::Cidr(net) => write!(f, "{net}"),
            Self::Ip(address) => write!(f, "{address}"),
        }
    }
}

impl Display for Bound {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Time(at) => f.write_str(&format_instant(*at)),
            Self::Now(0) => f.write_str("now"),
            Self::Now(ms) => {
                let (unit, unit_ms) = UNITS.into_iter().find(|(_, unit_ms)| ms % unit_ms == 0).unwrap_or(("ms", 1));
                write!(f, "now{:+}{unit}", ms / unit_ms)
            }
            Self::Number(number) => write!(f, "{}", Json::Number(*number)),
            Self::Severity(severity) => write!(f, "{severity}"),
        }
    }
}

/// A value as it is when nothing in it could be misread, in quotes otherwise.
fn value(text: &str, f: &mut Formatter<'_>) -> fmt::Result {
    let plain = |c: char| !c.is_whitespace() && !matches!(c, '(' | ')' | '"' | '*');
    if !text.is_empty() && text.chars().all(plain) && !text.starts_with(['<', '>', '=']) {
        f.write_str(text)
    } else {
        write!(f, "{}", Quoted(text))
    }
}

struct Quoted<'a>(&'a str);

impl Display for Quoted<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", self.0.replace('\\', "\\\\").replace('"', "\\\""))
    }
}
