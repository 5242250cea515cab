//! No decision of the engine or of its vocabulary hangs on a sentence: what decides is typed, words
//! are for people.

use std::path::{Path, PathBuf};

/// Files that read text of others by its form: tags, platforms, sizes, keys, regions and ARNs of
/// clouds, marks in the descriptions of EC2's events, and the placeholders of rows of changes.
const READERS: [&str; 8] = [
    "baseline.rs",
    "cause.rs",
    "document.rs",
    "patch.rs",
    "row.rs",
    "size.rs",
    "tag_resource.rs",
    "template.rs",
];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => sources(&path, found),
            false => found.push(path),
        }
    }
}

#[test]
fn no_decision_hangs_on_the_words_of_a_text() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files = Vec::new();
    sources(&crates.join("engine/src"), &mut files);
    sources(&crates.join("recommend/src"), &mut files);
    assert!(
        files.len() > 60,
        "the sources were not found: {}",
        files.len()
    );

    let asks = [
        ".contains(\"",
        ".starts_with(\"",
        ".ends_with(\"",
        ".strip_prefix(\"",
    ];

    let mut found = Vec::new();
    for file in files {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&file).unwrap();
        let code = text.split("#[cfg(test)]").next().unwrap();
        let reads = |line: &&str| {
            asks.iter().any(|ask| line.contains(ask)) && !line.trim_start().starts_with("//")
        };
        if name != "tests.rs" && !READERS.contains(&name.as_str()) {
            found.extend(
                code.lines()
                    .filter(reads)
                    .map(|line| format!("{}: {}", file.display(), line.trim())),
            );
        }
    }

    assert!(
        found.is_empty(),
        "a typed field must decide instead: {found:#?}"
    );
}
