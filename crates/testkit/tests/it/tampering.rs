//! Tests of tampering: an attacker with write access to the whole data directory except `keys/`
//! changes the log's files, at random and deliberately with every checksum corrected. Each change
//! must be refused at start, refused when the entries are read, or found by `reeve-verify`; or all
//! answers are unchanged, because the file was rebuilt or the change has no effect. None may go
//! unnoticed.
//!
//!
//! `REEVE_TAMPER_FLIPS=200` flips as many bits of each kind of file, and prints the table of
//! `docs/operate/faults.md`.

mod fixture;
mod forgeries;
mod together;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use fixture::{Answers, LogFixture};
use forgeries::FORGERIES;
use together::{Rewritten, changed, remove_rebuilt};

/// Kinds of files, by how their names begin.
const KINDS: [&str; 14] = [
    "ledger/manifest.journal",
    "lake/entries/",
    "lake/index/",
    "ledger/commitments",
    "ledger/tree/",
    "ledger/chain",
    "ledger/chain.attested",
    "ledger/ids/",
    "ledger/wal/",
    "ledger/checkpoint",
    "ledger/log.vkey",
    "ledger/epochs/",
    "anchor/head",
    "keys/log.key",
];

/// Flips of each kind in the suite.
const FLIPS: usize = 5;

/// Outcome of the changes to one kind of file.
#[derive(Debug, Default)]
struct Row {
    changes: usize,
    refused_at_start: usize,
    refused_when_read: usize,
    found: usize,
    as_before: usize,
    silent: Vec<String>,
}

impl Row {
    /// Looks what comes of a changed directory.
    async fn check(&mut self, fixture: &LogFixture, before: &Answers, case: &str) {
        self.changes += 1;
        let found = fixture.auditor_finds();
        let (mut started, mut same, mut reported) = (false, false, String::new());

        match fixture.open().await {
            Err(_) => self.refused_at_start += 1,
            Ok(opened) => {
                started = true;
                match opened.answers().await {
                    Err(error) => {
                        self.refused_when_read += 1;
                        reported = error;
                    }
                    Ok(answers) => {
                        same = answers == *before;
                    }
                }
                opened.close().await;
            }
        }

        self.found += usize::from(found);
        self.as_before += usize::from(same);
        if started && !found && !same && reported.is_empty() {
            self.silent.push(case.to_owned());
        }
    }
}

fn of_kind(name: &str, kind: &str) -> bool {
    if kind.ends_with('/') {
        name.starts_with(kind)
    } else {
        name == kind
    }
}

fn table(title: &str, rows: &[(String, Row)]) -> String {
    let mut text = format!(
        "| {title} | changes | refused at start | refused when read | found by `reeve-verify` | answers as before | silent |\n|---|---|---|---|---|---|---|\n"
    );
    for (name, row) in rows {
        let Row {
            changes,
            refused_at_start,
            refused_when_read,
            found,
            as_before,
            silent,
        } = row;
        let silent = silent.len();
        writeln!(
            text,
            "| {name} | {changes} | {refused_at_start} | {refused_when_read} | {found} | {as_before} | {silent} |"
        )
        .unwrap();
    }

    text
}

