//! From text to tree: recursive descent, bounded in length, depth, terms and wildcards. NOT binds
//! tighter than AND, AND than OR.

use super::ast::{Expr, QueryComparison};
use super::column::FieldPath;
use super::error::{Problem, QueryError};
use super::field;
use super::pattern::PatternPiece;
use super::range::range;
use super::regular::{MAX_EXPRESSIONS, RegularExpression};
use super::scan::{Lexeme, QueryScanner};
use super::text::TextMatch;
use super::value::{Operator, bounded, condition, regular};

/// A query may have this many bytes.
pub const MAX_QUERY_BYTES: usize = 8 * 1024;
/// Largest nesting depth of parentheses and negations.
pub const MAX_QUERY_DEPTH: usize = 64;
/// A query may have this many terms: each is asked of every entry that may match.
pub const MAX_QUERY_TERMS: usize = 256;

/// Reads a query; the empty one finds every entry.
pub(super) fn parse(text: &str) -> Result<Expr, QueryError> {
    parse_with(text, field::resolve)
}

/// Reads a query whose field names another table resolves.
pub(super) fn parse_with(text: &str, resolve: Resolve) -> Result<Expr, QueryError> {
    if text.len() > MAX_QUERY_BYTES {
        let problem = Problem::new(format!(
            "the query has {} bytes; the limit is {MAX_QUERY_BYTES}",
            text.len()
        ));
        return Err(problem.at(0, ""));
    }

    let mut parser = Parser {
        scanner: QueryScanner::new(text),
        resolve,
        depth: 0,
        terms: 0,
        expressions: 0,
    };
    parser.scanner.skip_space();

    if parser.scanner.peek().is_none() {
        return Ok(Expr::All);
    }

    let expr = parser.alternatives(None)?;
    match parser.scanner.peek() {
        None => Ok(expr),
        Some(_) => Err(parser.scanner.fail(
            Problem::new("this `)` closes nothing")
                .hint("remove it, or quote the text it belongs to"),
            ")",
        )),
    }
}

/// Reads the name of a field, as written before a colon.
pub(super) fn field_path(text: &str) -> Result<FieldPath, QueryError> {
    let written = format!("{text}:");
    let mut scanner = QueryScanner::new(&written);

    match scanner.field()? {
        Some(segments) if scanner.rest().is_empty() => {
            field::resolve(&segments).map_err(|problem| problem.at(0, text))
        }
        _ => Err(Problem::new(format!("`{text}` is not the name of a field")).at(0, text)),
    }
}

/// From the dotted segments of a name to the field.
type Resolve = fn(&[String]) -> Result<FieldPath, Problem>;

struct Parser<'q> {
    scanner: QueryScanner<'q>,
    resolve: Resolve,
    depth: usize,
    terms: usize,
    expressions: usize,
}

/// Field of a group of values, as in `field:(a OR b)`.
type Scope<'s> = Option<&'s FieldPath>;

