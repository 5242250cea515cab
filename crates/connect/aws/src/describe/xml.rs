//! XML answers as JSON, without a schema.
//!
//! An element with elements inside is an object; one whose children are all `item` or `member`, or whose name is a plural
//! of one repeated child, is a list, so that a list of one element has the form of a list of many. `true` and `false` are
//! booleans; numbers stay text, because account numbers have leading zeros.

use serde_json::{Map, Value};
use xmlparser::{ElementEnd, Token, Tokenizer};

/// Deepest nesting that is read; AWS's answers stay below a quarter of it.
const DEEPEST: usize = 64;

#[derive(Debug)]
struct Element<'x> {
    name: &'x str,
    text: String,
    children: Vec<(&'x str, Value)>,
}

/// Returns the content of the root element; `None` for text that is no XML.
pub(super) fn read(text: &str) -> Option<Value> {
    let mut open: Vec<Element<'_>> = Vec::new();
    for token in Tokenizer::from(text) {
        match token.ok()? {
            Token::ElementStart { local, .. } => {
                if open.len() >= DEEPEST {
                    return None;
                }
                open.push(Element { name: local.as_str(), text: String::new(), children: Vec::new() });
            }
            Token::ElementEnd { end: ElementEnd::Open, .. } => {}
            Token::ElementEnd { end, .. } => {
                let element = open.pop()?;
                if matches!(end, ElementEnd::Close(_, local) if local.as_str() != element.name) {
                    return None;
                }
                let name = element.name;
                let value = closed(element);
                match open.last_mut() {
                    Some(parent) => parent.children.push((name, value)),
                    None => return Some(value),
                }
            }
            Token::Text { text } => open.last_mut().into_iter().for_each(|element| element.text += &unescaped(&text)),
            Token::Cdata { text, .. } => open.last_mut().into_iter().for_each(|element| element.text += &text),
            // Entities that a document declares itself are refused with the document.
            Token::DtdStart { .. } | Token::EmptyDtd { .. } | Token::EntityDeclaration { .. } => return None,
            _ => {}
        }
    }
    None
}

fn closed(element: Element<'_>) -> Value {
    if element.children.is_empty() {
        return match element.text.trim() {
            "" if is_list_name(element.name) => Value::Array(Vec::new()),
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            _ => Value::String(element.text),
        };
    }
    let first = element.children[0].0;
    let alike = element.children.iter().all(|(name, _)| *name == first);
    if alike && first != "entry" && (matches!(first, "item" | "member") || is_list_name(element.name)) {
        return Value::Array(element.children.into_iter().map(|(_, value)| value).collect());
    }
    if first == "entry" && alike {
        let pairs = element.children.iter().map(|(_, value)| Some((value.get("key")?.as_str()?, value.get("value")?)));
        if let Some(pairs) = pairs.collect::<Option<Vec<_>>>() {
            return Value::Object(pairs.into_iter().map(|(key, value)| (key.to_owned(), value.clone())).collect());
        }
    }
    let names: Vec<&str> = element.children.iter().map(|(name, _)| *name).collect();
    let repeats = |name: &str| names.iter().filter(|other| **other == name).count() > 1;
    let mut members: Map<String, Value> = Map::new();
    for (name, value) in element.children {
        match members.get_mut(name) {
            Some(Value::Array(values)) if repeats(name) => values.push(value),
            _ if repeats(name) => _ = members.insert(name.to_owned(), Value::Array(vec![value])),
            _ => _ = members.insert(name.to_owned(), value),
        }
    }
    Value::Object(members)
}

/// Plurals and lists by name. `Status` and `Address` hold text and never come here with children.
fn is_list_name(name: &str) -> bool {
    name.ends_with("Set")
        || name.ends_with("List")
        || (name.ends_with('s') && !name.ends_with("ss") && !name.ends_with("us"))
}

