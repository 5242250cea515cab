//! Changes of several files at a time, without the log's key: what is said twice in the directory
//! says the same afterwards, every checksum holds, and files that are rebuilt when they are missing
//! are gone.

use std::collections::BTreeMap;
use std::fs;
use std::sync::Arc;

use reeve_audit::{Entry, RetentionClass};
use reeve_lake::EntrySegments;
use reeve_ledger::wal::{FrameHead, FrameReader, HEADER_LEN, WalHeader, encode_frame};
use reeve_ledger::{EntryReader as _, SegmentStore as _, StoredEntry};
use reeve_tlog::{Checkpoint, Hash, NoteSignature, NoteVerifier, Tree, chain_hash, commitment};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::fixture::{LogFixture, ORIGIN, draft, request};

const JOURNAL: &str = "ledger/manifest.journal";
/// Files that a start makes anew where they are missing.
const REBUILT: [&str; 5] = [
    "ledger/chain",
    "ledger/chain.attested",
    "ledger/ids/",
    "lake/index/",
    "ledger/checkpoint.cosigned",
];
/// Bytes in the place of a signature.
const NO_SIGNATURE: [u8; 64] = [0x42; 64];

/// The entries of a log as they are to be afterwards, and everything that follows from them.
pub(super) struct Rewritten {
    entries: Vec<Arc<StoredEntry>>,
    /// Tree over the first entries, by their number.
    roots: Vec<Hash>,
    key: NoteVerifier,
}

impl Rewritten {
    /// Reads a log; `change` gives the canonical bytes of the entries that are to be others.
    pub(super) async fn new(
        fixture: &LogFixture,
        change: impl Fn(u64, &str) -> Option<String>,
    ) -> Rewritten {
        let copy = fixture.copy();
        let opened = copy.open().await.unwrap();
        let mut page = opened
            .search
            .search(&request("evt", 2_000))
            .await
            .unwrap()
            .entries;

        let all = request("event_type:ledger.key_rotate", 10);
        page.extend(opened.search.search(&all).await.unwrap().entries);
        opened.close().await;
        page.sort_by_key(|entry| entry.sequence);
        page.dedup_by_key(|entry| entry.sequence);
        let entries = page.iter().map(|entry| {
            let text = std::str::from_utf8(&entry.canonical).unwrap();
            change(entry.sequence, text).map_or_else(|| entry.clone(), |text| other(entry, text))
        });
        let key = String::from_utf8(fixture.read("ledger/log.vkey"))
            .unwrap()
            .trim()
            .parse()
            .unwrap();

        Rewritten::of(entries.collect(), key)
    }

    fn of(mut entries: Vec<Arc<StoredEntry>>, key: NoteVerifier) -> Rewritten {
        let (mut tree, mut previous) = (Tree::new(), Hash::ZERO);
        let mut roots = vec![tree.root()];

        for (sequence, entry) in (0..).zip(&mut entries) {
            let made = commitment(&entry.salt, &entry.canonical);
            let hash = chain_hash(&previous, &made.leaf_hash());
            let leaf_hash = made.leaf_hash();
            let placed = StoredEntry {
                sequence,
                commitment: made,
                leaf_hash,
                previous_hash: previous,
                hash,
                ..StoredEntry::clone(entry)
            };
            *entry = Arc::new(placed);
            previous = hash;
            tree.append(leaf_hash, |_, _| {});
            roots.push(tree.root());
        }

        Rewritten {
            entries,
            roots,
            key,
        }
    }

    /// Adds an entry "by Reeve" that Reeve never wrote.
    fn with_approval(mut self) -> Rewritten {
        let forged = draft(9_999);
        let template = StoredEntry::clone(self.entries.last().unwrap());
        let text = String::from_utf8(forged.canonical).unwrap();
        self.entries.push(other(&template, text));
        Rewritten::of(self.entries, self.key)
    }

    fn chain_hash(&self, size: usize) -> Hash {
        size.checked_sub(1)
            .map_or(Hash::ZERO, |last| self.entries[last].hash)
    }

    /// The checkpoint of a size with the id of the log's key and no signature by it.
    fn note(&self, size: usize) -> String {
        let text = Checkpoint::new(ORIGIN, size as u64, self.roots[size])
            .to_text()
            .unwrap();
        format!(
            "{text}\n{}",
            NoteSignature::new(ORIGIN.into(), self.key.id(), NO_SIGNATURE.to_vec())
        )
    }

