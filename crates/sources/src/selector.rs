//! Selectors of series as PromQL writes them: `node_cpu_seconds_total{mode="idle",cpu!~"1.*"}`.
//!
//! A selector names its metric: without a name every series of a server would be compared.
//! Expressions are matched against the whole value.

use std::fmt;

use regex::Regex;

use crate::labels::Labels;

/// Longest selector that is accepted, in bytes.
const LONGEST: usize = 1000;
/// Bytes that a compiled expression may take.
const EXPRESSION_BYTES: usize = 256 * 1024;

/// Fault of a selector.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SelectorError(String);

impl fmt::Display for SelectorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for SelectorError {}

/// A condition on one label.
#[derive(Debug, Clone)]
struct Matcher {
    label: String,
    negated: bool,
    test: Test,
}

#[derive(Debug, Clone)]
enum Test {
    Equal(String),
    Expression(Regex),
}

impl Matcher {
    fn matches(&self, labels: &Labels) -> bool {
        // A label that is not there has the empty value.
        let value = labels.get(&self.label).unwrap_or_default();
        let fits = match &self.test {
            Test::Equal(wanted) => value == wanted,
            Test::Expression(expression) => expression.is_match(value),
        };
        fits != self.negated
    }
}

/// Selector of the series of one metric.
#[derive(Debug, Clone)]
pub struct Selector {
    text: String,
    name: String,
    matchers: Vec<Matcher>,
}

/// Selectors are equal if they are written alike.
impl PartialEq for Selector {
    fn eq(&self, other: &Selector) -> bool {
        self.text == other.text
    }
}

impl fmt::Display for Selector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Selector {
    /// Reads a selector.
    ///
    /// # Errors
    /// The text is no selector; the error says what was expected where.
    pub fn parse(text: &str) -> Result<Selector, SelectorError> {
        let text = text.trim();
        if text.len() > LONGEST {
            return Err(SelectorError(format!("must have at most {LONGEST} bytes")));
        }

        let end = text.find('{').unwrap_or(text.len());
        let (name, rest) = (text[..end].trim_end(), &text[end..]);

        if !is_metric_name(name) {
            let message =
                "must begin with the name of a metric, such as node_memory_MemTotal_bytes";
            return Err(SelectorError(message.to_owned()));
        }

        let matchers = if rest.is_empty() {
            Vec::new()
        } else {
            Parser { text, at: end + 1 }.matchers()?
        };

        Ok(Selector {
            text: text.to_owned(),
            name: name.to_owned(),
            matchers,
        })
    }

    /// Returns the metric's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns `true` if the selector selects a series.
    #[must_use]
    pub fn matches(&self, labels: &Labels) -> bool {
        labels.name() == Some(self.name.as_str())
            && self.matchers.iter().all(|matcher| matcher.matches(labels))
    }
}

/// Returns `true` for the name of a metric; recording rules have colons in theirs.
fn is_metric_name(name: &str) -> bool {
    name.split(':').all(|part| {
        part.bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    }) && name
        .bytes()
        .next()
        .is_some_and(|first| !first.is_ascii_digit())
}

/// Returns `true` for the name of a label.
pub(crate) fn is_label_name(name: &str) -> bool {
    !name.contains(':') && name.len() <= 200 && is_metric_name(name)
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
}

