//! Changes made on purpose, without the log's key: every checksum and digest that the intruder can
//! compute is right afterwards.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use reeve_audit::{Entry, RetentionClass};
use reeve_lake::EntrySegments;
use reeve_ledger::wal::{FrameReader, HEADER_LEN, encode_frame};
use reeve_ledger::{EntryReader as _, SegmentStore as _, StoredEntry};
use reeve_tlog::{Checkpoint, Commitment, NoteSigner, Tree, empty_root, encode_tile};
use sha2::{Digest as _, Sha256};

use super::fixture::{LogFixture, ORIGIN, request};
use super::together::line_of;

type Done<'a> = Pin<Box<dyn Future<Output = ()> + 'a>>;
type Forge = for<'a> fn(&'a LogFixture) -> Done<'a>;

const BLOCK: usize = 16 * 1024;
const PAGE: usize = 4096;

pub(super) const FORGERIES: &[(&str, Forge)] = &[
    (
        "index: a value renamed, checksums and digests made right",
        |fixture| now(|| renamed_value(fixture, None)),
    ),
    (
        "index: the same, attested by another key of the same name",
        |fixture| {
            now(|| {
                renamed_value(
                    fixture,
                    Some(&NoteSigner::from_seed(ORIGIN, &[9; 32]).unwrap()),
                )
            })
        },
    ),
    ("index: that of another segment", |fixture| {
        now(|| swap(fixture, "lake/index/"))
    }),
    ("index: cut short", |fixture| {
        now(|| cut(fixture, "lake/index/"))
    }),
    ("index: deleted", |fixture| {
        now(|| fixture.remove(&fixture.below("lake/index/")[0]))
    }),
    (
        "index: an earlier version, without attestation",
        |fixture| now(|| earlier_version(fixture)),
    ),
    (
        "identifiers: a record changed, checksums and digests made right",
        |fixture| now(|| forged_record(fixture)),
    ),
    ("identifiers: those of other entries", |fixture| {
        now(|| swap(fixture, "ledger/ids/"))
    }),
    ("identifiers: cut short", |fixture| {
        now(|| cut(fixture, "ledger/ids/"))
    }),
    ("identifiers: deleted", |fixture| {
        now(|| {
            fixture
                .below("ledger/ids/")
                .iter()
                .for_each(|name| fixture.remove(name))
        })
    }),
    ("chain: a point changed", |fixture| {
        now(|| flip(fixture, "ledger/chain", 40))
    }),
    ("chain: cut short", |fixture| {
        now(|| cut(fixture, "ledger/chain"))
    }),
    ("chain: deleted", |fixture| {
        now(|| fixture.remove("ledger/chain"))
    }),
    ("chain: its attestation deleted", |fixture| {
        now(|| fixture.remove("ledger/chain.attested"))
    }),
    (
        "segment: an actor renamed, rewritten, listed in the manifest",
        |fixture| Box::pin(forged_segment(fixture, false)),
    ),
    ("segment: the same, and its index deleted", |fixture| {
        Box::pin(forged_segment(fixture, true))
    }),
    (
        "segment: a byte changed, its SHA-256 in the manifest made right",
        |fixture| now(|| relisted(fixture)),
    ),
    ("segment: another one under its name", |fixture| {
        now(|| swap(fixture, "lake/entries/"))
    }),
    ("segment: cut short", |fixture| {
        now(|| cut(fixture, "lake/entries/"))
    }),
    ("segment: deleted", |fixture| {
        now(|| fixture.remove(&fixture.below("lake/entries/")[0]))
    }),
    ("manifest: a segment left out", |fixture| {
        now(|| left_out(fixture))
    }),
    ("manifest: put back from before the last seal", |fixture| {
        now(|| put_back(fixture, "ledger/manifest.journal"))
    }),
    ("manifest: deleted", |fixture| {
        now(|| fixture.remove("ledger/manifest.journal"))
    }),
    ("commitments: one changed", |fixture| {
        now(|| flip(fixture, "ledger/commitments", 17 * 32))
    }),
    (
        "commitments: one changed, and the tree over it",
        |fixture| now(|| changed_commitment(fixture)),
    ),
    ("commitments: cut short", |fixture| {
        now(|| cut(fixture, "ledger/commitments"))
    }),
    ("commitments: deleted", |fixture| {
        now(|| fixture.remove("ledger/commitments"))
    }),
    ("tree: deleted", |fixture| {
        now(|| fixture.remove("ledger/tree/1"))
    }),
    (
        "write-ahead log: an entry of the last frame changed, checksums made right",
        |fixture| now(|| changed_frame(fixture)),
    ),
    ("write-ahead log: last frame cut off", |fixture| {
        now(|| last_frame_off(fixture))
    }),
    ("write-ahead log: deleted", |fixture| {
        now(|| {
            fixture
                .below("ledger/wal/")
                .iter()
                .for_each(|name| fixture.remove(name))
        })
    }),
    (
        "checkpoint: signed by another key of the same name",
        |fixture| now(|| other_checkpoint(fixture)),
    ),
    ("checkpoint: put back from before", |fixture| {
        now(|| put_back(fixture, "ledger/checkpoint"))
    }),
    ("checkpoint: deleted", |fixture| {
        now(|| fixture.remove("ledger/checkpoint"))
    }),
    ("verifier key: that of another log", |fixture| {
        now(|| other_key(fixture))
    }),
    ("verifier key: deleted", |fixture| {
        now(|| fixture.remove("ledger/log.vkey"))
    }),
    ("record of a key epoch: deleted", |fixture| {
        now(|| fixture.remove("ledger/epochs/1"))
    }),
    ("record of a key epoch: cut short", |fixture| {
        now(|| cut(fixture, "ledger/epochs/"))
    }),
    ("anchor: a byte between the slots", |fixture| {
        now(|| flip(fixture, "anchor/head", 300))
    }),
    ("anchor: put back from before", |fixture| {
        now(|| put_back(fixture, "anchor/head"))
    }),
    ("anchor: cut short", |fixture| {
        now(|| cut(fixture, "anchor/head"))
    }),
    ("anchor: deleted", |fixture| {
        now(|| fixture.remove("anchor/head"))
    }),
];

