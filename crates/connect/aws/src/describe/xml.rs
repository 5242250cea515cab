//! XML answers as JSON, without a schema.
//!
//! An element with elements inside is an object; one whose children are all `item` or `member`, or
//! whose name is a plural of one repeated child, is a list, so that a list of one element has the
//! form of a list of many. `true` and `false` are booleans; numbers stay text, because account
//! numbers have leading zeros.

use std::collections::BTreeSet;

use reeve_connect_aws_ec2::Element;
use serde_json::{Map, Value};

/// Returns the content of the root element; `None` for text that is no XML.
pub(super) fn read(text: &str) -> Option<Value> {
    Element::read(text).map(value)
}

/// Returns an element as a description has it.
pub(crate) fn value(element: Element) -> Value {
    let Some(first) = element.children.first().map(|child| child.name.clone()) else {
        return match element.text.trim() {
            "" if is_list_name(&element.name) => Value::Array(Vec::new()),
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            _ => Value::String(element.text),
        };
    };

    let alike = element.children.iter().all(|child| child.name == first);
    if alike
        && first != "entry"
        && (matches!(first.as_str(), "item" | "member")
            || (is_list_name(&element.name) && !is_settings_name(&element.name)))
    {
        return Value::Array(element.children.into_iter().map(value).collect());
    }

    let children: Vec<(String, Value)> = element
        .children
        .into_iter()
        .map(|child| (child.name.clone(), value(child)))
        .collect();

    if first == "entry" && alike {
        let pairs = children
            .iter()
            .map(|(_, value)| Some((value.get("key")?.as_str()?, value.get("value")?)));
        if let Some(pairs) = pairs.collect::<Option<Vec<_>>>() {
            return Value::Object(
                pairs
                    .into_iter()
                    .map(|(key, value)| (key.to_owned(), value.clone()))
                    .collect(),
            );
        }
    }

    let mut members: Map<String, Value> = Map::new();
    let mut repeated = BTreeSet::new();

    for (name, value) in children {
        match members.get_mut(&name) {
            None => _ = members.insert(name, value),
            Some(Value::Array(values)) if repeated.contains(&name) => values.push(value),
            Some(first) => {
                *first = Value::Array(vec![first.take(), value]);
                repeated.insert(name);
            }
        }
    }

    Value::Object(members)
}

/// Returns `true` for names of elements that hold settings by their names, also where there is one
/// alone: `metadataOptions`.
fn is_settings_name(name: &str) -> bool {
    name.ends_with("Options") && name != "Options"
}

/// Plurals and lists by name. `Status` and `Address` hold text and never come here with children.
fn is_list_name(name: &str) -> bool {
    name.ends_with("Set")
        || name.ends_with("List")
        || (name.ends_with('s') && !name.ends_with("ss") && !name.ends_with("us"))
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
        check(
            "<r><volumeSet><item><id>a</id></item></volumeSet></r>",
            json!({ "volumeSet": [{ "id": "a" }] }),
        );
        check("<r><volumeSet/></r>", json!({ "volumeSet": [] }));
        check(
            "<r><DBInstances><DBInstance><x>1</x></DBInstance></DBInstances></r>",
            json!({ "DBInstances": [{ "x": "1" }] }),
        );
        check(
            "<r><Users><member>a</member><member>b</member></Users></r>",
            json!({ "Users": ["a", "b"] }),
        );
        check(
            "<r><Rule><a>1</a></Rule><Rule><a>2</a></Rule><b/></r>",
            json!({ "Rule": [{ "a": "1" }, { "a": "2" }], "b": "" }),
        );
        check(
            "<r><Attributes><entry><key>a</key><value>1</value></entry></Attributes></r>",
            json!({ "Attributes": { "a": "1" } }),
        );
        check(
            "<r><metadataOptions><httpEndpoint>disabled</httpEndpoint></metadataOptions>\
             <enclaveOptions><enabled>false</enabled></enclaveOptions></r>",
            json!({ "metadataOptions": { "httpEndpoint": "disabled" }, "enclaveOptions": { "enabled": false } }),
        );
        check(
            "<r><Options><Option><x>1</x></Option></Options></r>",
            json!({ "Options": [{ "x": "1" }] }),
        );
        check(
            "<r><on>true</on><account>012</account></r>",
            json!({ "on": true, "account": "012" }),
        );
    }

    #[test]
    fn text_is_unescaped_and_foreign_documents_are_refused() {
        check(
            "<?xml version=\"1.0\"?><r xmlns=\"x\"><a>&lt;&#65;&#x42;&amp; &unknown; c</a></r>",
            json!({ "a": "<AB& &unknown; c" }),
        );
        check("<r><a><![CDATA[<b>]]></a></r>", json!({ "a": "<b>" }));

        for text in [
            "",
            "{}",
            "<r>",
            "<a></b>x",
            "<!DOCTYPE r [<!ENTITY e \"x\">]><r>&e;</r>",
            &"<a>".repeat(1_000),
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    use proptest::prelude::*;

    /// Values as an answer of AWS has them, with the names of their members: objects, lists named
    /// as such, texts.
    fn member() -> impl Strategy<Value = (String, Value)> {
        let text = "[ -~\u{e9}\u{20ac}]{0,12}".prop_filter("a boolean", |text| {
            !["true", "false"].contains(&text.trim())
        });
        let leaf = ("[a-d]{1,3}x", text).prop_map(|(name, text)| (name, Value::String(text)));
        leaf.prop_recursive(5, 60, 6, |inner| {
            let object = ("[a-d]{1,3}x", prop::collection::vec(inner.clone(), 2..6))
                .prop_filter_map("of one member", |(name, members)| {
                    let members: Map<String, Value> = members.into_iter().collect();
                    (members.len() > 1).then_some((name, Value::Object(members)))
                });
            let list = ("[a-d]{1,3}Set", prop::collection::vec(inner, 1..5));
            let list = list.prop_map(|(name, items)| {
                (name, items.into_iter().map(|(_, item)| item).collect())
            });
            prop_oneof![object, list]
        })
    }

    fn printed(name: &str, value: &Value, out: &mut String) {
        out.push_str(&format!("<{name}>"));
        match value {
            Value::Object(members) => members
                .iter()
                .for_each(|(name, value)| printed(name, value, out)),
            Value::Array(items) => items.iter().for_each(|item| printed("item", item, out)),
            Value::String(text) => {
                out.push_str(
                    &text
                        .replace('&', "&amp;")
                        .replace('<', "&lt;")
                        .replace('>', "&#x3e;"),
                );
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

        /// An answer that breaks off, or whose bytes were changed on the way, is refused or read as
        /// something else.
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
