//! Spellings of operations. Clouds write `DeleteSnapshot`, Reeve and many programs
//! `delete_snapshot`: a rule that knows one of them would miss the other.

use super::ast::{Expr, Match};
use super::column::{FieldPath, QueryColumn};

/// Returns the expression with every condition on an operation widened to the other spelling of
/// that operation. Conditions that compare byte for byte, or by a regular expression, mean what
/// they say and stay.
pub(super) fn any_spelling(expr: Expr) -> Expr {
    match expr {
        Expr::And(inner) => Expr::and(inner.into_iter().map(any_spelling)),
        Expr::Or(inner) => Expr::or(inner.into_iter().map(any_spelling)),
        Expr::Not(inner) => Expr::negate(any_spelling(*inner)),
        Expr::Field {
            field: FieldPath::Column(QueryColumn::ActionOperation),
            op,
        } => {
            let other = match &op {
                Match::Exact(text) => other_spelling(text).map(Match::Exact),
                Match::Prefix(text) => other_spelling(text).map(Match::Prefix),
                _ => None,
            };
            let spelled = std::iter::once(op).chain(other);
            Expr::or(spelled.map(|op| Expr::field(QueryColumn::ActionOperation, op)))
        }
        other => other,
    }
}

/// Returns `delete_db_instance` for `DeleteDBInstance`, and `deletedbinstance` (texts compare
/// case-blind) for `delete_db_instance`; `None` for anything that is not an identifier of several
/// words.
fn other_spelling(text: &str) -> Option<String> {
    if text.is_empty() || !text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        return None;
    }

    let other = if text.contains('_') {
        text.replace('_', "")
    } else {
        snake_case(text)
    };

    (!other.is_empty() && !other.eq_ignore_ascii_case(text)).then_some(other)
}

/// A word begins at a capital after a small letter or digit, and at the last capital of several
/// (`DBInstance`: `db_instance`).
fn snake_case(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut snake = String::with_capacity(text.len() + 8);

    for (at, byte) in bytes.iter().enumerate() {
        let before = at.checked_sub(1).map(|at| bytes[at]);
        let begins = byte.is_ascii_uppercase()
            && before.is_some_and(|before| {
                !before.is_ascii_uppercase()
                    || bytes.get(at + 1).is_some_and(u8::is_ascii_lowercase)
            });
        if begins {
            snake.push('_');
        }
        snake.push(byte.to_ascii_lowercase() as char);
    }

    snake
}

#[cfg(test)]
mod tests {
    use super::super::Query;
    use super::*;

    #[test]
    fn operations_have_two_spellings() {
        for (text, other) in [
            (
                "AuthorizeSecurityGroupIngress",
                Some("authorize_security_group_ingress"),
            ),
            ("DeleteDBInstance", Some("delete_db_instance")),
            ("CreateSAMLProvider", Some("create_saml_provider")),
            ("delete_snapshot", Some("deletesnapshot")),
            ("set_desired_capacity", Some("setdesiredcapacity")),
            ("login", None),
            ("alert.disable", None),
            ("Microsoft.Compute/virtualMachines/write", None),
        ] {
            assert_eq!(other_spelling(text).as_deref(), other, "{text}");
        }
    }

    #[test]
    fn a_query_of_any_spelling_finds_both_and_nothing_else() {
        let finds = |query: &str, operation: &str| {
            let entry = crate::Entry::new(crate::EventType::from_static("api.call")).with_action(
                operation,
                crate::ActionStatus::Success,
                crate::ActionMethod::Api,
            );
            Query::parse(query).unwrap().any_spelling().matches(
                &entry,
                entry.timestamp,
                entry.timestamp,
            )
        };

        for query in [
            "operation:DeleteSnapshot",
            "operation:delete_snapshot",
            "operation:(StopLogging OR delete_snap*)",
        ] {
            assert!(
                finds(query, "DeleteSnapshot") && finds(query, "delete_snapshot"),
                "{query}"
            );
            assert!(!finds(query, "delete_volume"), "{query}");
        }

        assert!(!finds("-operation:DeleteSnapshot", "delete_snapshot"));
        assert!(
            !finds("operation:=DeleteSnapshot", "delete_snapshot"),
            "byte for byte"
        );
        assert!(finds(
            "operation:DeactivateAccessKey*",
            "deactivate_access_key"
        ));
    }
}
