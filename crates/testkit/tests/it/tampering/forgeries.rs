//! Changes made on purpose, without the log's key: every checksum and digest that the intruder can compute is right afterwards.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use reeve_audit::{Entry, RetentionClass};
use reeve_lake::EntrySegments;
use reeve_ledger::wal::{FrameReader, HEADER_LEN, encode_frame};
use reeve_ledger::{EntryReader as _, SegmentStore as _, StoredEntry};
use reeve_tlog::{Checkpoint, Commitment, NoteSigner, Tree, empty_root, encode_tile};
use sha2::{Digest as _, Sha256};

use super::house::{House, ORIGIN, request};

type Done<'a> = Pin<Box<dyn Future<Output = ()> + 'a>>;
type Forge = for<'a> fn(&'a House) -> Done<'a>;

const BLOCK: usize = 16 * 1024;
const PAGE: usize = 4096;

pub(super) const FORGERIES: &[(&str, Forge)] = &[
    ("index: a value renamed, checksums and digests made right", |house| now(|| renamed_value(house, None))),
    ("index: the same, attested by another key of the same name", |house| {
        now(|| renamed_value(house, Some(&NoteSigner::from_seed(ORIGIN, &[9; 32]).unwrap())))
    }),
    ("index: that of another segment", |house| now(|| swap(house, "lake/index/"))),
    ("index: cut short", |house| now(|| cut(house, "lake/index/"))),
    ("index: deleted", |house| now(|| house.remove(&house.below("lake/index/")[0]))),
    ("index: an earlier version, without attestation", |house| now(|| earlier_version(house))),
    ("identifiers: a record changed, checksums and digests made right", |house| now(|| forged_record(house))),
    ("identifiers: those of other entries", |house| now(|| swap(house, "ledger/ids/"))),
    ("identifiers: cut short", |house| now(|| cut(house, "ledger/ids/"))),
    ("identifiers: deleted", |house| now(|| house.below("ledger/ids/").iter().for_each(|name| house.remove(name)))),
    ("chain: a point changed", |house| now(|| flip(house, "ledger/chain", 40))),
    ("chain: cut short", |house| now(|| cut(house, "ledger/chain"))),
    ("chain: deleted", |house| now(|| house.remove("ledger/chain"))),
    ("chain: its attestation deleted", |house| now(|| house.remove("ledger/chain.attested"))),
    ("segment: an actor renamed, written anew, listed in the manifest", |house| Box::pin(forged_segment(house, false))),
    ("segment: the same, and its index deleted", |house| Box::pin(forged_segment(house, true))),
    ("segment: a byte changed, its SHA-256 in the manifest made right", |house| now(|| relisted(house))),
    ("segment: another one under its name", |house| now(|| swap(house, "lake/entries/"))),
    ("segment: cut short", |house| now(|| cut(house, "lake/entries/"))),
    ("segment: deleted", |house| now(|| house.remove(&house.below("lake/entries/")[0]))),
    ("manifest: a segment left out", |house| now(|| left_out(house))),
    ("manifest: put back from before the last seal", |house| now(|| put_back(house, "ledger/manifest.json"))),
    ("manifest: deleted", |house| now(|| house.remove("ledger/manifest.json"))),
    ("commitments: one changed", |house| now(|| flip(house, "ledger/commitments", 17 * 32))),
    ("commitments: one changed, and the tree over it", |house| now(|| changed_commitment(house))),
    ("commitments: cut short", |house| now(|| cut(house, "ledger/commitments"))),
    ("commitments: deleted", |house| now(|| house.remove("ledger/commitments"))),
    ("tree: deleted", |house| now(|| house.remove("ledger/tree/1"))),
    ("write-ahead log: an entry of the last frame changed, checksums made right", |house| now(|| changed_frame(house))),
    ("write-ahead log: last frame cut off", |house| now(|| last_frame_off(house))),
    ("write-ahead log: deleted", |house| now(|| house.below("ledger/wal/").iter().for_each(|name| house.remove(name)))),
    ("checkpoint: signed by another key of the same name", |house| now(|| other_checkpoint(house))),
    ("checkpoint: put back from before", |house| now(|| put_back(house, "ledger/checkpoint"))),
    ("checkpoint: deleted", |house| now(|| house.remove("ledger/checkpoint"))),
    ("verifier key: that of another log", |house| now(|| other_key(house))),
    ("verifier key: deleted", |house| now(|| house.remove("ledger/log.vkey"))),
    ("record of a key epoch: deleted", |house| now(|| house.remove("ledger/epochs/1"))),
    ("record of a key epoch: cut short", |house| now(|| cut(house, "ledger/epochs/"))),
    ("anchor: a byte between the slots", |house| now(|| flip(house, "anchor/head", 300))),
    ("anchor: put back from before", |house| now(|| put_back(house, "anchor/head"))),
    ("anchor: cut short", |house| now(|| cut(house, "anchor/head"))),
    ("anchor: deleted", |house| now(|| house.remove("anchor/head"))),
];