fn now<'a>(change: impl FnOnce() + 'a) -> Done<'a> {
    change();
    Box::pin(async {})
}

fn flip(fixture: &LogFixture, name: &str, at: usize) {
    let mut bytes = fixture.read(name);
    bytes[at] ^= 4;
    fixture.write(name, &bytes);
}

/// Half of the first file of a kind.
fn cut(fixture: &LogFixture, kind: &str) {
    let name = &fixture.below(kind)[0];
    let bytes = fixture.read(name);
    fixture.write(name, &bytes[..bytes.len() / 2]);
}

/// Two files of a kind change places.
fn swap(fixture: &LogFixture, kind: &str) {
    let names = fixture.below(kind);
    let (first, last) = (&names[0], &names[names.len() - 1]);
    assert_ne!(first, last, "{kind}");
    let (one, other) = (fixture.read(first), fixture.read(last));
    fixture.write(first, &other);
    fixture.write(last, &one);
}

fn put_back(fixture: &LogFixture, name: &str) {
    fixture.write(name, &fixture.earlier[name]);
}

fn word(bytes: &[u8], at: usize) -> usize {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize
}

fn long(bytes: &[u8], at: usize) -> usize {
    u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap()) as usize
}

/// The places of an index: end of the pieces, of the directory, of the attestation.
fn index_parts(bytes: &[u8]) -> (usize, usize, usize) {
    let end = bytes.len() - 24;
    (long(bytes, end), end - word(bytes, end + 8), end)
}

