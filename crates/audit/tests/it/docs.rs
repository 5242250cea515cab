//! The documents are true: every query in them is read, and the example of canonical bytes is what
//! comes out.

use std::path::PathBuf;

use reeve_audit::query::Query;
use reeve_audit::{Draft, Submitter, SubmitterType, parse_instant};

fn document(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../docs")
        .join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The contents of the fenced blocks of one language.
fn blocks(document: &str, language: &str) -> Vec<String> {
    let open = format!("```{language}\n");
    document
        .split(&open)
        .skip(1)
        .filter_map(|rest| rest.split_once("```"))
        .map(|(block, _)| block.to_owned())
        .collect()
}

#[test]
fn every_query_is_read() {
    let text = document("query-language.md");
    let queries: Vec<_> = blocks(&text, "query")
        .iter()
        .flat_map(|block| block.lines().map(str::to_owned).collect::<Vec<_>>())
        .collect();
    assert!(queries.len() > 40, "{}", queries.len());

    for query in queries {
        let read = Query::parse(&query).unwrap_or_else(|e| panic!("{query}: {e}"));
        assert_eq!(
            Query::parse(&read.to_string()).as_ref(),
            Ok(&read),
            "{query}"
        );
    }
}

#[test]
fn every_wrong_query_is_refused_as_documented() {
    let text = document("query-language.md");
    let table = text
        .split("| query | position | message | hint |\n")
        .nth(1)
        .unwrap();
    let rows: Vec<_> = table
        .lines()
        .skip(1)
        .take_while(|line| line.starts_with('|'))
        .collect();
    assert!(rows.len() >= 6);

    for row in rows {
        let cells: Vec<_> = row.split('|').map(str::trim).collect();
        let error = Query::parse(cells[1].trim_matches('`')).expect_err(row);
        assert_eq!(
            [
                error.position.to_string().as_str(),
                &error.message,
                error.hint.as_deref().unwrap_or("")
            ],
            cells[2..5],
            "{row}"
        );
    }
}

#[test]
fn the_canonical_example_is_true() {
    let text = document("formats/entry.md");
    let sent = &blocks(&text, "json")[0];
    let draft = Draft::from_bytes(
        sent.as_bytes(),
        parse_instant("2026-11-20T10:00:05.250Z").unwrap(),
    )
    .unwrap();

    let token = Submitter {
        id: Some("u-7".into()),
        email: Some("ci@example.com".into()),
        ip_address: "10.0.0.9".parse().ok(),
        token_id: Some("t-3".into()),
        token_name: Some("ci".into()),
        ..Submitter::new(SubmitterType::Token)
    };

    let draft = Draft::submitted_by(vec![draft], &token.into())
        .unwrap()
        .remove(0);
    assert_eq!(
        String::from_utf8(draft.canonical).unwrap(),
        blocks(&text, "canonical")[0].replace('\n', "")
    );
    assert_eq!(
        hex::encode(draft.claim_digest),
        blocks(&text, "digest")[0].trim()
    );
}