fn now<'a>(change: impl FnOnce() + 'a) -> Done<'a> {
    change();
    Box::pin(async {})
}

fn flip(house: &House, name: &str, at: usize) {
    let mut bytes = house.read(name);
    bytes[at] ^= 4;
    house.write(name, &bytes);
}

/// Half of the first file of a kind.
fn cut(house: &House, kind: &str) {
    let name = &house.below(kind)[0];
    let bytes = house.read(name);
    house.write(name, &bytes[..bytes.len() / 2]);
}

/// Two files of a kind change places.
fn swap(house: &House, kind: &str) {
    let names = house.below(kind);
    let (first, last) = (&names[0], &names[names.len() - 1]);
    assert_ne!(first, last, "{kind}");
    let (one, other) = (house.read(first), house.read(last));
    house.write(first, &other);
    house.write(last, &one);
}

fn put_back(house: &House, name: &str) {
    house.write(name, &house.earlier[name]);
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

/// `resource.delete` becomes something else in the index that has it most, so that a search for it would not find its rows.
fn renamed_value(house: &House, signer: Option<&NoteSigner>) {
    let (from, to) = (&b"resource.delete"[..], &b"resource.dellte"[..]);
    let holds = |name: &String| house.read(name).windows(from.len()).any(|at| at == from);
    let name = house.below("lake/index/").into_iter().find(holds).unwrap();
    let mut bytes = house.read(&name);
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
        let signed = reeve_tlog::SignedNote::sign(text.join("\n") + "\n", &[signer]).unwrap().to_string();
        let trailer = [&(body as u64).to_le_bytes()[..], &(signed.len() as u32).to_le_bytes()].concat();
        bytes.truncate(note);
        bytes.extend_from_slice(signed.as_bytes());
        bytes.extend_from_slice(&trailer);
        bytes.extend_from_slice(&[0; 4]);
        bytes.extend_from_slice(b"reeveix3");
    }
    let end = bytes.len() - 24;
    let sum = crc32c::crc32c(&bytes[body..end + 12]);
    bytes[end + 12..end + 16].copy_from_slice(&sum.to_le_bytes());
    house.write(&name, &bytes);
}

fn earlier_version(house: &House) {
    let name = &house.below("lake/index/")[0];
    let mut bytes = house.read(name);
    let length = bytes.len();
    bytes[7] = b'2';
    bytes[length - 1] = b'2';
    house.write(name, &bytes);
}

/// The first record of a file of identifiers gets another mark: its event would be refused as another one's.
fn forged_record(house: &House) {
    let name = &house.below("ledger/ids/")[0];
    let mut bytes = house.read(name);
    let filter = long(&bytes, 32).div_ceil(40).max(1) * 64;
    let (page, pages) = (64 + filter, word(&bytes, 56));
    bytes[page + 9] ^= 1;
    let sum = crc32c::crc32c(&bytes[page..page + PAGE - 4]);
    bytes[page + PAGE - 4..page + PAGE].copy_from_slice(&sum.to_le_bytes());
    let digest = Sha256::digest(&bytes[page..page + PAGE]);
    let at = page + pages * PAGE;
    bytes[at..at + 16].copy_from_slice(&digest[..16]);
    house.write(name, &bytes);
}

fn manifest(house: &House, change: impl FnOnce(&mut serde_json::Value)) {
    let mut value = serde_json::from_slice(&house.read("ledger/manifest.json")).unwrap();
    change(&mut value);
    house.write("ledger/manifest.json", serde_json::to_string_pretty(&value).unwrap().as_bytes());
}

/// Lists a segment as it is now.
fn list(house: &House, name: &str) {
    let bytes = house.read(name);
    manifest(house, |value| {
        let listed = value["segments"].as_array_mut().unwrap().iter_mut().find(|one| one["path"] == name).unwrap();
        listed["sha256"] = hex::encode(Sha256::digest(&bytes)).into();
        listed["bytes"] = bytes.len().into();
    });
}