    /// Frames with checksums that hold, beginning with entry `first`.
    fn frames(&self, first: usize, counts: &[usize]) -> Vec<u8> {
        let (mut bytes, mut at) = (Vec::new(), first);
        for count in counts {
            let part = &self.entries[at..at + count];
            let head = FrameHead {
                first_sequence: at as u64,
                committed_at_ms: 0,
                note: self.note(at + count),
            };
            let entries = part
                .iter()
                .map(|entry| (&entry.salt, entry.canonical.as_slice()));
            bytes.extend(encode_frame(&head, entries).unwrap());
            at += count;
        }

        bytes
    }

    /// Appends a frame with the entries that the log does not have.
    pub(super) fn append_frame(&self, fixture: &LogFixture) {
        let name = fixture.below("ledger/wal/").pop().unwrap();
        let frame = self.frames(self.entries.len() - 1, &[1]);
        fixture.write(&name, &[fixture.read(&name), frame].concat());
    }

    /// Writes all frames of the write-ahead log anew.
    pub(super) fn write_tail(&self, fixture: &LogFixture) {
        let name = fixture.below("ledger/wal/").pop().unwrap();
        let bytes = fixture.read(&name);
        let first = WalHeader::decode(&bytes).unwrap().first_sequence;
        let counts: Vec<usize> = FrameReader::new(&bytes, HEADER_LEN)
            .map(|frame| frame.unwrap().entries.len())
            .collect();
        let header = WalHeader {
            first_sequence: first,
            previous_hash: self.chain_hash(first as usize),
            epoch: 0,
        };

        fixture.write(
            &name,
            &[&header.encode()[..], &self.frames(first as usize, &counts)].concat(),
        );
    }

    /// Writes both slots of the anchor; `signed` keeps version 2, with no signature by the key.
    pub(super) fn write_anchor(&self, fixture: &LogFixture, signed: bool) {
        let (mut bytes, size) = (fixture.read("anchor/head"), self.entries.len());
        for slot in bytes.chunks_mut(512) {
            slot[20..28].copy_from_slice(&(size as u64).to_le_bytes());
            slot[28..60].copy_from_slice(&self.roots[size].0);
            slot[60..92].copy_from_slice(&self.chain_hash(size).0);
            slot[92..].fill(0);
            slot[8..12].copy_from_slice(&(1 + u32::from(signed)).to_le_bytes());
            let end = if signed { 160 } else { 92 };
            if signed {
                slot[92..96].copy_from_slice(&self.key.id().0);
                slot[96..160].copy_from_slice(&NO_SIGNATURE);
            }
            let sum = crc32c::crc32c(&slot[..end]).to_le_bytes();
            slot[end..end + 4].copy_from_slice(&sum);
        }

        fixture.write("anchor/head", &bytes);
    }

    /// Writes segments, commitments, tree and the lines of the manifest; their attestations stay as
    /// they were.
    pub(super) async fn write_sealed(&self, fixture: &LogFixture) {
        let text = String::from_utf8(fixture.read(JOURNAL)).unwrap();
        let mut listed: Vec<Value> = text
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();

        for record in &mut listed {
            let size = record["sealed_size"].as_u64().unwrap() as usize;
            record["root"] = self.roots[size].to_string().into();
            record["chain_hash"] = self.chain_hash(size).to_string().into();
            for segment in record["segments"].as_array_mut().unwrap() {
                self.write_segment(fixture, segment).await;
            }
        }

        let lines: Vec<String> = listed.iter().map(line_of).collect();
        fixture.write(JOURNAL, (lines.join("\n") + "\n").as_bytes());
        let sealed = listed.last().unwrap()["sealed_size"].as_u64().unwrap() as usize;
        let commitments: Vec<u8> = self.entries[..sealed]
            .iter()
            .flat_map(|entry| entry.commitment.0)
            .collect();
        fixture.write("ledger/commitments", &commitments);
        let level = self.entries[..sealed - sealed % 256]
            .chunks(256)
            .flat_map(|leaves| {
                let mut tree = Tree::new();
                leaves
                    .iter()
                    .for_each(|entry| tree.append(entry.leaf_hash, |_, _| {}));
                tree.root().0
            });

        fixture.write("ledger/tree/1", &level.collect::<Vec<u8>>());
    }

