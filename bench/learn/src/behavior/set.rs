//! The labelled events, with what would give them away blanked.

use std::collections::BTreeMap;
use std::fs;

use anyhow::{Context as _, Result};
use reeve_audit::{Entry, Json, json};
use reeve_connect_cloudtrail::{CloudtrailRecord, map_record};

use crate::data::Data;

/// Ground truth of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Label {
    /// Of a recording of an attack technique.
    Technique,
    /// A rule's test that must alert.
    Suspicious,
    /// A rule's test that must not.
    Benign,
}

/// Events that belong together: a technique's file, or one labelled event.
pub(super) struct Unit {
    pub(super) name: String,
    /// Technique of the file, or rule of the event.
    pub(super) group: String,
    pub(super) label: Label,
    pub(super) events: Vec<Entry>,
}

/// Attributes that are hidden.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Blank {
    /// Hides the user agents alone.
    Agents,
    /// And account numbers, addresses, and names by which the recordings give themselves away.
    Names,
    /// User agents, regions and addresses are left out.
    Places,
    /// User agents and identifiers of keys are left out: whether a key expires is not told.
    Keys,
    /// User agents, and all events are of one second.
    Times,
}

/// All units in the order of their names.
pub(super) fn load(data: &Data, blank: Blank) -> Result<Vec<Unit>> {
    let mut units = techniques(data, blank)?;
    units.extend(labelled(data, blank)?);
    Ok(units)
}

fn techniques(data: &Data, blank: Blank) -> Result<Vec<Unit>> {
    let folder = data.path("cloudtrail/stratus");
    let mut files: Vec<_> = fs::read_dir(&folder)
        .with_context(|| format!("{} cannot be read", folder.display()))?
        .filter_map(|item| Some(item.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|ending| ending == "json"))
        .collect();
    files.sort();
    let mut units = Vec::new();

    for path in files {
        let name = path
            .file_stem()
            .map(|stem| stem.to_string_lossy().into_owned())
            .unwrap_or_default();
        let text = fs::read(&path).with_context(|| format!("{} cannot be read", path.display()))?;
        let parsed = json::parse(&text).with_context(|| path.display().to_string())?;
        let records = parsed.as_array().map(<[Json]>::to_vec).unwrap_or_default();
        let events = records
            .into_iter()
            .map(|record| entry(record, blank))
            .collect::<Result<_>>()?;
        units.push(Unit {
            group: name.clone(),
            name,
            label: Label::Technique,
            events,
        });
    }

    Ok(units)
}

fn labelled(data: &Data, blank: Blank) -> Result<Vec<Unit>> {
    let path = data.path("cloudtrail/labelled_events.jsonl");
    let text =
        fs::read_to_string(&path).with_context(|| format!("{} cannot be read", path.display()))?;
    let mut units = Vec::new();

    for (at, line) in text.lines().enumerate() {
        let row = json::parse(line.as_bytes())
            .with_context(|| format!("{} line {}", path.display(), at + 1))?;
        let group = row
            .get("rule")
            .and_then(Json::as_str)
            .unwrap_or_default()
            .to_owned();
        let suspicious = row
            .get("suspicious")
            .and_then(Json::as_bool)
            .unwrap_or(false);
        // Some rules' tests are of no record but of a correlation of several, and have no event.
        let Some(event) = row.get("event").filter(|event| !event.is_empty()) else {
            continue;
        };
        let events = vec![entry(event.clone(), blank)?];
        let label = if suspicious {
            Label::Suspicious
        } else {
            Label::Benign
        };
        units.push(Unit {
            name: format!("{group} #{}", at + 1),
            group,
            label,
            events,
        });
    }

    Ok(units)
}