/// `resource.delete` becomes something else in the index that has it most, so that a search for it
/// would not find its rows.
fn renamed_value(fixture: &LogFixture, signer: Option<&NoteSigner>) {
    let (from, to) = (&b"resource.delete"[..], &b"resource.dellte"[..]);
    let holds = |name: &String| fixture.read(name).windows(from.len()).any(|at| at == from);
    let name = fixture
        .below("lake/index/")
        .into_iter()
        .find(holds)
        .unwrap();
    let mut bytes = fixture.read(&name);
    let (body, note, end) = index_parts(&bytes);

    for at in 0..body - from.len() {
        if bytes[at..].starts_with(from) {
            bytes[at..at + to.len()].copy_from_slice(to);
        }
    }

    let mut at = note - body.div_ceil(BLOCK) * 16;
    for start in (0..body).step_by(BLOCK) {
        let digest = Sha256::digest(&bytes[start..body.min(start + BLOCK)]);
        bytes[at..at + 16].copy_from_slice(&digest[..16]);
        at += 16;
    }

    if let Some(signer) = signer {
        let lines = String::from_utf8(bytes[note..end].to_vec()).unwrap();
        let mut text: Vec<String> = lines.lines().take(5).map(str::to_owned).collect();
        text[4] = reeve_tlog::Hash(Sha256::digest(&bytes[body..note]).into()).to_base64();
        let signed = reeve_tlog::SignedNote::sign(text.join("\n") + "\n", &[signer])
            .unwrap()
            .to_string();
        let trailer = [
            &(body as u64).to_le_bytes()[..],
            &(signed.len() as u32).to_le_bytes(),
        ]
        .concat();
        bytes.truncate(note);
        bytes.extend_from_slice(signed.as_bytes());
        bytes.extend_from_slice(&trailer);
        bytes.extend_from_slice(&[0; 4]);
        bytes.extend_from_slice(b"reeveix3");
    }

    let end = bytes.len() - 24;
    let sum = crc32c::crc32c(&bytes[body..end + 12]);
    bytes[end + 12..end + 16].copy_from_slice(&sum.to_le_bytes());
    fixture.write(&name, &bytes);
}

fn earlier_version(fixture: &LogFixture) {
    let name = &fixture.below("lake/index/")[0];
    let mut bytes = fixture.read(name);
    let length = bytes.len();
    bytes[7] = b'2';
    bytes[length - 1] = b'2';
    fixture.write(name, &bytes);
}

/// The first record of a file of identifiers gets another mark: its event would be refused as
/// another one's.
fn forged_record(fixture: &LogFixture) {
    let name = &fixture.below("ledger/ids/")[0];
    let mut bytes = fixture.read(name);
    let filter = long(&bytes, 32).div_ceil(40).max(1) * 64;
    let (page, pages) = (64 + filter, word(&bytes, 56));
    bytes[page + 9] ^= 1;
    let sum = crc32c::crc32c(&bytes[page..page + PAGE - 4]);
    bytes[page + PAGE - 4..page + PAGE].copy_from_slice(&sum.to_le_bytes());
    let digest = Sha256::digest(&bytes[page..page + PAGE]);
    let at = page + pages * PAGE;
    bytes[at..at + 16].copy_from_slice(&digest[..16]);
    fixture.write(name, &bytes);
}

/// Changes the records of the manifest; their attestations stay as they were.
fn manifest(fixture: &LogFixture, change: impl FnOnce(&mut Vec<serde_json::Value>)) {
    let text = String::from_utf8(fixture.read("ledger/manifest.journal")).unwrap();
    let mut records = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    change(&mut records);
    let lines: Vec<String> = records.iter().map(line_of).collect();
    fixture.write(
        "ledger/manifest.journal",
        (lines.join("\n") + "\n").as_bytes(),
    );
}

/// Lists a segment as it is now.
fn list(fixture: &LogFixture, name: &str) {
    let bytes = fixture.read(name);
    manifest(fixture, |records| {
        let segments = records
            .iter_mut()
            .flat_map(|record| record["segments"].as_array_mut().unwrap());
        let listed = segments
            .into_iter()
            .find(|one| one["path"] == name)
            .unwrap();
        listed["sha256"] = hex::encode(Sha256::digest(&bytes)).into();
        listed["bytes"] = bytes.len().into();
    });
}

fn relisted(fixture: &LogFixture) {
    let name = &fixture.below("lake/entries/")[0];
    flip(fixture, name, fixture.read(name).len() / 2);
    list(fixture, name);
}

fn left_out(fixture: &LogFixture) {
    manifest(fixture, |records| {
        let segments = records.last_mut().unwrap()["segments"]
            .as_array_mut()
            .unwrap();
        let gone = segments.pop().unwrap()["count"].as_u64().unwrap();
        // The counts must add up, so another segment takes the blame.
        let count = segments[0]["count"].as_u64().unwrap();
        segments[0]["count"] = (count + gone).into();
    });
}

