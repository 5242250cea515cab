//! The table of kinds that are read: one row each, no code.

mod data;
mod edge;
mod gateways;
mod identity;
mod integration;
mod machines;
mod networks;
mod security;
mod services;
mod stores;
mod workloads;

use super::row::KindRow;

pub(super) use identity::IAM;

/// Parameter and path of the token of the next page, as most services in JSON name them.
const TOKEN: (&str, &str) = ("nextToken", "nextToken");
const CAPITAL_TOKEN: (&str, &str) = ("NextToken", "NextToken");

/// Returns all rows, in the order in which they are read.
pub(super) fn all() -> impl Iterator<Item = &'static KindRow> {
    [
        machines::ROWS,
        networks::ROWS,
        gateways::ROWS,
        data::ROWS,
        identity::ROWS,
        services::ROWS,
        security::ROWS,
        stores::ROWS,
        edge::ROWS,
        workloads::ROWS,
        integration::ROWS,
    ]
    .into_iter()
    .flatten()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use reeve_estate::{Kinds, ResourceKind};

    use super::*;

    #[test]
    fn every_row_is_of_a_kind_that_the_table_of_kinds_has() {
        let mut kinds = BTreeSet::new();
        for row in all() {
            let kind = ResourceKind::parse(row.kind);
            assert!(
                kind.is_some_and(|kind| Kinds::builtin().iter().any(|info| info.kind == kind)),
                "{}",
                row.kind
            );
            assert!(
                kinds.insert((row.kind, row.list.action)),
                "{} twice",
                row.kind
            );
            assert_eq!(row.next.0.is_empty(), row.next.1.is_empty(), "{}", row.kind);
            assert!(row.list.permission.contains(':'), "{}", row.kind);
        }

        for kind in ResourceKind::SPECIFIED {
            assert!(
                kinds.iter().any(|(name, _)| *name == kind.as_str()),
                "{kind} has no reader"
            );
        }
    }

    #[test]
    fn the_page_of_kinds_has_each_row() {
        let page = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/kinds.md");
        let page = std::fs::read_to_string(page).unwrap_or_default();

        for row in all() {
            let line = page
                .lines()
                .find(|line| line.starts_with(&format!("| `{}` |", row.kind)));
            let permissions = row
                .details
                .iter()
                .map(|detail| detail.ask.permission)
                .chain(row.shared.iter().map(|shared| shared.ask.permission))
                .chain([row.list.permission]);
            for permission in permissions {
                let is_named = line.is_some_and(|line| line.contains(&format!("`{permission}`")));
                assert!(is_named, "docs/kinds.md: {} without {permission}", row.kind);
            }
        }
    }

    #[test]
    fn the_page_of_relations_has_each_edge() {
        let page =
            std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/relations.md");
        let page = std::fs::read_to_string(page).unwrap_or_default();
        let listed: BTreeSet<&str> = page.lines().collect();

        for row in all() {
            for (relation, member, _) in row.relations {
                let line = format!("| `{}` | `{relation}` | `{member}` |", row.kind);
                assert!(
                    listed.contains(line.as_str()),
                    "docs/relations.md: no line {line}"
                );
            }
        }
    }
}
