//! Templates of calls: text in which `${doc.Name}` is the value of a resource's document, written
//! as the place demands: in a form, a path, XML or JSON.

use serde_json::Value;

use super::path;

/// Place into which a value is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TemplatePlace {
    /// Words for people, and values of a form, which is encoded later.
    Plain,
    /// Segment of a path.
    Path,
    /// Text of an element.
    Xml,
    /// Value in a JSON document.
    Json,
}

/// A piece of a template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TemplatePiece<'t> {
    Text(&'t str),
    /// Value at a path of the context.
    Value(&'t str),
    /// The same as the text of a JSON document (`${text:doc.Policy}`).
    TextOf(&'t str),
}

/// Returns the pieces of a template; `None` where a placeholder has no end.
pub(super) fn pieces(template: &str) -> Option<Vec<TemplatePiece<'_>>> {
    let mut found = Vec::new();
    let mut rest = template;

    while let Some((before, after)) = rest.split_once("${") {
        if !before.is_empty() {
            found.push(TemplatePiece::Text(before));
        }
        let (name, left) = after.split_once('}')?;
        found.push(match name.strip_prefix("text:") {
            Some(path) => TemplatePiece::TextOf(path),
            None => TemplatePiece::Value(name),
        });
        rest = left;
    }

    if !rest.is_empty() {
        found.push(TemplatePiece::Text(rest));
    }
    Some(found)
}

/// Returns the paths that the placeholders of a template name.
pub(super) fn paths(template: &str) -> Vec<&str> {
    let pieces = pieces(template).unwrap_or_default();
    pieces
        .into_iter()
        .filter_map(|piece| match piece {
            TemplatePiece::Text(_) => None,
            TemplatePiece::Value(path) | TemplatePiece::TextOf(path) => Some(path),
        })
        .collect()
}

/// Fills a template with the values of a context; `None` if it lacks one.
pub(super) fn filled(template: &str, context: &Value, place: TemplatePlace) -> Option<String> {
    let mut out = String::new();
    for piece in pieces(template)? {
        match piece {
            TemplatePiece::Text(text) => out.push_str(text),
            TemplatePiece::Value(path) => out.push_str(&written(path::get(context, path)?, place)?),
            TemplatePiece::TextOf(path) => {
                let text = path::get(context, path)?.to_string();
                out.push_str(&written(&Value::String(text), place)?);
            }
        }
    }
    Some(out)
}

/// Fills the texts inside a JSON value. A text that is one placeholder alone becomes its value.
pub(super) fn filled_value(template: &Value, context: &Value) -> Option<Value> {
    match template {
        Value::String(text) => match pieces(text)?.as_slice() {
            [TemplatePiece::Value(path)] => path::get(context, path).cloned(),
            _ => filled(text, context, TemplatePlace::Plain).map(Value::String),
        },
        Value::Array(items) => items
            .iter()
            .map(|item| filled_value(item, context))
            .collect::<Option<_>>()
            .map(Value::Array),
        Value::Object(members) => members
            .iter()
            .map(|(name, value)| Some((name.clone(), filled_value(value, context)?)))
            .collect::<Option<_>>()
            .map(Value::Object),
        other => Some(other.clone()),
    }
}

fn written(value: &Value, place: TemplatePlace) -> Option<String> {
    if place == TemplatePlace::Json {
        return Some(value.to_string());
    }
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Bool(value) => value.to_string(),
        Value::Number(number) => number.to_string(),
        // Only JSON has a form for the others.
        Value::Null | Value::Array(_) | Value::Object(_) => return None,
    };

    Some(match place {
        TemplatePlace::Path => escaped(&text),
        TemplatePlace::Xml => text
            .replace('&', "&amp;")
            .replace('<', "&lt;")
            .replace('>', "&gt;"),
        TemplatePlace::Plain | TemplatePlace::Json => text,
    })
}

/// A segment of a path with everything but unreserved characters percent-encoded (RFC 3986).
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
                out.push(char::from(byte));
            }
            other => out.push_str(&format!("%{other:02X}")),
        }
    }
    out
}

/// Adds the fields that a parameter of a form has: one for a scalar, one for each leaf of a list or
/// an object. EC2 numbers items (`IpPermissions.1.IpProtocol`, names as in its XML but for the
/// first letter); the other services of AWS write `.member.` before the number, unless the
/// parameter's name ends in `[]`: where the API names the items otherwise, the name has that.
pub(super) fn fields(
    name: &str,
    value: &Value,
    is_ec2: bool,
    into: &mut Vec<(String, String)>,
) -> Option<()> {
    match value {
        Value::Array(items) => {
            let (name, item) = match name.strip_suffix("[]") {
                Some(name) => (name, ""),
                None if is_ec2 => (name, ""),
                None => (name, "member."),
            };
            for (at, inner) in items.iter().enumerate() {
                fields(&format!("{name}.{item}{}", at + 1), inner, is_ec2, into)?;
            }
        }
        Value::Object(members) => {
            for (key, inner) in members {
                fields(&format!("{name}.{}", capital(key)), inner, is_ec2, into)?;
            }
        }
        scalar => into.push((name.to_owned(), written(scalar, TemplatePlace::Plain)?)),
    }
    Some(())
}

fn capital(name: &str) -> String {
    let mut letters = name.chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::json;

    use super::*;

    #[test]
    fn values_cannot_leave_their_place() {
        let context = json!({ "doc": { "Name": "a/b <&> \"c\"", "n": 7, "list": ["x"] } });
        let fill = |template, place| filled(template, &context, place);
        assert_eq!(
            fill("/${doc.Name}?acl", TemplatePlace::Path).as_deref(),
            Some("/a%2Fb%20%3C%26%3E%20%22c%22?acl")
        );
        assert_eq!(
            fill("<N>${doc.Name}</N>", TemplatePlace::Xml).as_deref(),
            Some("<N>a/b &lt;&amp;&gt; \"c\"</N>")
        );
        assert_eq!(
            fill(
                r#"{"N": ${doc.Name}, "l": ${doc.list}, "t": ${text:doc.list}}"#,
                TemplatePlace::Json
            )
            .as_deref(),
            Some(r#"{"N": "a/b <&> \"c\"", "l": ["x"], "t": "[\"x\"]"}"#)
        );
        assert_eq!(fill("${doc.missing}", TemplatePlace::Plain), None);
        assert_eq!(fill("${doc.list}", TemplatePlace::Xml), None);
        assert_eq!(fill("${doc.Name", TemplatePlace::Plain), None);
        assert_eq!(paths("${a.b}-${text:c}"), ["a.b", "c"]);
    }

    #[test]
    fn lists_and_objects_become_fields_of_a_form() {
        let rules = json!([{ "ipProtocol": "tcp", "ipRanges": [{ "cidrIp": "0.0.0.0/0" }] }]);
        let mut found = Vec::new();
        fields("IpPermissions", &rules, true, &mut found).unwrap();
        let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(
            names,
            [
                "IpPermissions.1.IpProtocol",
                "IpPermissions.1.IpRanges.1.CidrIp"
            ]
        );

        let mut found = Vec::new();
        fields("Groups", &json!(["a"]), false, &mut found).unwrap();
        fields("Values.Value[]", &json!(["b"]), false, &mut found).unwrap();
        let expect = [("Groups.member.1", "a"), ("Values.Value.1", "b")];
        assert_eq!(
            found,
            expect.map(|(name, value)| (name.to_owned(), value.to_owned()))
        );
    }
}