/// A segment written by the real writer in which one of the actors has another name.
async fn forged_segment(fixture: &LogFixture, without_index: bool) {
    let opened = fixture.open().await.unwrap();
    let meta = opened
        .ledger
        .view()
        .segments
        .iter()
        .find(|meta| meta.class == "change")
        .unwrap()
        .clone();

    let page = opened.search.search(&request("evt", 2_000)).await.unwrap();
    opened.close().await;
    let belongs = |entry: &&Arc<StoredEntry>| {
        (meta.first_sequence..=meta.last_sequence).contains(&entry.sequence)
            && RetentionClass::for_event_type(&entry.entry.event_type).id() == meta.class
    };

    let forged = |entry: &Arc<StoredEntry>| {
        let text = String::from_utf8(entry.canonical.to_vec())
            .unwrap()
            .replace("\"alice\"", "\"alicx\"");
        let (claim, _) = Entry::from_canonical(text.as_bytes()).unwrap();
        Arc::new(StoredEntry {
            canonical: text.into_bytes(),
            entry: claim,
            ..StoredEntry::clone(entry)
        })
    };
    let mut entries: Vec<_> = page.entries.iter().filter(belongs).map(forged).collect();
    entries.sort_by_key(|entry| entry.sequence);

    let elsewhere = tempfile::tempdir().unwrap();
    let written = EntrySegments::open(elsewhere.path())
        .await
        .unwrap()
        .write(&meta.class, &entries)
        .await
        .unwrap();
    assert_eq!((&written.path, written.count), (&meta.path, meta.count));

    fixture.write(
        &meta.path,
        &std::fs::read(elsewhere.path().join(&meta.path)).unwrap(),
    );
    list(fixture, &meta.path);

    if without_index {
        fixture.remove(
            &meta
                .path
                .replace("entries", "index")
                .replace("parquet", "idx"),
        );
    }
}

/// A commitment in a full tile, and the hash of the tile above it.
fn changed_commitment(fixture: &LogFixture) {
    flip(fixture, "ledger/commitments", 17 * 32);
    let bytes = fixture.read("ledger/commitments");
    let (all, _) = bytes.as_chunks::<32>();
    let mut tree = Tree::new();
    all[..256]
        .iter()
        .for_each(|one| tree.append(Commitment(*one).leaf_hash(), |_, _| {}));
    let mut level = fixture.read("ledger/tree/1");
    level[..32].copy_from_slice(&encode_tile(&[tree.root()]));
    fixture.write("ledger/tree/1", &level);
}

/// The write-ahead log, and where its last frame begins.
fn last_frame(fixture: &LogFixture) -> (String, Vec<u8>, usize) {
    let name = fixture.below("ledger/wal/").pop().unwrap();
    let bytes = fixture.read(&name);
    let at = FrameReader::new(&bytes, HEADER_LEN)
        .map(|frame| frame.unwrap().offset)
        .last()
        .unwrap();
    (name, bytes, at)
}

fn last_frame_off(fixture: &LogFixture) {
    let (name, bytes, at) = last_frame(fixture);
    fixture.write(&name, &bytes[..at]);
}

fn changed_frame(fixture: &LogFixture) {
    let (name, bytes, at) = last_frame(fixture);
    let mut frame = FrameReader::new(&bytes, at).next().unwrap().unwrap();
    let (_, canonical) = &mut frame.entries[0];
    let changed = String::from_utf8(canonical.to_vec())
        .unwrap()
        .replace("of many", "of none");
    *canonical = changed.into_bytes();
    let entries = frame
        .entries
        .iter()
        .map(|(salt, canonical)| (salt, &canonical[..]));
    let forged = encode_frame(&frame.head, entries).unwrap();
    fixture.write(&name, &[&bytes[..at], &forged].concat());
}

fn other_checkpoint(fixture: &LogFixture) {
    let signer = NoteSigner::from_seed(ORIGIN, &[9; 32]).unwrap();
    let note = Checkpoint::new(ORIGIN, 0, empty_root())
        .sign(&[&signer])
        .unwrap();
    fixture.write("ledger/checkpoint", note.to_string().as_bytes());
}

fn other_key(fixture: &LogFixture) {
    let signer = NoteSigner::from_seed(ORIGIN, &[9; 32]).unwrap();
    fixture.write(
        "ledger/log.vkey",
        format!("{}\n", signer.verifier()).as_bytes(),
    );
}
