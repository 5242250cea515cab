//! Every value of a tree with the names that lead to it, policies and other trees that stand as
//! text inside it included.

use reeve_audit::{Json, json};

use super::{any_case, condition};

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
    /// It is in a statement whose conditions decide who is meant by everybody.
    pub(super) narrowed: bool,
    /// It is under a name by which something is taken away, as `launchPermission.remove` or
    /// `valuesToRemove`.
    pub(super) taken: bool,
}

/// Position of a value in the parameters.
#[derive(Clone, Copy, Default)]
struct At<'a> {
    above: &'a str,
    name: &'a str,
    narrowed: bool,
    taken: bool,
}

/// Calls `visit` for every value that is not an array or object.
pub(super) fn each(tree: &Json, visit: &mut dyn FnMut(&Leaf<'_>)) {
    walk(tree, At::default(), DEEPEST, &mut MOST.clone(), visit);
}

fn walk(tree: &Json, at: At<'_>, depth: usize, left: &mut usize, visit: &mut dyn FnMut(&Leaf<'_>)) {
    if *left == 0 || depth == 0 {
        return;
    }
    match tree {
        Json::Object(members) => {
            let narrowed = at.narrowed || condition::narrows(tree);
            let operation = any_case(tree, "operationType")
                .and_then(Json::as_str)
                .unwrap_or_default();
            let taken = at.taken || takes_away(&operation.to_ascii_lowercase());
            for (key, value) in members.iter() {
                let key = key.to_ascii_lowercase();
                // Names that only say that there is a list tell nothing.
                let inner = if matches!(key.as_str(), "items" | "item" | "member" | "value") {
                    At {
                        narrowed,
                        taken,
                        ..at
                    }
                } else {
                    At {
                        above: at.name,
                        name: &key,
                        narrowed,
                        taken: taken || takes_away(&key),
                    }
                };
                walk(value, inner, depth - 1, left, visit);
            }
        }
        Json::Array(items) => items
            .iter()
            .for_each(|item| walk(item, at, depth - 1, left, visit)),
        leaf => {
            *left -= 1;
            visit(&Leaf {
                name: at.name,
                above: at.above,
                value: leaf,
                narrowed: at.narrowed,
                taken: at.taken,
            });
            if let Some(inner) = embedded(leaf) {
                walk(&inner, at, depth - 1, left, visit);
            }
        }
    }
}

/// Returns `true` for a name, in lower case, under which stands what is taken away.
fn takes_away(name: &str) -> bool {
    matches!(name, "remove" | "revoke") || name.ends_with("toremove") || name.ends_with("torevoke")
}

/// A tree that stands as text.
fn embedded(leaf: &Json) -> Option<Json> {
    let text = leaf.as_str()?.trim_start();
    let tree = text.starts_with(['{', '[']) && text.len() <= LONGEST_TEXT;
    tree.then(|| json::parse(text.trim_end().as_bytes()).ok())
        .flatten()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn leaves_have_their_names() {
        let tree = json::parse(
            br#"{"a":{"Items":[{"B":1}]},"policy":"{\"Statement\":[{\"Effect\":\"Allow\"}]}"}"#,
        )
        .unwrap();
        let mut seen = Vec::new();
        each(&tree, &mut |leaf| {
            seen.push(format!("{}.{}", leaf.above, leaf.name))
        });
        assert_eq!(seen, ["a.b", ".policy", "statement.effect"]);
    }

    #[test]
    fn leaves_under_a_removal_are_taken() {
        for (tree, expect) in [
            (
                r#"{"launchPermission":{"remove":{"items":[{"group":"all"}]}}}"#,
                [true].as_slice(),
            ),
            (
                r#"{"launchPermission":{"add":{"items":[{"group":"all"}]}}}"#,
                &[false],
            ),
            (
                r#"{"valuesToAdd":["1"],"valuesToRemove":["2"]}"#,
                &[false, true],
            ),
            (
                r#"{"operationType":"remove","groups":["all"]}"#,
                &[true, true],
            ),
            (r#"{"removeSource":"x"}"#, &[false]),
        ] {
            let mut taken = Vec::new();
            each(&json::parse(tree.as_bytes()).unwrap(), &mut |leaf| {
                taken.push(leaf.taken)
            });
            assert_eq!(taken, expect, "{tree}");
        }
    }
}