fn entry(record: Json, blank: Blank) -> Result<Entry> {
    let record = match blank {
        Blank::Agents => without(record, &["useragent"]),
        Blank::Places => without(record, &["useragent", "awsregion", "sourceipaddress"]),
        Blank::Keys => without(record, &["useragent", "accesskeyid"]),
        Blank::Times => at_once(without(record, &["useragent"])),
        Blank::Names => {
            let text = Names::default().hide(&without(record, &["useragent"]).to_string());
            json::parse(text.as_bytes()).context("a blanked record")?
        }
    };
    Ok(map_record(CloudtrailRecord::from_json(record)?))
}

/// A record without members of these names, at its top and in what tells who did it.
fn without(mut record: Json, left_out: &[&str]) -> Json {
    if let Json::Object(members) = &mut record {
        let all: Vec<String> = members.iter().map(|(name, _)| name.to_owned()).collect();
        for name in all {
            if left_out.contains(&&*name.to_ascii_lowercase()) {
                members.remove(&name);
            } else if name == "userIdentity"
                && let Some(identity) = members.get(&name)
            {
                let identity = without(identity.clone(), left_out);
                members.insert(name, identity);
            }
        }
    }
    record
}

fn at_once(mut record: Json) -> Json {
    if let Json::Object(members) = &mut record {
        members.insert(
            "eventTime".to_owned(),
            Json::String("2026-03-04T10:00:00Z".to_owned()),
        );
    }
    record
}

/// Puts other texts in the place of telling ones; the same text always gets the same.
#[derive(Default)]
struct Names {
    accounts: BTreeMap<String, String>,
}

impl Names {
    /// Words by which the recordings, or the rules' authors, say what they are about.
    const TELLING: [&str; 12] = [
        "stratus-red-team",
        "stratus_red_team",
        "stratusredteam",
        "stratus",
        "red-team",
        "malicious",
        "backdoor",
        "exfiltration",
        "christophe",
        "dr.evil",
        "compromised",
        "legitimate",
    ];

    fn hide(&mut self, text: &str) -> String {
        let mut text = text.to_owned();
        for word in Self::TELLING {
            text = replace(&text, word, "thing");
        }
        addresses(&self.other_accounts(&text))
    }

    /// Account numbers become others, each the same everywhere in the event.
    fn other_accounts(&mut self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;

        while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
            let digits = rest[start..].bytes().take_while(u8::is_ascii_digit).count();
            let (before, number) = (&rest[..start], &rest[start..start + digits]);
            out.push_str(before);
            if number.len() == 12 {
                let next = format!("{}", 700_000_000_000 + self.accounts.len());
                out.push_str(self.accounts.entry(number.to_owned()).or_insert(next));
            } else {
                out.push_str(number);
            }
            rest = &rest[start + digits..];
        }

        out.push_str(rest);
        out
    }
}

/// Every source address becomes one of the same kind: private stays private, public becomes one and
/// the same.
fn addresses(text: &str) -> String {
    const FIELD: &str = "\"sourceIPAddress\":\"";

    let Some(start) = text.find(FIELD).map(|at| at + FIELD.len()) else {
        return text.to_owned();
    };
    let Some(length) = text[start..].find('"') else {
        return text.to_owned();
    };

    let given = &text[start..start + length];
    let digits = !given.is_empty()
        && given
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'.');
    let private = ["10.", "192.168.", "172.16."]
        .iter()
        .any(|prefix| given.starts_with(prefix));
    let other = match (digits, private) {
        (true, true) => "10.9.8.7",
        (true, false) => "198.51.100.7",
        _ => given,
    };

    format!("{}{other}{}", &text[..start], &text[start + length..])
}

/// Replaces a word, whatever its case.
fn replace(text: &str, word: &str, by: &str) -> String {
    let lower = text.to_ascii_lowercase();
    let (mut out, mut from) = (String::with_capacity(text.len()), 0);

    while let Some(at) = lower[from..].find(word) {
        out.push_str(&text[from..from + at]);
        out.push_str(by);
        from += at + word.len();
    }

    out.push_str(&text[from..]);
    out
}