impl Parser<'_> {
    fn alternatives(&mut self, scope: Scope<'_>) -> Result<Expr, QueryError> {
        let mut terms = vec![self.conjunction(scope)?];
        while self.scanner.take_word("OR") {
            terms.push(self.conjunction(scope)?);
        }
        Ok(Expr::or(terms))
    }

    fn conjunction(&mut self, scope: Scope<'_>) -> Result<Expr, QueryError> {
        let mut terms = vec![self.negation(scope)?];
        loop {
            self.scanner.skip_space();
            let joined = self.scanner.take_word("AND");
            if !joined
                && (self.scanner.peek().is_none_or(|c| c == ')') || self.scanner.sees_word("OR"))
            {
                return Ok(Expr::and(terms));
            }
            terms.push(self.negation(scope)?);
        }
    }

    fn negation(&mut self, scope: Scope<'_>) -> Result<Expr, QueryError> {
        self.scanner.skip_space();
        let dash = self
            .scanner
            .rest()
            .strip_prefix('-')
            .and_then(|rest| rest.chars().next());
        if self.scanner.take_word("NOT")
            || (dash.is_some_and(|c| !c.is_whitespace() && c != ')') && self.scanner.take("-"))
        {
            return self
                .deeper(|parser| parser.negation(scope))
                .map(Expr::negate);
        }

        self.primary(scope)
    }

    /// Runs `inner` one level deeper.
    fn deeper<T>(
        &mut self,
        inner: impl FnOnce(&mut Self) -> Result<T, QueryError>,
    ) -> Result<T, QueryError> {
        if self.depth == MAX_QUERY_DEPTH {
            let problem =
                Problem::new(format!("the query is nested deeper than {MAX_QUERY_DEPTH}"));
            return Err(self.scanner.fail(problem, ""));
        }

        self.depth += 1;
        let value = inner(self)?;
        self.depth -= 1;
        Ok(value)
    }

    fn primary(&mut self, scope: Scope<'_>) -> Result<Expr, QueryError> {
        match self.scanner.peek() {
            None => Err(self
                .scanner
                .fail(Problem::new("a term is missing at the end"), "")),
            Some(')') => Err(self
                .scanner
                .fail(Problem::new("a term is missing before `)`"), ")")),
            Some('(') => self.group(scope),
            Some(_) => {
                if let Some(word) = ["AND", "OR"]
                    .into_iter()
                    .find(|word| self.scanner.sees_word(word))
                {
                    let problem = Problem::new(format!("a term is missing before {word}"));
                    let hint = format!(
                        "to search for the word itself, write \"{}\"",
                        word.to_lowercase()
                    );
                    return Err(self.scanner.fail(problem.hint(hint), word));
                }
                self.counted()?;
                match scope {
                    Some(field) => self.value(field),
                    None => self.term(),
                }
            }
        }
    }

    /// Counts a term and fails beyond the largest number of terms.
    fn counted(&mut self) -> Result<(), QueryError> {
        self.terms += 1;
        if self.terms <= MAX_QUERY_TERMS {
            return Ok(());
        }

        let problem = Problem::new(format!("the query has more than {MAX_QUERY_TERMS} terms"));
        Err(self
            .scanner
            .fail(problem.hint("use wildcards, or ask in parts"), ""))
    }

    fn group(&mut self, scope: Scope<'_>) -> Result<Expr, QueryError> {
        let open = self.scanner.position();
        self.scanner.take("(");
        let inner = self.deeper(|parser| parser.alternatives(scope))?;
        self.scanner.skip_space();

        if self.scanner.take(")") {
            Ok(inner)
        } else {
            Err(Problem::new("this `(` is never closed")
                .hint("add a `)`")
                .at(open, "("))
        }
    }

    /// `field:value`, or free text.
    fn term(&mut self) -> Result<Expr, QueryError> {
        let start = self.scanner.position();
        let Some(segments) = self.scanner.field()? else {
            return self.free_text(start);
        };

        let field =
            (self.resolve)(&segments).map_err(|problem| problem.at(start, segments.join(".")))?;
        if self.scanner.peek() == Some('(') {
            self.group(Some(&field))
        } else {
            self.value(&field)
        }
    }

    fn value(&mut self, field: &FieldPath) -> Result<Expr, QueryError> {
        let operator = self.operator();
        let start = self.scanner.position();

        if operator == Operator::Plain {
            if let Some(source) = self.scanner.regular() {
                let raw = format!("/{source}/");
                return self
                    .expression(field, source)
                    .map_err(|problem| problem.at(start, raw));
            }
            if let Some(written) = self.scanner.range()? {
                let raw = written.raw.clone();
                return range(field, written).map_err(|problem| problem.at(start, raw));
            }
        }

        let opens = self.scanner.peek();
        let Lexeme { written, raw } = self.scanner.lexeme()?;
        if operator == Operator::Plain {
            slip(opens, &raw).map_err(|problem| problem.at(start, raw.as_str()))?;
        }

        if raw.is_empty() {
            return Err(Problem::new("a value is missing here")
                .hint("write it without a space before it, or * for any value")
                .at(start, ""));
        }

        condition(field, operator, written).map_err(|problem| problem.at(start, raw))
    }

    fn expression(&mut self, field: &FieldPath, source: &str) -> Result<Expr, Problem> {
        self.expressions += 1;
        if self.expressions > MAX_EXPRESSIONS {
            return Err(Problem::new(format!(
                "the query has more than {MAX_EXPRESSIONS} regular expressions"
            ))
            .hint("join them with |, as in /a|b/"));
        }
        regular(field, RegularExpression::new(source)?)
    }

    fn operator(&mut self) -> Operator {
        let sides = [
            (">=", QueryComparison::AtLeast),
            ("<=", QueryComparison::AtMost),
            (">", QueryComparison::Greater),
            ("<", QueryComparison::Less),
        ];

        for (sign, side) in sides {
            if self.scanner.take(sign) {
                return Operator::Side(side);
            }
        }

        match self.scanner.peek() {
            Some('=') if self.scanner.take("=") => Operator::Identical,
            Some('@') if self.scanner.take("@") => Operator::Member,
            _ => Operator::Plain,
        }
    }

    fn free_text(&mut self, start: usize) -> Result<Expr, QueryError> {
        let Lexeme { written, raw } = self.scanner.lexeme()?;
        let at = |problem: Problem| problem.at(start, raw.as_str());
        if !written.quoted {
            assignment(&raw, self.resolve).map_err(at)?;
        }

        bounded(&written.pattern).map_err(at)?;
        if *written.pattern.pieces() == [PatternPiece::AnyText] {
            return Ok(Expr::All);
        }

        TextMatch::of_pattern(&written.pattern)
            .map(Expr::Text)
            .ok_or_else(|| at(Problem::new("there is no letter or digit to search for")))
    }
}

/// Refuses a value that looks like a range or a regular expression and is none: it would quietly be
/// taken for a text.
fn slip(opens: Option<char>, raw: &str) -> Result<(), Problem> {
    let closer = match opens {
        Some('[') => ']',
        Some('{') => '}',
        Some('/')
            if raw.len() > 1
                && raw.ends_with('/')
                && raw.contains(['[', '|', '^', '$', '+', '\\', '{']) =>
        {
            return Err(
                Problem::new("a `/` inside a regular expression is written `\\/`")
                    .hint("to mean the text itself, put it in double quotes"),
            );
        }
        _ => return Ok(()),
    };

    if raw.ends_with(closer) {
        return Ok(());
    }

    Err(
        Problem::new("a range is written [a TO b], or {a TO b} to leave its ends out")
            .hint("to mean the text itself, put it in double quotes"),
    )
}

/// Refuses `field=value` and `field>value`, which would otherwise quietly search for the words.
fn assignment(raw: &str, resolve: Resolve) -> Result<(), Problem> {
    let Some((name, rest)) = raw.find(['=', '<', '>', '!']).map(|at| raw.split_at(at)) else {
        return Ok(());
    };

    let segments: Vec<_> = name.split('.').map(str::to_owned).collect();
    if resolve(&segments).is_err() {
        return Ok(());
    }

    let value = rest.trim_start_matches(['=', '!']);
    let dash = if rest.starts_with('!') { "-" } else { "" };
    Err(
        Problem::new(format!("`{name}` is a field and needs a colon"))
            .hint(format!("write {dash}{name}:{value}")),
    )
}
