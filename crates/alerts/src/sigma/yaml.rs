//! Reader of YAML with line numbers. Aliases are refused: a few bytes of them can stand for
//! gigabytes.

use saphyr_parser::{Event, Parser, ScalarStyle};

use super::SigmaProblem;

/// Levels of nesting at most.
const MAX_DEPTH: usize = 24;

/// A node and the line at which it begins.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct YamlNode {
    pub(super) line: usize,
    pub(super) value: Value,
}

/// Content of a node.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    /// A text, number, boolean or null. `plain` was written without quotes.
    Scalar {
        text: String,
        plain: bool,
    },
    List(Vec<YamlNode>),
    /// Names with their values, in order.
    Map(Vec<(String, YamlNode)>),
}

impl YamlNode {
    /// The value of a mapping's member.
    pub(super) fn member(&self, name: &str) -> Option<&YamlNode> {
        let Value::Map(members) = &self.value else {
            return None;
        };
        members
            .iter()
            .find(|(member, _)| member == name)
            .map(|(_, node)| node)
    }

    /// The text of a scalar.
    pub(super) fn scalar(&self) -> Option<&str> {
        match &self.value {
            Value::Scalar { text, .. } => Some(text),
            Value::List(_) | Value::Map(_) => None,
        }
    }

    /// The text of a mapping's member.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.member(name).and_then(YamlNode::scalar)
    }

    /// The texts of a list.
    pub(super) fn texts(&self) -> Vec<&str> {
        match &self.value {
            Value::List(items) => items.iter().filter_map(YamlNode::scalar).collect(),
            Value::Scalar { .. } | Value::Map(_) => Vec::new(),
        }
    }

    /// Returns `true` for null, written without quotes.
    pub(super) fn is_null(&self) -> bool {
        matches!(&self.value, Value::Scalar { text, plain: true } if matches!(text.as_str(), "" | "~" | "null" | "Null" | "NULL"))
    }
}

/// A collection under construction.
enum Open {
    List(usize, Vec<YamlNode>),
    Map(usize, Vec<(String, YamlNode)>, Option<String>),
}

/// Reads all documents of a text.
pub(super) fn documents(text: &str) -> Result<Vec<YamlNode>, SigmaProblem> {
    let (mut documents, mut open) = (Vec::new(), Vec::new());
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| {
            SigmaProblem::new(
                error.marker().line(),
                format!("is not YAML: {}", error.info()),
            )
        })?;
        let line = span.start.line();
        let done = match event {
            Event::Alias(_) => {
                return Err(SigmaProblem::new(line, "YAML aliases are not supported"));
            }
            Event::Scalar(text, style, ..) => {
                let plain = style == ScalarStyle::Plain;
                Some(YamlNode {
                    line,
                    value: Value::Scalar {
                        text: text.into_owned(),
                        plain,
                    },
                })
            }
            Event::SequenceStart(..) | Event::MappingStart(..) if open.len() >= MAX_DEPTH => {
                return Err(SigmaProblem::new(
                    line,
                    format!("is nested deeper than {MAX_DEPTH} levels"),
                ));
            }
            Event::SequenceStart(..) => {
                open.push(Open::List(line, Vec::new()));
                None
            }
            Event::MappingStart(..) => {
                open.push(Open::Map(line, Vec::new(), None));
                None
            }
            Event::SequenceEnd | Event::MappingEnd => open.pop().map(closed),
            _ => None,
        };
        if let Some(node) = done {
            put(node, &mut open, &mut documents)?;
        }
    }

    Ok(documents)
}

fn closed(open: Open) -> YamlNode {
    match open {
        Open::List(line, items) => YamlNode {
            line,
            value: Value::List(items),
        },
        Open::Map(line, members, _) => YamlNode {
            line,
            value: Value::Map(members),
        },
    }
}

fn put(
    node: YamlNode,
    open: &mut [Open],
    documents: &mut Vec<YamlNode>,
) -> Result<(), SigmaProblem> {
    match open.last_mut() {
        None => documents.push(node),
        Some(Open::List(_, items)) => items.push(node),
        Some(Open::Map(_, members, name @ None)) => {
            let line = node.line;
            let Value::Scalar { text, .. } = node.value else {
                return Err(SigmaProblem::new(line, "a name must be a text"));
            };
            if members.iter().any(|(known, _)| *known == text) {
                return Err(SigmaProblem::new(line, format!("{text} occurs twice")));
            }
            *name = Some(text);
        }
        Some(Open::Map(_, members, name)) => members.extend(name.take().map(|name| (name, node))),
    }
    Ok(())
}