fn relisted(house: &House) {
    let name = &house.below("lake/entries/")[0];
    flip(house, name, house.read(name).len() / 2);
    list(house, name);
}

fn left_out(house: &House) {
    manifest(house, |value| {
        let segments = value["segments"].as_array_mut().unwrap();
        let gone = segments.pop().unwrap()["count"].as_u64().unwrap();
        // The counts must add up, so another segment takes the blame.
        let count = segments[0]["count"].as_u64().unwrap();
        segments[0]["count"] = (count + gone).into();
    });
}

/// A segment written by the real writer in which one of the actors has another name.
async fn forged_segment(house: &House, without_index: bool) {
    let opened = house.open().await.unwrap();
    let meta = opened.ledger.view().segments.iter().find(|meta| meta.class == "change").unwrap().clone();
    let page = opened.search.search(&request("evt", 2_000)).await.unwrap();
    opened.close().await;
    let belongs = |entry: &&Arc<StoredEntry>| {
        (meta.first_sequence..=meta.last_sequence).contains(&entry.sequence)
            && RetentionClass::of(&entry.entry.event_type).id() == meta.class
    };
    let forged = |entry: &Arc<StoredEntry>| {
        let text = String::from_utf8(entry.canonical.to_vec()).unwrap().replace("\"alice\"", "\"alicx\"");
        let (claim, _) = Entry::from_canonical(text.as_bytes()).unwrap();
        Arc::new(StoredEntry { canonical: text.into_bytes(), entry: claim, ..StoredEntry::clone(entry) })
    };
    let mut entries: Vec<_> = page.entries.iter().filter(belongs).map(forged).collect();
    entries.sort_by_key(|entry| entry.sequence);
    let elsewhere = tempfile::tempdir().unwrap();
    let written = EntrySegments::open(elsewhere.path()).await.unwrap().write(&meta.class, &entries).await.unwrap();
    assert_eq!((&written.path, written.count), (&meta.path, meta.count));
    house.write(&meta.path, &std::fs::read(elsewhere.path().join(&meta.path)).unwrap());
    list(house, &meta.path);
    if without_index {
        house.remove(&meta.path.replace("entries", "index").replace("parquet", "idx"));
    }
}

/// A commitment in a full tile, and the hash of the tile above it.
fn changed_commitment(house: &House) {
    flip(house, "ledger/commitments", 17 * 32);
    let bytes = house.read("ledger/commitments");
    let (all, _) = bytes.as_chunks::<32>();
    let mut tree = Tree::new();
    all[..256].iter().for_each(|one| tree.append(Commitment(*one).leaf_hash(), |_, _| {}));
    let mut level = house.read("ledger/tree/1");
    level[..32].copy_from_slice(&encode_tile(&[tree.root()]));
    house.write("ledger/tree/1", &level);
}

/// The write-ahead log, and where its last frame begins.
fn last_frame(house: &House) -> (String, Vec<u8>, usize) {
    let name = house.below("ledger/wal/").pop().unwrap();
    let bytes = house.read(&name);
    let at = FrameReader::new(&bytes, HEADER_LEN).map(|frame| frame.unwrap().offset).last().unwrap();
    (name, bytes, at)
}

fn last_frame_off(house: &House) {
    let (name, bytes, at) = last_frame(house);
    house.write(&name, &bytes[..at]);
}

fn changed_frame(house: &House) {
    let (name, bytes, at) = last_frame(house);
    let mut frame = FrameReader::new(&bytes, at).next().unwrap().unwrap();
    let (_, canonical) = &mut frame.entries[0];
    let changed = String::from_utf8(canonical.to_vec()).unwrap().replace("of many", "of none");
    *canonical = changed.into_bytes();
    let entries = frame.entries.iter().map(|(salt, canonical)| (salt, &canonical[..]));
    let forged = encode_frame(&frame.head, entries).unwrap();
    house.write(&name, &[&bytes[..at], &forged].concat());
}

fn other_checkpoint(house: &House) {
    let signer = NoteSigner::from_seed(ORIGIN, &[9; 32]).unwrap();
    let note = Checkpoint::new(ORIGIN, 0, empty_root()).sign(&[&signer]).unwrap();
    house.write("ledger/checkpoint", note.to_string().as_bytes());
}

fn other_key(house: &House) {
    let signer = NoteSigner::from_seed(ORIGIN, &[9; 32]).unwrap();
    house.write("ledger/log.vkey", format!("{}\n", signer.verifier()).as_bytes());
}
