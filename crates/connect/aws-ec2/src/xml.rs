//! XML answers as trees of elements, read by the names that the API reference gives: a list has one
//! item or many, and an element that is not asked for is passed over.

use std::str::FromStr;

use jiff::Timestamp;
use xmlparser::{ElementEnd, Token, Tokenizer};

use crate::fault::{AwsEc2Fault, Call, FaultKind};

/// Deepest nesting that is read; AWS's answers stay below a quarter of it.
const DEEPEST: usize = 64;

/// An element with its text or its children.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Element {
    /// Name without its prefix.
    pub name: String,
    /// Text outside of all children.
    pub text: String,
    /// Children in their order.
    pub children: Vec<Element>,
}

/// An element whose text is not of the type that the API reference gives it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the answer's element {element} cannot be read")]
pub struct Malformed {
    /// Name of the element.
    pub element: &'static str,
}

impl Malformed {
    /// Returns the fault of a call that was answered so.
    #[must_use]
    pub fn at(&self, call: Call<'_>) -> AwsEc2Fault {
        call.fault(FaultKind::Broken, None, &self.to_string())
    }
}

impl Element {
    /// Reads a document and returns its root; `None` for text that is no XML.
    #[must_use]
    pub fn read(text: &str) -> Option<Element> {
        let mut open: Vec<Element> = Vec::new();
        for token in Tokenizer::from(text) {
            match token.ok()? {
                Token::ElementStart { local, .. } => {
                    if open.len() >= DEEPEST {
                        return None;
                    }
                    open.push(Element {
                        name: local.as_str().to_owned(),
                        ..Element::default()
                    });
                }
                Token::ElementEnd {
                    end: ElementEnd::Open,
                    ..
                } => {}
                Token::ElementEnd { end, .. } => {
                    let element = open.pop()?;
                    if matches!(end, ElementEnd::Close(_, local) if local.as_str() != element.name)
                    {
                        return None;
                    }
                    match open.last_mut() {
                        Some(parent) => parent.children.push(element),
                        None => return Some(element),
                    }
                }
                Token::Text { text } => {
                    open.last_mut()
                        .into_iter()
                        .for_each(|element| element.text += &unescaped(&text));
                }
                Token::Cdata { text, .. } => open
                    .last_mut()
                    .into_iter()
                    .for_each(|element| element.text += &text),
                // Entities that a document declares itself are refused with the document.
                Token::DtdStart { .. }
                | Token::EmptyDtd { .. }
                | Token::EntityDeclaration { .. } => return None,
                _ => {}
            }
        }

        None
    }

    /// Returns the child of a name.
    #[must_use]
    pub fn child(&self, name: &str) -> Option<&Element> {
        self.children.iter().find(|child| child.name == name)
    }

    /// Returns the text of a child.
    #[must_use]
    pub fn text_of(&self, name: &str) -> Option<&str> {
        self.child(name).map(|child| child.text.as_str())
    }

    /// Returns the items of a child that is a list; none where there is no such child.
    pub fn list(&self, name: &str) -> impl Iterator<Item = &Element> {
        let children = self
            .child(name)
            .map_or(&[][..], |child| child.children.as_slice());
        children
            .iter()
            .filter(|item| matches!(item.name.as_str(), "item" | "member"))
    }

    /// Returns the items of a child that is a list, where the service gives them a name of their
    /// own, as RDS does; none where there is no such child.
    pub fn items<'e>(&'e self, list: &str, item: &'e str) -> impl Iterator<Item = &'e Element> {
        let children = self
            .child(list)
            .map_or(&[][..], |child| child.children.as_slice());
        children.iter().filter(move |child| child.name == item)
    }

    /// Returns the number or time in a child; `None` where there is none.
    ///
    /// # Errors
    /// The child has another text.
    pub fn value_of<T: FromStr>(&self, name: &'static str) -> Result<Option<T>, Malformed> {
        let text = self
            .text_of(name)
            .map(str::trim)
            .filter(|text| !text.is_empty());
        text.map(|text| text.parse().map_err(|_| Malformed { element: name }))
            .transpose()
    }