fn unescaped(text: &str) -> String {
    if !text.contains('&') {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('&') {
        out.push_str(before);
        let entity = after.split_once(';').and_then(|(name, left)| Some((entity(name)?, left)));
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
    use super::*;
    use serde_json::json;

    fn check(xml: &str, expect: Value) {
        assert_eq!(read(xml), Some(expect), "{xml}");
    }

    #[test]
    fn elements_become_members_and_lists_stay_lists_whatever_their_length() {
        check("<r><volumeSet><item><id>a</id></item></volumeSet></r>", json!({ "volumeSet": [{ "id": "a" }] }));
        check("<r><volumeSet/></r>", json!({ "volumeSet": [] }));
        check(
            "<r><DBInstances><DBInstance><x>1</x></DBInstance></DBInstances></r>",
            json!({ "DBInstances": [{ "x": "1" }] }),
        );
        check("<r><Users><member>a</member><member>b</member></Users></r>", json!({ "Users": ["a", "b"] }));
        check(
            "<r><Rule><a>1</a></Rule><Rule><a>2</a></Rule><b/></r>",
            json!({ "Rule": [{ "a": "1" }, { "a": "2" }], "b": "" }),
        );
        check(
            "<r><Attributes><entry><key>a</key><value>1</value></entry></Attributes></r>",
            json!({ "Attributes": { "a": "1" } }),
        );
        check("<r><on>true</on><account>012</account></r>", json!({ "on": true, "account": "012" }));
    }

    #[test]
    fn text_is_unescaped_and_foreign_documents_are_refused() {
        check(
            "<?xml version=\"1.0\"?><r xmlns=\"x\"><a>&lt;&#65;&#x42;&amp; &unknown; c</a></r>",
            json!({ "a": "<AB& &unknown; c" }),
        );
        check("<r><a><![CDATA[<b>]]></a></r>", json!({ "a": "<b>" }));
        for text in ["", "{}", "<r>", "<a></b>x", "<!DOCTYPE r [<!ENTITY e \"x\">]><r>&e;</r>", &"<a>".repeat(1_000)] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    use proptest::prelude::*;

    /// Values as an answer of AWS has them, with the names of their members: objects, lists named as such, texts.
    fn member() -> impl Strategy<Value = (String, Value)> {
        let text =
            "[ -~\u{e9}\u{20ac}]{0,12}".prop_filter("a boolean", |text| !["true", "false"].contains(&text.trim()));
        let leaf = ("[a-d]{1,3}x", text).prop_map(|(name, text)| (name, Value::String(text)));
        leaf.prop_recursive(5, 60, 6, |inner| {
            let object = ("[a-d]{1,3}x", prop::collection::vec(inner.clone(), 2..6)).prop_filter_map(
                "of one member",
                |(name, members)| {
                    let members: Map<String, Value> = members.into_iter().collect();
                    (members.len() > 1).then_some((name, Value::Object(members)))
                },
            );
            let list = ("[a-d]{1,3}Set", prop::collection::vec(inner, 1..5));
            let list = list.prop_map(|(name, items)| (name, items.into_iter().map(|(_, item)| item).collect()));
            prop_oneof![object, list]
        })
    }

    fn printed(name: &str, value: &Value, out: &mut String) {
        out.push_str(&format!("<{name}>"));
        match value {
            Value::Object(members) => members.iter().for_each(|(name, value)| printed(name, value, out)),
            Value::Array(items) => items.iter().for_each(|item| printed("item", item, out)),
            Value::String(text) => {
                out.push_str(&text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&#x3e;"));
            }
            _ => {}
        }
        out.push_str(&format!("</{name}>"));
    }

    proptest! {
        #[test]
        fn what_is_printed_is_read_again((name, value) in member()) {
            let mut text = String::new();
            printed(&name, &value, &mut text);
            prop_assert_eq!(read(&format!("<r><first>1</first>{text}</r>")), Some(json!({ "first": "1", name: value })));
        }

        #[test]
        fn no_text_breaks_the_reader(text in "\\PC{0,200}", markup in "[<>/&;!\\[\\]a\"'= -]{0,200}") {
            let _ = read(&text);
            let _ = read(&markup);
            let _ = read(&format!("<r>{markup}</r>"));
        }

        /// An answer that breaks off, or whose bytes were changed on the way, is refused or read as something else.
        #[test]
        fn a_broken_answer_breaks_nothing((name, value) in member(), cut in 0_usize..400, byte in any::<u8>()) {
            let mut text = String::new();
            printed(&name, &value, &mut text);
            let mut bytes = text.into_bytes();
            let at = cut % bytes.len();
            prop_assert_eq!(std::str::from_utf8(&bytes[..at]).ok().and_then(read), None);
            bytes[at] = byte;
            let _ = std::str::from_utf8(&bytes).ok().and_then(read);
        }
    }
}
