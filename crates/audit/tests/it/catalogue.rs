//! The catalogue of event types: the page is generated from it, and no program of ours writes a
//! name by hand.

use std::path::{Path, PathBuf};

use reeve_audit::events;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn the_page_of_event_types_is_up_to_date() {
    let path = root().join("docs/event-types.md");
    let page = events::document();
    if std::env::var_os("REEVE_UPDATE").is_some() {
        std::fs::write(&path, &page).unwrap();
    }

    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        kept == page,
        "docs/event-types.md is out of date: REEVE_UPDATE=1 cargo test -p reeve-audit event_types writes it anew"
    );
}

/// Crates whose entries are Reeve's own. Connectors name the types of other systems' entries.
const WRITERS: [&str; 8] = [
    "agents",
    "alerts",
    "http",
    "lake",
    "ledger",
    "server",
    "store",
    "connect/notify",
];

#[test]
fn no_event_type_of_the_catalogue_is_spelled_out_where_entries_are_written() {
    let mut read = 0;
    for name in WRITERS {
        let folder = root().join("crates").join(name).join("src");
        // A crate that is vendored or published alone has no neighbours.
        assert!(folder.is_dir(), "{}", folder.display());
        for file in rust_files(&folder) {
            let text = std::fs::read_to_string(&file).unwrap();
            let code = text.split("#[cfg(test)]").next().unwrap_or_default();
            // Examples in the description of the interface are text.
            for (number, line) in code
                .lines()
                .enumerate()
                .filter(|(_, line)| !line.contains("example = "))
            {
                let literal =
                    events::all().find(|kind| line.contains(&format!("\"{}\"", kind.name)));
                assert!(
                    literal.is_none(),
                    "{}:{}: use the constant of reeve_audit::events for {}",
                    file.display(),
                    number + 1,
                    literal.map_or("", |kind| kind.name)
                );
            }
            read += 1;
        }
    }

    assert!(read > 200, "{read} files were read");
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(rust_files(&path));
        } else if path.extension().is_some_and(|end| end == "rs")
            && path.file_stem().is_some_and(|stem| stem != "tests")
        {
            found.push(path);
        }
    }

    found
}