    async fn write_segment(&self, fixture: &LogFixture, listed: &mut Value) {
        let (path, class) = (
            listed["path"].as_str().unwrap().to_owned(),
            listed["class"].as_str().unwrap().to_owned(),
        );
        let span =
            listed["first_sequence"].as_u64().unwrap()..=listed["last_sequence"].as_u64().unwrap();
        let belongs = |entry: &&Arc<StoredEntry>| {
            span.contains(&entry.sequence)
                && RetentionClass::for_event_type(&entry.entry.event_type).id() == class
        };
        let entries: Vec<_> = self.entries.iter().filter(belongs).cloned().collect();

        let elsewhere = tempfile::tempdir().unwrap();
        let written = EntrySegments::open(elsewhere.path())
            .await
            .unwrap()
            .write(&class, &entries)
            .await
            .unwrap();
        let bytes = fs::read(elsewhere.path().join(written.path)).unwrap();
        listed["sha256"] = hex::encode(Sha256::digest(&bytes)).into();

        listed["bytes"] = bytes.len().into();
        fixture.write(&path, &bytes);
    }

    /// Puts the manifest into the form of versions that did not sign it.
    pub(super) fn unsign(&self, fixture: &LogFixture) {
        let text = String::from_utf8(fixture.read(JOURNAL)).unwrap();
        let mut segments = Vec::new();
        let mut last = BTreeMap::new();

        for line in text.lines() {
            let mut record: BTreeMap<String, Value> = serde_json::from_str(line).unwrap();
            segments.extend(record["segments"].as_array().unwrap().clone());
            record.retain(|name, _| name != "attestation" && name != "kind");
            last = record;
        }

        let sealed = last["sealed_size"].as_u64().unwrap() as usize;
        let edge = &self.entries[sealed - sealed % 256..sealed];
        let edge: Vec<Value> = edge
            .iter()
            .map(|entry| entry.commitment.to_string().into())
            .collect();
        last.insert("version".into(), 1.into());
        last.insert("edge".into(), edge.into());
        last.insert("segments".into(), segments.into());
        fixture.write(
            "ledger/manifest.json",
            serde_json::to_string_pretty(&last).unwrap().as_bytes(),
        );
        fixture.remove(JOURNAL);
        self.write_anchor(fixture, false);
    }
}

/// An entry with other canonical bytes.
fn other(entry: &StoredEntry, text: String) -> Arc<StoredEntry> {
    let (claim, _) = Entry::from_canonical(text.as_bytes()).unwrap();
    Arc::new(StoredEntry {
        canonical: text.into_bytes(),
        entry: claim,
        ..entry.clone()
    })
}

/// A record in the order of its members, the attestation last.
pub(super) fn line_of(record: &Value) -> String {
    let names = [
        "version",
        "kind",
        "origin",
        "sealed_size",
        "root",
        "chain_hash",
        "segments",
        "attestation",
    ];

    let members: Vec<String> = names
        .iter()
        .map(|name| format!("\"{name}\":{}", record[*name]))
        .collect();
    format!("{{{}}}", members.join(","))
}

/// Removes what would be rebuilt.
pub(super) fn remove_rebuilt(fixture: &LogFixture) {
    REBUILT
        .iter()
        .flat_map(|kind| fixture.below(kind))
        .for_each(|name| {
            if fixture.path(&name).exists() {
                fixture.remove(&name);
            }
        });
}

/// The approval in a frame of its own.
pub(super) async fn appended(fixture: &LogFixture) -> Rewritten {
    Rewritten::new(fixture, |_, _| None).await.with_approval()
}

/// Another actor in an unsealed entry.
pub(super) async fn tail(fixture: &LogFixture) -> Rewritten {
    let last = Rewritten::new(fixture, |_, _| None).await.entries.len() as u64 - 1;
    Rewritten::new(fixture, move |sequence, text| {
        (sequence == last).then(|| renamed(text))
    })
    .await
}

/// Another actor in a sealed entry.
pub(super) async fn sealed(fixture: &LogFixture) -> Rewritten {
    Rewritten::new(fixture, |sequence, text| {
        (sequence == 17).then(|| renamed(text))
    })
    .await
}

fn renamed(text: &str) -> String {
    let forged = text
        .replace("\"alice\"", "\"mallory\"")
        .replace("\"bob\"", "\"mallory\"");
    forged.replace("\"carol\"", "\"mallory\"")
}

/// Names of files that are not the same in two directories.
pub(super) fn changed(sound: &LogFixture, fixture: &LogFixture) -> Vec<String> {
    let mut names = sound.files();
    names.extend(fixture.files());
    names.sort();
    names.dedup();
    names.retain(|name| fs::read(sound.path(name)).ok() != fs::read(fixture.path(name)).ok());
    names
}
