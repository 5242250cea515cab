//! `docs/event-types.md`, generated from the catalogue.

use std::fmt::Write as _;

use super::{Area, COMMON_FIELDS, EventKind, Source, all};

const OPENING: &str = "\
# Event types

Generated from the catalogue in `crates/audit/src/events`; do not edit. A test holds it up to date:
`REEVE_UPDATE=1 cargo test -p reeve-audit event_types` rewrites it. `GET /api/v1/audit-logs/event-types` serves the same list.

Names are `category.operation`; `authentication.*` finds a whole category. API clients may append entries of any other type, except of
the categories that only Reeve writes: ";

/// Returns the whole page.
pub fn document() -> String {
    let mut page = String::from(OPENING);
    let reserved = crate::entry::RESERVED_CATEGORIES.map(|category| format!("`{category}`"));
    let _ = writeln!(page, "{}.\n", reserved.join(", "));
    let common = COMMON_FIELDS.map(|field| format!("`{field}`"));
    let _ = writeln!(
        page,
        "Each entry of Reeve has {}. The column *fields* names what",
        common.join(", ")
    );

    page.push_str(
        "an entry of the type has besides, where the case provides it.\n\n\
         *Written by*: **Reeve** alone; **Reeve and others**, where `submitted_by` distinguishes them; **others**, which are importers and API\n\
         clients; **not yet**, where Reeve lacks the feature so far.\n\n\
         Changes of Reeve's own state are recorded twice: as `pending` before they are tried, and as `success` or `failed` after\n\
         (`metadata.intent` of the second names the first).\n",
    );

    for area in Area::ALL {
        let _ = write!(
            page,
            "\n## {}\n\n| event type | severity | written by | meaning | fields |\n|---|---|---|---|---|\n",
            area.title()
        );
        for kind in all().filter(|kind| kind.area == area) {
            page.push_str(&row(kind));
        }
    }

    page
}

fn row(kind: &EventKind) -> String {
    let by = match kind.source {
        Source::Reeve => "Reeve",
        Source::Shared => "Reeve and others",
        Source::Others => "others",
        Source::Planned => "not yet",
    };

    let fields: Vec<String> = kind
        .fields
        .iter()
        .map(|field| format!("`{field}`"))
        .collect();

    format!(
        "| `{}` | {} | {by} | {} | {} |\n",
        kind.name,
        kind.severity.as_str(),
        kind.meaning,
        fields.join(", ")
    )
}
