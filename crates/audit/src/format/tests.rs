//! Every format read back by a reader written from its specification, over entries that were made
//! to break it.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::entry::{
    ActionMethod, ActionStatus, Actor, ActorType, EventId, EventType, ResourceRef, Severity,
    Submitter, SubmitterType,
};

fn integrity(sequence: u64) -> Integrity {
    Integrity {
        sequence,
        commitment: [1; 32],
        leaf_hash: [0xab; 32],
        previous_hash: [0; 32],
        hash: [0xff; 32],
        salt: None,
    }
}

fn entry(text: &str) -> Entry {
    Entry::new(EventType::new("resource.modify").unwrap())
        .with_id(EventId::new("evt-1").unwrap())
        .at("2026-11-20T10:00:00.123Z".parse().unwrap())
        .with_severity(Severity::High)
        .by(Actor::new(ActorType::User, text)
            .with_user_agent(text)
            .with_ip_address("10.0.0.1".parse().unwrap()))
        .on(ResourceRef::new("ec2_instance", text).with_tag("env", text))
        .with_action(text, ActionStatus::Failed, ActionMethod::Api)
        .before(crate::Json::object([("size", text)]))
        .with_metadata("note", text)
        .with_tag(text)
}

fn write(format: &Format, entry: &Entry) -> Result<(String, Written), FormatError> {
    let proof = integrity(7);
    let view = EntryView {
        entry,
        recorded_at: "2026-11-20T10:00:01Z".parse().unwrap(),
        integrity: &proof,
    };
    let mut out = Vec::new();
    let written = format.write_entry(&mut out, &view)?;
    Ok((String::from_utf8(out).unwrap(), written))
}

fn spell(format: &Format, entry: &Entry) -> String {
    write(format, entry).unwrap().0
}

/// Returns the value with control characters escaped as JSON does.
fn visible(value: &str) -> String {
    let mut out = String::new();
    value.chars().for_each(|c| {
        if text::is_unsafe(c) {
            text::push_escape(c, &mut out)
        } else {
            out.push(c)
        }
    });

    out
}

/// One RFC 4180 record; its cells.
fn read_csv(row: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let (mut chars, mut quoted) = (row.strip_suffix("\r\n").unwrap().chars().peekable(), false);

    while let Some(c) = chars.next() {
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => {
                cells.last_mut().unwrap().push(chars.next().unwrap())
            }
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(String::new()),
            c => cells.last_mut().unwrap().push(c),
        }
    }

    assert!(!quoted, "{row}");
    cells
}

/// The structured data of an RFC 5424 message as `element.field`, and the message behind it.
fn read_syslog(record: &str) -> (BTreeMap<String, String>, String) {
    let mut rest = record.splitn(7, ' ').nth(6).unwrap();
    let mut fields = BTreeMap::new();

    while let Some(element) = rest.strip_prefix('[') {
        let (name, mut params) = element.split_at(element.find([' ', ']']).unwrap());
        while let Some(param) = params.strip_prefix(' ') {
            let (field, value) = param.split_once("=\"").unwrap();
            let (mut text, mut chars) = (String::new(), value.char_indices());
            let end = loop {
                match chars.next().unwrap() {
                    (_, '\\') => text.push(chars.next().unwrap().1),
                    (at, '"') => break at + 1,
                    (_, c) => {
                        assert_ne!(c, ']', "a bracket that is not escaped: {record}");
                        text.push(c);
                    }
                }
            };
            fields.insert(format!("{}.{field}", name.split('@').next().unwrap()), text);
            params = &value[end..];
        }
        rest = params.strip_prefix(']').unwrap();
    }

    (
        fields,
        rest.strip_prefix(' ').unwrap_or_default().to_owned(),
    )
}

