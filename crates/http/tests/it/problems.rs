//! Problems: each code has a page, and the page tells its status.

use std::collections::BTreeSet;
use std::path::Path;

use reeve_http::error::Code;

#[test]
fn every_code_has_a_page_and_every_page_a_code() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/errors");
    let mut pages = BTreeSet::new();

    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        if !matches!(name.as_str(), "README" | "index") {
            pages.insert(name);
        }
    }

    let codes: BTreeSet<String> = Code::ALL
        .iter()
        .map(|code| code.describe().0.to_owned())
        .collect();
    assert_eq!(codes.len(), Code::ALL.len(), "two codes share a name");
    assert_eq!(pages, codes);

    for code in Code::ALL {
        let (name, status, _) = code.describe();
        let page = std::fs::read_to_string(folder.join(format!("{name}.md"))).unwrap();
        assert!(
            page.contains(status.as_str()),
            "docs/errors/{name}.md does not name {status}"
        );
    }
}