fn none_is_silent(rows: &[(String, Row)]) {
    let silent: Vec<_> = rows.iter().flat_map(|(_, row)| &row.silent).collect();
    assert!(silent.is_empty(), "passed in silence: {silent:#?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_flipped_bit_passes_in_silence() {
    let flips = std::env::var("REEVE_TAMPER_FLIPS").map_or(FLIPS, |text| text.parse().unwrap());
    let sound = LogFixture::build().await;
    let before = sound.pristine().await;
    let (mut random, mut rows) = (StdRng::seed_from_u64(15), Vec::new());

    for kind in KINDS {
        let names: Vec<String> = sound
            .files()
            .into_iter()
            .filter(|name| of_kind(name, kind))
            .collect();
        assert!(!names.is_empty(), "no file of the kind {kind}");
        let mut row = Row::default();
        for _ in 0..flips {
            let name = &names[random.random_range(0..names.len())];
            let mut bytes = sound.read(name);
            let (at, bit) = (
                random.random_range(0..bytes.len()),
                random.random_range(0..8),
            );
            bytes[at] ^= 1 << bit;
            let fixture = sound.copy();
            fixture.write(name, &bytes);
            row.check(&fixture, &before, &format!("{name}, byte {at}, bit {bit}"))
                .await;
        }
        rows.push((format!("`{kind}`"), row));
    }

    println!("{}", table("one bit of", &rows));
    none_is_silent(&rows);
    let found = |kind: &str| {
        rows.iter()
            .find(|(name, _)| name.contains(kind))
            .map(|(_, row)| row.found)
            .unwrap()
    };

    assert_eq!(
        found("lake/entries/"),
        flips,
        "every bit of a segment counts"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_forgery_passes_in_silence() {
    let sound = LogFixture::build().await;
    let before = sound.pristine().await;
    let mut rows = Vec::new();

    for (name, forge) in FORGERIES {
        let fixture = sound.copy();
        forge(&fixture).await;
        let changed = sound.files() != fixture.files()
            || sound
                .files()
                .iter()
                .any(|file| fs::read(fixture.path(file)).ok() != Some(sound.read(file)));
        assert!(changed, "{name} changed nothing");
        let mut row = Row::default();
        row.check(&fixture, &before, name).await;
        rows.push(((*name).to_owned(), row));
    }

    println!("{}", table("forged", &rows));
    none_is_silent(&rows);

    // What searches and appends rest on is not only found: it is not used.
    for (name, row) in rows
        .iter()
        .filter(|(name, _)| name.starts_with("index") || name.starts_with("chain"))
    {
        assert_eq!(row.as_before, 1, "{name}: {row:?}");
    }

    // The auditor says of an index or an identifier that was made to look right that it was forged.
    let derived = |name: &str| name.starts_with("index") || name.starts_with("identifiers");
    for (name, row) in rows.iter().filter(|(name, _)| {
        derived(name) && (name.contains("made right") || name.contains("another key"))
    }) {
        assert_eq!(row.found, 1, "{name}: {row:?}");
    }

    let at_start = |name: &str| {
        rows.iter()
            .find(|(row, _)| row == name)
            .map(|(_, row)| row.refused_at_start)
    };

    for name in [
        "record of a key epoch: deleted",
        "anchor: deleted",
        "write-ahead log: last frame cut off",
    ] {
        assert_eq!(at_start(name), Some(1), "{name}");
    }
}

/// Forgeries by the number of files they change: those tried, refused at start, and found by
/// `reeve-verify`.
#[derive(Debug, Default)]
struct Together {
    by_files: BTreeMap<usize, (usize, usize, usize)>,
    missed: Vec<String>,
}

impl Together {
    /// Looks what comes of a directory. Returns the reason of a refusal.
    async fn check(&mut self, sound: &LogFixture, fixture: &LogFixture, case: &str) -> String {
        let files = changed(sound, fixture);
        assert!(!files.is_empty(), "{case} changed nothing");

        let is_found = fixture.auditor_finds();
        let reason = match fixture.open().await {
            Err(reason) => reason,
            Ok(opened) => {
                opened.close().await;
                String::new()
            }
        };
        let is_refused = !reason.is_empty();

        let (tried, refused, found) = self.by_files.entry(files.len()).or_default();
        (*tried, *refused, *found) = (
            *tried + 1,
            *refused + usize::from(is_refused),
            *found + usize::from(is_found),
        );

        if !is_refused || !is_found {
            self.missed.push(format!(
                "{case} ({} files): refused {is_refused}, found {is_found}",
                files.len()
            ));
        }

        reason
    }

    fn table(&self) -> String {
        let mut text =
            "| files changed together | tried | refused at start | found by `reeve-verify` |\n|---|---|---|---|\n"
                .to_owned();
        for (files, (tried, refused, found)) in &self.by_files {
            writeln!(text, "| {files} | {tried} | {refused} | {found} |").unwrap();
        }
        text
    }
}

/// Without the key, and with every checksum, size, root and chain hash in the directory made to
/// agree: a frame appended, the tail rewritten, the sealed part rewritten; each also with the files
/// gone or in an older form that could give it away.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_forgery_of_several_files_is_signed() {
    let unsealed = LogFixture::build().await;
    let sealed = unsealed.copy();
    let opened = sealed.open().await.unwrap();
    opened.ledger.seal().await.unwrap();
    opened.close().await;
    let mut together = Together::default();

    for (place, sound) in [("with a tail", &unsealed), ("all sealed", &sealed)] {
        let approval = together::appended(sound).await;
        let mut forgeries: Vec<(&str, &Rewritten, bool, bool)> =
            vec![("a frame appended", &approval, true, false)];
        let (tail, old) = (together::tail(sound).await, together::sealed(sound).await);
        if place == "with a tail" {
            forgeries.push(("the tail rewritten", &tail, false, false));
        }
        forgeries.push(("the sealed part rewritten", &old, false, true));
        for (name, rewritten, appends, seals) in forgeries {
            for (more, without) in [
                ("", 0),
                (", anchor", 1),
                (", anchor, no checkpoint", 2),
                (", in the unsigned form", 3),
            ] {
                let fixture = sound.copy();
                if seals {
                    rewritten.write_sealed(&fixture).await;
                    remove_rebuilt(&fixture);
                }
                if appends {
                    rewritten.append_frame(&fixture);
                } else {
                    rewritten.write_tail(&fixture);
                }
                if without >= 1 {
                    rewritten.write_anchor(&fixture, true);
                }
                if without >= 2 {
                    fixture.remove("ledger/checkpoint");
                }
                if without >= 3 {
                    rewritten.unsign(&fixture);
                }
                let reason = together
                    .check(sound, &fixture, &format!("{place}: {name}{more}"))
                    .await;
                // With nothing left in the directory that contradicts the forgery, the signatures
                // alone refuse it.
                let by_signature = reason.contains("the log's key did not sign")
                    || reason.contains("--accept-unsigned");
                assert!(
                    without < 2 || by_signature,
                    "{place}: {name}{more}: {reason}"
                );
            }
        }
    }

    println!("{}", together.table());
    assert!(together.missed.is_empty(), "{:#?}", together.missed);
}

/// An older copy of the directory is refused as long as one file still knows more; put back as a
/// whole it is a log that holds, and only what was kept elsewhere tells.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_older_copy_is_refused_unless_it_is_whole() {
    let earlier = LogFixture::build().await;
    let later = earlier.copy();
    let opened = later.open().await.unwrap();
    opened.append(1).await;
    opened.ledger.seal().await.unwrap();
    opened.append(2).await;
    opened.close().await;
    let mut together = Together::default();

    for left in [
        "ledger/checkpoint",
        "ledger/manifest.journal",
        "anchor/head",
        "ledger/wal/",
    ] {
        let fixture = earlier.copy();
        fixture
            .below(left)
            .iter()
            .for_each(|name| fixture.remove(name));
        later
            .below(left)
            .iter()
            .for_each(|name| fixture.write(name, &later.read(name)));
        together
            .check(&later, &fixture, &format!("all but {left}"))
            .await;
    }

    println!("{}", together.table());
    assert!(together.missed.is_empty(), "{:#?}", together.missed);

    let kept = later.read("ledger/checkpoint");
    println!(
        "| all ({} files) | 1 | 0 | {} with a checkpoint kept elsewhere |",
        changed(&later, &earlier).len(),
        usize::from(
            !earlier
                .report(std::slice::from_ref(&kept))
                .unwrap()
                .is_intact()
        )
    );

    assert!(!earlier.auditor_finds(), "nothing in the directory tells");
    assert!(!earlier.report(&[kept]).unwrap().is_intact());
}

/// A tail that is cut off together with everything in the directory that remembers it is noticed by
/// what was kept elsewhere alone.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_log_put_back_as_a_whole_is_found_with_a_checkpoint_from_elsewhere() {
    let fixture = LogFixture::build().await;
    let earlier = fixture.copy();
    let opened = fixture.open().await.unwrap();
    opened.append(1).await;
    opened.close().await;
    let kept = fixture.read("ledger/checkpoint");
    assert!(!earlier.auditor_finds(), "nothing in the directory tells");
    assert!(!earlier.report(&[]).unwrap().freshness.is_checked());
    assert!(!earlier.report(&[kept]).unwrap().is_intact());
}