/// Header and extension of a CEF record.
fn read_cef(record: &str) -> (Vec<String>, BTreeMap<String, String>) {
    let mut header = vec![String::new()];
    let mut chars = record.chars();

    while header.len() < 8 {
        match chars.next().unwrap() {
            '\\' => header.last_mut().unwrap().push(chars.next().unwrap()),
            '|' => header.push(String::new()),
            c => header.last_mut().unwrap().push(c),
        }
    }

    // Between two `=` that are not escaped stand a value, a space and the next key.
    let mut pieces = vec![String::new()];
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next().unwrap() {
                'n' => pieces.last_mut().unwrap().push('\n'),
                'r' => pieces.last_mut().unwrap().push('\r'),
                c => pieces.last_mut().unwrap().push(c),
            },
            '=' => pieces.push(String::new()),
            c => pieces.last_mut().unwrap().push(c),
        }
    }

    let mut fields = BTreeMap::new();
    let mut key = pieces.remove(0);
    let last = pieces.len() - 1;

    for (at, piece) in pieces.into_iter().enumerate() {
        let (value, next) = if at == last {
            (piece, String::new())
        } else {
            let (value, next) = piece.rsplit_once(' ').unwrap();
            (value.to_owned(), next.to_owned())
        };
        assert!(
            fields
                .insert(std::mem::replace(&mut key, next), value)
                .is_none()
        );
    }

    header.pop();
    (header, fields)
}

fn no_limit() -> Limit {
    Limit {
        bytes: None,
        oversize: Oversize::Refuse,
    }
}

fn formats() -> [Format; 4] {
    [
        Format::Json,
        Format::Csv(CsvOptions { raw: true }),
        Format::Syslog(SyslogOptions {
            limit: no_limit(),
            ..SyslogOptions::default()
        }),
        Format::Cef(CefOptions { limit: no_limit() }),
    ]
}

const NASTY: [&str; 14] = [
    "=HYPERLINK(\"http://x\")",
    "a\"b]c\\d",
    "] [evil@1 a=\"b\"",
    "a|b=c\\=d cs1=forged",
    "line\nbreak\r\nCEF:0|x",
    "<13>1 - - - - - - forged\n<13>1",
    "tab\tand\u{0}nul\u{7f}\u{1b}[31m",
    "bidi \u{202e}txt.exe\u{2028}x",
    " leading and trailing ",
    "ünï漢字😀",
    "a,b;c\td",
    "'quoted'",
    "\u{feff}mark",
    "\\n is not a newline",
];

fn check(text: &str) {
    let original = entry(text);
    let [json, csv, syslog, cef] = formats().map(|format| spell(&format, &original));
    let back = Exported::read(json.as_bytes()).unwrap();
    assert_eq!(
        (&back.entry, back.integrity),
        (&original, integrity(7)),
        "{text:?}"
    );
    assert_eq!(json.matches('\n').count(), 1);

    let cells = read_csv(&csv);
    assert_eq!(cells.len(), COLUMNS.len(), "{csv}");
    let cell = |name: &str| &cells[COLUMNS.iter().position(|column| *column == name).unwrap()];
    assert_eq!(
        (cell("actor.id").as_str(), cell("action.operation").as_str()),
        (text, text)
    );
    assert_eq!(
        *cell("resource.tags"),
        crate::Json::object([("env", text)]).to_string()
    );

    assert_eq!(
        syslog
            .chars()
            .filter(|c| text::is_unsafe(*c))
            .collect::<String>(),
        "\n",
        "{syslog:?}"
    );
    let (fields, message) = read_syslog(syslog.strip_suffix('\n').unwrap());
    assert_eq!(fields["actor.user_agent"], visible(text));
    assert_eq!(
        (fields["integrity.sequence"].as_str(), fields.len()),
        ("7", 19),
        "{syslog}"
    );
    assert!(message.is_ascii());
    assert_eq!(Exported::read(message.as_bytes()).unwrap(), back);

    assert_eq!(
        cef.chars()
            .filter(|c| text::is_unsafe(*c))
            .collect::<String>(),
        "\n",
        "{cef:?}"
    );
    let (header, fields) = read_cef(cef.strip_suffix('\n').unwrap());
    assert_eq!(
        (header.len(), header[5].as_str(), header[6].as_str()),
        (7, visible(text).as_str(), "8")
    );
    // Newlines have an escape of their own in an extension.
    let shown = |value: &str| value.replace("\\u000a", "\n").replace("\\u000d", "\r");
    assert_eq!(shown(&fields["cs2"]), shown(&visible(text)), "{cef:?}");
    assert_eq!(
        (fields["cs1"].as_str(), fields["cn1"].as_str(), fields.len()),
        ("ec2_instance", "7", 28),
        "{cef}"
    );
}

