//! Regular expressions of bounded cost.
//!
//! The syntax is that of the `regex` crate, which has neither references nor look-around and takes
//! time in proportion to the length of an expression times the length of a value. Both are bounded
//! here.

use std::fmt;

use regex::{Regex, RegexBuilder};

use super::error::Problem;

/// An expression may have this many bytes.
pub const MAX_EXPRESSION_BYTES: usize = 1024;
/// A query may have this many expressions.
pub const MAX_EXPRESSIONS: usize = 16;
/// An expression looks at this many bytes of a value; what follows is as if it were not there.
pub const MAX_EXPRESSION_VALUE: usize = 16 * 1024;
/// Memory that a compiled expression may take, bytes: 16 of them take as much as a large entry.
const COMPILED_BYTES: usize = 256 * 1024;

/// A regular expression that is asked of whole values, ignoring case.
#[derive(Clone)]
pub struct RegularExpression {
    source: String,
    compiled: Regex,
}

impl RegularExpression {
    /// Reads an expression as it stands between the slashes.
    pub(super) fn new(source: &str) -> Result<Self, Problem> {
        if source.len() > MAX_EXPRESSION_BYTES {
            let message = format!(
                "the regular expression has {} bytes; the limit is {MAX_EXPRESSION_BYTES}",
                source.len()
            );
            return Err(Problem::new(message));
        }

        // Read by itself first: `a)|(b` is no expression, although it would be one inside the
        // group.
        let compile = |source: &str| {
            RegexBuilder::new(source)
                .case_insensitive(true)
                .dot_matches_new_line(true)
                .size_limit(COMPILED_BYTES)
                .dfa_size_limit(COMPILED_BYTES)
                .build()
        };

        let compiled = compile(source)
            .and_then(|_| compile(&format!(r"\A(?:{source})\z")))
            .map_err(problem)?;
        Ok(Self {
            source: source.to_owned(),
            compiled,
        })
    }

    /// Returns the expression as written between the slashes.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Returns `true` if the whole value fits the expression.
    pub fn is_satisfied_by(&self, value: &str) -> bool {
        let end = value.floor_char_boundary(MAX_EXPRESSION_VALUE);
        self.compiled.is_match(&value[..end])
    }
}

fn problem(error: regex::Error) -> Problem {
    match error {
        regex::Error::CompiledTooBig(_) => {
            Problem::new("the regular expression is too large once it is compiled")
                .hint("use smaller counts, or [0-9] and [a-z] in place of \\d and \\w")
        }
        error => {
            let text = error.to_string();
            let reason = text
                .lines()
                .rev()
                .find_map(|line| line.strip_prefix("error: "))
                .unwrap_or("it cannot be read");
            Problem::new(format!("the regular expression is wrong: {reason}"))
                .hint("to mean the text itself, put it in double quotes")
        }
    }
}

impl PartialEq for RegularExpression {
    fn eq(&self, other: &Self) -> bool {
        self.source == other.source
    }
}

impl fmt::Debug for RegularExpression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "/{}/", self.source)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_values_fit() {
        for (source, value, expect) in [
            ("i-[0-9a-f]+", "i-0abc", true),
            ("i-[0-9a-f]+", "x i-0abc", false),
            (".*ROLE.*", "arn:aws:iam::1:role/x", true),
            ("a|b", "ab", false),
            (r"\w+@\w+\.com", "alice@example.com", true),
            (r"(\d{1,3}\.){3}\d{1,3}", "10.0.0.1", true),
            ("a.b", "a\nb", true),
            ("x*", &"x".repeat(MAX_EXPRESSION_VALUE + 9), true),
        ] {
            assert!(
                RegularExpression::new(source).is_ok_and(|e| e.is_satisfied_by(value) == expect),
                "{source} {value}"
            );
        }
    }

    #[test]
    fn costly_and_wrong_expressions_are_refused() {
        for (source, message) in [
            ("a)|(b", "the regular expression is wrong: unopened group"),
            ("(", "the regular expression is wrong: unclosed group"),
            (
                r"(a)\1",
                "the regular expression is wrong: backreferences are not supported",
            ),
            (
                r"(?=a)",
                "the regular expression is wrong: look-around, including look-ahead and look-behind, is not supported",
            ),
            (
                r"(\w{100}){100}",
                "the regular expression is too large once it is compiled",
            ),
        ] {
            let refused = RegularExpression::new(source).map_err(|problem| problem.message);
            assert_eq!(refused, Err(message.to_owned()), "{source}");
        }
        assert!(RegularExpression::new(&"a".repeat(2000)).is_err());
    }
}
