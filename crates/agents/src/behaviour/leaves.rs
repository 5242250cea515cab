//! Every value of a tree with the names that lead to it, policies and other trees that stand as text inside it included.

use reeve_audit::{Json, json};

/// Deepest level looked at.
const DEEPEST: usize = 24;
/// Most values looked at; a request with more says enough in the first.
const MOST: usize = 4_000;
/// Longest text that is tried as a tree of its own.
const LONGEST_TEXT: usize = 128 << 10;

/// A value and the two names nearest to it, in lower case.
pub(super) struct Leaf<'a> {
    pub(super) name: &'a str,
    pub(super) above: &'a str,
    pub(super) value: &'a Json,
}

/// Calls `visit` for every value that is not an array or object.
pub(super) fn each(tree: &Json, visit: &mut dyn FnMut(&Leaf<'_>)) {
    walk(tree, ("", ""), DEEPEST, &mut MOST.clone(), visit);
}

fn walk(tree: &Json, (above, name): (&str, &str), depth: usize, left: &mut usize, visit: &mut dyn FnMut(&Leaf<'_>)) {
    if *left == 0 || depth == 0 {
        return;
    }
    match tree {
        Json::Object(members) => {
            for (key, value) in members.iter() {
                let key = key.to_ascii_lowercase();
                // Names that only say that there is a list tell nothing.
                let names = if matches!(key.as_str(), "items" | "item" | "member" | "value") {
                    (above, name)
                } else {
                    (name, &*key)
                };
                walk(value, names, depth - 1, left, visit);
            }
        }
        Json::Array(items) => items.iter().for_each(|item| walk(item, (above, name), depth - 1, left, visit)),
        leaf => {
            *left -= 1;
            visit(&Leaf { name, above, value: leaf });
            if let Some(inner) = embedded(leaf) {
                walk(&inner, (above, name), depth - 1, left, visit);
            }
        }
    }
}

/// A tree that stands as text.
fn embedded(leaf: &Json) -> Option<Json> {
    let text = leaf.as_str()?.trim_start();
    let tree = text.starts_with(['{', '[']) && text.len() <= LONGEST_TEXT;
    tree.then(|| json::parse(text.trim_end().as_bytes()).ok()).flatten()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn leaves_have_their_names() {
        let tree =
            json::parse(br#"{"a":{"Items":[{"B":1}]},"policy":"{\"Statement\":[{\"Effect\":\"Allow\"}]}"}"#).unwrap();
        let mut seen = Vec::new();
        each(&tree, &mut |leaf| seen.push(format!("{}.{}", leaf.above, leaf.name)));
        assert_eq!(seen, ["a.b", ".policy", "statement.effect"]);
    }
}