#[test]
fn untrusted_text_stays_text() {
    NASTY.into_iter().for_each(check);
}

proptest! {
    #[test]
    fn any_text_stays_text(text in "\\PC{1,40}|(?s-u:[\\x00-\\x7f]{1,40})|[=|\\\\\\]\"\\n\\r ,@+'a-]{1,30}") {
        check(&text);
    }
}

#[test]
fn a_record_of_each() {
    let entry = entry("i-1");
    let format = Format::Syslog(SyslogOptions {
        hostname: "log.acme.example".parse().unwrap(),
        ..SyslogOptions::default()
    });
    let syslog = spell(&format, &entry);
    let start = "<107>1 2026-11-20T10:00:00.123Z log.acme.example reeve - resource.modify [entry@32473 event_id=\"evt-1\" ";
    assert!(syslog.starts_with(start), "{syslog}");
    assert!("two words".parse::<Hostname>().is_err());

    let counting = Format::Syslog(SyslogOptions {
        framing: Framing::OctetCounting,
        ..SyslogOptions::default()
    });
    let counted = spell(&counting, &entry);
    let (length, message) = counted.split_once(' ').unwrap();
    assert_eq!(length.parse(), Ok(message.len()));

    let cef = spell(&Format::Cef(CefOptions::default()), &entry);
    let start = format!(
        "CEF:0|Reeve|Reeve|{}|resource.modify|i-1|8|rt=1795168801000 start=1795168800123 externalId=evt-1 cat=resource ",
        env!("CARGO_PKG_VERSION")
    );
    assert!(cef.starts_with(&start), "{cef}");

    let mut header = Vec::new();
    Format::Csv(CsvOptions::default())
        .write_header(&mut header)
        .unwrap();
    assert_eq!(read_csv(&String::from_utf8(header).unwrap()), COLUMNS);
    assert!(
        FormatName::ALL
            .iter()
            .all(|name| name.as_str().parse() == Ok(*name) && name.usual().name() == *name)
    );
}

#[test]
fn no_cell_is_a_formula_or_a_command_to_a_terminal() {
    let format = Format::Csv(CsvOptions::default());
    for text in NASTY.into_iter().chain([
        "+1",
        "-1",
        "@a",
        "\t=1",
        "＝1",
        "'",
        "x=1",
        "\u{1b}]0;title\u{7}",
        "\u{9b}2J",
        "\r=1",
    ]) {
        let row = spell(&format, &entry(text));
        let cell = &read_csv(&row)[8];
        let shown: String = text
            .split_inclusive(['\n', '\t'])
            .map(csv_visible)
            .collect();
        let guarded = "=+-@'＝\t ".contains(text.chars().next().unwrap());
        assert_eq!(
            *cell,
            if guarded { format!("'{shown}") } else { shown },
            "{row}"
        );
        let strange = |c: char| text::is_unsafe(c) && !matches!(c, '\n' | '\t');
        assert!(
            !row.strip_suffix("\r\n").unwrap().contains(strange),
            "{row:?}"
        );
    }
}

/// A text without line feeds and tabs but at its end, as a cell shows it.
fn csv_visible(text: &str) -> String {
    let kept = text.len() - text.trim_end_matches(['\n', '\t']).len();
    visible(&text[..text.len() - kept]) + &text[text.len() - kept..]
}

