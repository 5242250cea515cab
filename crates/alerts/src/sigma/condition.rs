//! The condition of a detection: names of selections, `and`, `or`, `not`, `1 of selection_*`, `all
//! of them`.

use reeve_audit::query::Expr;

use super::SigmaProblem;

/// Parentheses within each other at most.
const MAX_DEPTH: usize = 32;

/// Selections of the detection, by name.
pub(super) type Selections = Vec<(String, Expr)>;

struct Reader<'t> {
    line: usize,
    tokens: Vec<&'t str>,
    at: usize,
    selections: &'t Selections,
}

/// Parses the text of a condition, whose names are those of `selections`.
pub(super) fn read(text: &str, line: usize, selections: &Selections) -> Result<Expr, SigmaProblem> {
    if text.contains('|') {
        return Err(SigmaProblem::new(
            line,
            "aggregations (count, sum, near) in a condition are not supported",
        ));
    }

    let mut reader = Reader {
        line,
        tokens: tokens(text),
        at: 0,
        selections,
    };
    let expr = reader.any(0)?;

    match reader.tokens.get(reader.at) {
        None => Ok(expr),
        Some(token) => Err(reader.problem(format!("{token:?} was not expected in the condition"))),
    }
}

fn tokens(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    for word in text.split_whitespace() {
        let mut rest = word;
        while let Some(at) = rest.find(['(', ')']) {
            tokens.extend(
                [&rest[..at], &rest[at..=at]]
                    .into_iter()
                    .filter(|token| !token.is_empty()),
            );
            rest = &rest[at + 1..];
        }
        tokens.extend((!rest.is_empty()).then_some(rest));
    }

    tokens
}

impl<'t> Reader<'t> {
    fn problem(&self, message: impl Into<String>) -> SigmaProblem {
        SigmaProblem::new(self.line, message)
    }

    /// Takes the next token if it is this word, in any case.
    fn takes(&mut self, word: &str) -> bool {
        let found = self
            .tokens
            .get(self.at)
            .is_some_and(|token| token.eq_ignore_ascii_case(word));
        self.at += usize::from(found);
        found
    }

    fn any(&mut self, depth: usize) -> Result<Expr, SigmaProblem> {
        let mut terms = vec![self.all(depth)?];
        while self.takes("or") {
            terms.push(self.all(depth)?);
        }
        Ok(Expr::or(terms))
    }

    fn all(&mut self, depth: usize) -> Result<Expr, SigmaProblem> {
        let mut terms = vec![self.term(depth)?];
        while self.takes("and") {
            terms.push(self.term(depth)?);
        }
        Ok(Expr::and(terms))
    }

    fn term(&mut self, depth: usize) -> Result<Expr, SigmaProblem> {
        if depth > MAX_DEPTH {
            return Err(self.problem("the condition is nested too deep"));
        }
        if self.takes("not") {
            return Ok(Expr::negate(self.term(depth + 1)?));
        }

        if self.takes("(") {
            let inner = self.any(depth + 1)?;
            return if self.takes(")") {
                Ok(inner)
            } else {
                Err(self.problem("a parenthesis is not closed"))
            };
        }

        let Some(token) = self.tokens.get(self.at).copied() else {
            return Err(self.problem("the condition ends too early"));
        };

        self.at += 1;
        if self.takes("of") {
            return self.quantified(token);
        }

        let found = self.selections.iter().find(|(name, _)| name == token);
        found
            .map(|(_, expr)| expr.clone())
            .ok_or_else(|| self.problem(format!("there is no selection {token:?}")))
    }

    fn quantified(&mut self, quantity: &str) -> Result<Expr, SigmaProblem> {
        let Some(pattern) = self.tokens.get(self.at).copied() else {
            return Err(self.problem("the condition ends too early"));
        };

        self.at += 1;
        let named = |name: &str| match pattern.split_once('*') {
            _ if pattern == "them" => !name.starts_with('_'),
            Some((start, end)) => {
                name.len() >= start.len() + end.len()
                    && name.starts_with(start)
                    && name.ends_with(end)
            }
            None => name == pattern,
        };

        let chosen: Vec<_> = self
            .selections
            .iter()
            .filter(|(name, _)| named(name))
            .map(|(_, expr)| expr.clone())
            .collect();

        if chosen.is_empty() {
            return Err(self.problem(format!("no selection is named {pattern:?}")));
        }

        match quantity.to_ascii_lowercase().as_str() {
            "1" | "any" => Ok(Expr::or(chosen)),
            "all" => Ok(Expr::and(chosen)),
            _ => Err(self.problem(format!(
                "\"{quantity} of\" is not supported; use 1 of or all of"
            ))),
        }
    }
}