impl Parser<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn skip_space(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    fn take(&mut self, token: &str) -> bool {
        self.skip_space();
        let found = self.rest().starts_with(token);
        self.at += if found { token.len() } else { 0 };
        found
    }

    fn wrong<T>(&self, expected: &str) -> Result<T, SelectorError> {
        Err(SelectorError(format!(
            "expected {expected} at character {}",
            self.text[..self.at].chars().count() + 1
        )))
    }

    /// The matchers after the opening brace, up to the end of the text.
    fn matchers(mut self) -> Result<Vec<Matcher>, SelectorError> {
        let mut found = Vec::new();
        while !self.take("}") {
            if !found.is_empty() && !self.take(",") {
                return self.wrong("a comma or }");
            }
            if self.take("}") {
                break;
            }
            found.push(self.matcher()?);
        }

        self.skip_space();
        if self.rest().is_empty() {
            Ok(found)
        } else {
            self.wrong("the end")
        }
    }

    fn matcher(&mut self) -> Result<Matcher, SelectorError> {
        self.skip_space();
        let length = self
            .rest()
            .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .unwrap_or(self.rest().len());
        let label = self.rest()[..length].to_owned();
        if !is_label_name(&label) {
            return self.wrong("the name of a label");
        }

        self.at += length;
        let (negated, expression) = match () {
            () if self.take("=~") => (false, true),
            () if self.take("!~") => (true, true),
            () if self.take("!=") => (true, false),
            () if self.take("=") => (false, false),
            () => return self.wrong("=, !=, =~ or !~"),
        };

        let value = self.quoted()?;
        let test = if expression {
            Test::Expression(compiled(&value)?)
        } else {
            Test::Equal(value)
        };

        Ok(Matcher {
            label,
            negated,
            test,
        })
    }

    fn quoted(&mut self) -> Result<String, SelectorError> {
        self.skip_space();
        let Some(quote @ ('"' | '\'')) = self.rest().chars().next() else {
            return self.wrong("a value in quotes");
        };

        let (mut value, mut escaped) = (String::new(), false);
        for (place, letter) in self.rest().char_indices().skip(1) {
            match letter {
                'n' if escaped => value.push('\n'),
                '\\' | '"' | '\'' if escaped => value.push(letter),
                _ if escaped => break,
                '\\' => {
                    escaped = true;
                    continue;
                }
                _ if letter == quote => {
                    self.at += place + 1;
                    return Ok(value);
                }
                _ => value.push(letter),
            }
            escaped = false;
        }

        self.wrong("a value that ends with its quote; a backslash is written \\\\")
    }
}

fn compiled(text: &str) -> Result<Regex, SelectorError> {
    let built = regex::RegexBuilder::new(&format!("^(?s:{text})$"))
        .size_limit(EXPRESSION_BYTES)
        .build();
    built.map_err(|_| {
        SelectorError(format!(
            "{text:?} is not a regular expression, or too large a one"
        ))
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn labels(pairs: &[(&str, &str)]) -> Labels {
        Labels::new(
            pairs
                .iter()
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect(),
        )
        .unwrap()
    }

    #[test]
    fn series_are_selected_as_prometheus_selects_them() {
        let series = labels(&[
            ("__name__", "node_cpu_seconds_total"),
            ("mode", "idle"),
            ("cpu", "12"),
            ("job", "a\"b"),
        ]);

        for (text, expected) in [
            ("node_cpu_seconds_total", true),
            ("node_cpu_seconds_total{}", true),
            ("node_cpu_seconds_total{mode=\"idle\"}", true),
            (
                " node_cpu_seconds_total { mode = 'idle', cpu =~ \"1.\" , } ",
                true,
            ),
            ("node_cpu_seconds_total{cpu=~\"1\"}", false),
            ("node_cpu_seconds_total{cpu!~\"1\"}", true),
            ("node_cpu_seconds_total{mode!=\"idle\"}", false),
            ("node_cpu_seconds_total{missing=\"\"}", true),
            ("node_cpu_seconds_total{missing!=\"\"}", false),
            ("node_cpu_seconds_total{job=\"a\\\"b\"}", true),
            ("node_cpu_seconds", false),
        ] {
            assert_eq!(
                Selector::parse(text).unwrap().matches(&series),
                expected,
                "{text}"
            );
        }

        let recorded = Selector::parse("instance:node_memory:ratio").unwrap();
        assert!(recorded.matches(&labels(&[("__name__", "instance:node_memory:ratio")])));
    }

    #[test]
    fn faults_are_named() {
        for (text, expected) in [
            ("", "must begin with the name of a metric"),
            ("{mode=\"idle\"}", "must begin with the name of a metric"),
            ("a b", "must begin with the name of a metric"),
            ("a{mode}", "expected =, !=, =~ or !~ at character 7"),
            ("a{mode=idle}", "expected a value in quotes at character 8"),
            (
                "a{mode=\"idle}",
                "expected a value that ends with its quote",
            ),
            ("a{mode=\"idle\"", "expected a comma or } at character 14"),
            ("a{mode=\"x\"} or b", "expected the end at character 13"),
            ("a{1=\"x\"}", "expected the name of a label at character 3"),
            ("a{m=~\"(\"}", "\"(\" is not a regular expression"),
            (
                "a{m=~\"(a{1000}){1000}\"}",
                "is not a regular expression, or too large a one",
            ),
        ] {
            let error = Selector::parse(text).unwrap_err().to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