    /// Returns a count in a child; `None` where there is none, or none that counts anything.
    ///
    /// # Errors
    /// The child is no number.
    pub fn count_of(&self, name: &'static str) -> Result<Option<u64>, Malformed> {
        let number: Option<i64> = self.value_of(name)?;
        Ok(number.and_then(|number| u64::try_from(number).ok()))
    }

    /// Returns the time in a child; `None` where there is none.
    ///
    /// # Errors
    /// The child has another text.
    pub fn time_of(&self, name: &'static str) -> Result<Option<Timestamp>, Malformed> {
        self.value_of(name)
    }
}

fn unescaped(text: &str) -> String {
    if !text.contains('&') {
        return text.to_owned();
    }

    let mut out = String::with_capacity(text.len());
    let mut rest = text;

    while let Some((before, after)) = rest.split_once('&') {
        out.push_str(before);
        let entity = after
            .split_once(';')
            .and_then(|(name, left)| Some((entity(name)?, left)));
        match entity {
            Some((letter, left)) => {
                out.push(letter);
                rest = left;
            }
            None => {
                out.push('&');
                rest = after;
            }
        }
    }

    out.push_str(rest);
    out
}

fn entity(name: &str) -> Option<char> {
    match name {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix('x') {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code)
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn root(text: &str) -> Element {
        Element::read(text).unwrap()
    }

    #[test]
    fn a_list_has_one_item_or_many_or_none() {
        let ids = |text: &str| -> Vec<String> {
            root(text)
                .list("set")
                .filter_map(|item| item.text_of("id"))
                .map(str::to_owned)
                .collect()
        };
        assert_eq!(ids("<r><set><item><id>a</id></item></set></r>"), ["a"]);

        assert_eq!(
            ids("<r><set><item><id>a</id></item><item><id>b</id></item></set></r>"),
            ["a", "b"]
        );
        assert_eq!(
            ids("<r><set><member><id>a</id></member><other/></set></r>"),
            ["a"]
        );

        for none in [
            "<r/>",
            "<r><set/></r>",
            "<r><set>text</set></r>",
            "<r><other><item/></other></r>",
        ] {
            assert_eq!(ids(none), [""; 0], "{none}");
        }
    }

    #[test]
    fn values_are_read_or_refused_by_name() {
        let answer = root(
            "<a:r xmlns:a=\"x\"><n> 8 </n><m>-1</m><e/><t>2026-01-01T00:00:00.000Z</t><x>&lt;n&gt;7&lt;/n&gt;</x></a:r>",
        );
        assert_eq!(answer.name, "r");
        assert_eq!(answer.value_of::<u32>("n"), Ok(Some(8)));
        assert_eq!(
            (answer.count_of("n"), answer.count_of("m")),
            (Ok(Some(8)), Ok(None))
        );
        assert_eq!(
            (answer.value_of::<u32>("e"), answer.value_of::<u32>("none")),
            (Ok(None), Ok(None))
        );
        assert_eq!(
            answer.time_of("t").unwrap().unwrap().as_second(),
            1_767_225_600
        );
        // Text that looks like markup stays text.
        assert_eq!(answer.text_of("x"), Some("<n>7</n>"));
        assert_eq!(answer.count_of("x"), Err(Malformed { element: "x" }));
        assert_eq!(answer.time_of("n"), Err(Malformed { element: "n" }));
    }

    #[test]
    fn what_is_no_document_is_refused() {
        for text in [
            "",
            "{}",
            "<r>",
            "<a></b>x",
            "<!DOCTYPE r [<!ENTITY e \"x\">]><r>&e;</r>",
            &"<a>".repeat(1_000),
        ] {
            assert_eq!(Element::read(text), None, "{text}");
        }
        assert_eq!(
            root("<r><![CDATA[<b>]]>&#65;&#x42;&unknown;</r>").text,
            "<b>AB&unknown;"
        );
    }
}