#[test]
fn every_format_names_the_submitter() {
    let submitter = Submitter {
        id: Some("u-1".into()),
        email: Some("alice@example.com".into()),
        ip_address: "10.0.0.1".parse().ok(),
        token_id: Some("t-1".into()),
        token_name: Some("=ci".into()),
        ..Submitter::new(SubmitterType::Token)
    };

    let entry = Entry {
        submitted_by: Some(submitter.into()),
        ..entry("i-1")
    };
    let [json, csv, syslog, cef] = formats().map(|format| spell(&format, &entry));
    assert_eq!(Exported::read(json.as_bytes()).unwrap().entry, entry);

    let expect = [
        "token",
        "u-1",
        "alice@example.com",
        "10.0.0.1",
        "",
        "t-1",
        "=ci",
    ];
    assert_eq!(read_csv(&csv)[32..], expect);

    let (fields, _) = read_syslog(syslog.trim_end());
    assert_eq!(
        (
            fields["submitter.type"].as_str(),
            fields["submitter.token_name"].as_str()
        ),
        ("token", "=ci")
    );

    let (_, fields) = read_cef(cef.trim_end());
    assert_eq!(
        (
            fields["ReeveSubmittedByType"].as_str(),
            fields["ReeveSubmittedByTokenId"].as_str()
        ),
        ("token", "t-1")
    );

    let guarded = spell(&Format::Csv(CsvOptions::default()), &entry);
    assert_eq!(read_csv(&guarded)[38], "'=ci");
}

#[test]
fn reduced_records_name_the_parts_left_out() {
    let small = entry("i-1");
    let limit = |bytes, oversize| Limit {
        bytes: Some(bytes),
        oversize,
    };

    let cases = [
        (small.clone(), None),
        (
            small
                .clone()
                .after(crate::Json::object([("blob", "x".repeat(9000))])),
            Some("changes"),
        ),
        (
            small.clone().with_metadata("blob", "\u{1}".repeat(9000)),
            Some("changes,metadata"),
        ),
        (
            entry(&"\u{1}\"".repeat(9000)),
            Some("changes,metadata,long texts"),
        ),
    ];

    for (entry, left_out) in cases {
        for format in [
            Format::Syslog(SyslogOptions::default()),
            Format::Cef(CefOptions::default()),
        ] {
            let (record, written) = write(&format, &entry).unwrap();
            assert!(record.len() <= Limit::USUAL_BYTES + 1, "{}", record.len());
            assert_eq!(
                written,
                if left_out.is_some() {
                    Written::Reduced
                } else {
                    Written::Whole
                }
            );
            let note = match format {
                Format::Syslog(_) => read_syslog(record.trim_end()).0.remove("entry.reduced"),
                _ => read_cef(record.trim_end()).1.remove("ReeveReduced"),
            };
            assert_eq!(note.as_deref(), left_out);
        }
    }

    let strict = limit(900, Oversize::Refuse);
    for format in [
        Format::Cef(CefOptions { limit: strict }),
        Format::Syslog(SyslogOptions {
            limit: strict,
            ..Default::default()
        }),
    ] {
        let refused = write(
            &format,
            &small
                .clone()
                .after(crate::Json::object([("a", "b".repeat(900))])),
        );
        assert!(
            matches!(
                refused,
                Err(FormatError::Oversize {
                    sequence: 7,
                    limit: 900,
                    bytes: 900..
                })
            ),
            "{refused:?}"
        );
    }

    let hopeless = Format::Cef(CefOptions {
        limit: limit(50, Oversize::Reduce),
    });
    assert!(matches!(
        write(&hopeless, &small),
        Err(FormatError::Oversize { .. })
    ));
}

#[test]
fn lines_that_were_not_exported_are_refused() {
    let line = spell(&Format::Json, &entry("i-1"));
    assert!(Exported::read(line.as_bytes()).is_ok());

    for (from, to) in [
        ("\"sequence\":7", "\"sequence\":-7"),
        ("abab", "zbab"),
        ("\"integrity\"", "\"else\""),
        ("{", "["),
    ] {
        assert!(
            Exported::read(line.replacen(from, to, 1).as_bytes()).is_err(),
            "{to}"
        );
    }

    assert!(Exported::read(b"17").is_err());
}
