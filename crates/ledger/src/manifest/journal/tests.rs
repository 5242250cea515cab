//! The journal: what is appended is read, what is cut or changed does not count.
#![allow(clippy::unwrap_used)]

use reeve_tlog::{NoteSigner, leaf_hash};

use super::*;
use crate::disk::LocalDisk;
use crate::segment::{Erased, Expired, Moved, SegmentContent};

fn attestor(seed: u8) -> Arc<Attestor> {
    Arc::new(Attestor::new(
        Arc::new(NoteSigner::from_seed("log.example", &[seed; 32]).unwrap()),
        None,
    ))
}

fn segment(first: u64, end: u64) -> SegmentMeta {
    SegmentMeta {
        path: format!("lake/entries/default/{first}"),
        class: "default".into(),
        first_sequence: first,
        last_sequence: end - 1,
        count: end - first,
        bytes: 1,
        sha256: "00".into(),
        min_timestamp_ms: 0,
        max_timestamp_ms: 0,
        max_recorded_at_ms: None,
        expired: None,
        erased: Vec::new(),
        moved: None,
    }
}

fn seal(first: u64, end: u64) -> Seal {
    let root = leaf_hash(&end.to_le_bytes());
    Seal {
        sealed_size: end,
        root,
        chain_hash: Hash::ZERO,
        segments: vec![segment(first, end)],
    }
}

struct Written {
    folder: tempfile::TempDir,
    disk: Arc<dyn Disk>,
    attestor: Arc<Attestor>,
    journal: Journal,
}

impl Written {
    /// A journal of so many seals of ten entries.
    fn seals(count: u64) -> Written {
        let (folder, disk, attestor) = (
            tempfile::tempdir().unwrap(),
            Arc::new(LocalDisk) as Arc<dyn Disk>,
            attestor(1),
        );
        let path = folder.path().join("manifest.journal");
        let mut journal =
            Journal::create(&disk, &path, &attestor, &Manifest::empty("log.example")).unwrap();
        for at in 0..count {
            journal.append(&seal(at * 10, at * 10 + 10), &[]).unwrap();
        }

        Written {
            folder,
            disk,
            attestor,
            journal,
        }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("manifest.journal")
    }

    fn read(&self) -> Result<JournalContent, ManifestError> {
        read(self.disk.as_ref(), &self.path(), &self.attestor).map(Option::unwrap)
    }
}

#[test]
fn each_seal_adds_a_line() {
    let mut written = Written::seals(3);
    let content = written.read().unwrap();
    assert_eq!(
        (
            content.manifest.sealed_size,
            content.records,
            content.rejected.clone()
        ),
        (30, 4, None)
    );

    assert_eq!(
        content.manifest.segments,
        [segment(0, 10), segment(10, 20), segment(20, 30)]
    );

    let refused = written.journal.append(&seal(25, 40), &[]).unwrap_err();
    assert!(
        matches!(refused, ManifestError::Contradiction(_)),
        "{refused}"
    );
    assert_eq!(written.read().unwrap(), content);
}

/// A kill at any byte of an append leaves the records before, and the next append goes on from
/// there.
#[test]
fn an_append_that_is_cut_at_any_byte_does_not_count() {
    let written = Written::seals(2);
    let before = std::fs::read(written.path()).unwrap();
    let mut journal = written.journal;
    journal.append(&seal(20, 30), &[]).unwrap();
    let path = written.folder.path().join("manifest.journal");
    let whole = std::fs::read(&path).unwrap();

    for cut in before.len()..=whole.len() {
        std::fs::write(&path, &whole[..cut]).unwrap();
        let content = read(written.disk.as_ref(), &path, &written.attestor)
            .unwrap()
            .unwrap();
        let expected = if cut == whole.len() { 30 } else { 20 };
        assert_eq!(content.manifest.sealed_size, expected, "{cut}");
        assert_eq!(
            content.rejected.is_some(),
            cut > before.len() && cut < whole.len(),
            "{cut}"
        );
        let mut again = Journal::open(&written.disk, &path, &written.attestor, &content).unwrap();
        again.append(&seal(expected, expected + 5), &[]).unwrap();
        let content = read(written.disk.as_ref(), &path, &written.attestor)
            .unwrap()
            .unwrap();
        assert_eq!(
            (content.manifest.sealed_size, content.rejected),
            (expected + 5, None),
            "{cut}"
        );
    }
}

#[test]
fn a_flipped_byte_takes_its_record_and_all_later_ones_out() {
    let written = Written::seals(3);
    let whole = std::fs::read(written.path()).unwrap();

    for at in 0..whole.len() {
        let mut flipped = whole.clone();
        flipped[at] ^= 1;
        std::fs::write(written.path(), &flipped).unwrap();
        let line = whole[..at].iter().filter(|byte| **byte == b'\n').count() as u64;
        match written.read() {
            // A note has one spelling, so the attestation itself cannot be bent either.
            Ok(content) => {
                assert!(content.rejected.is_some(), "byte {at}");
                assert!(
                    content.manifest.sealed_size <= line.saturating_sub(1) * 10,
                    "byte {at}"
                );
            }
            Err(ManifestError::Version(_)) => {}
            Err(error) => assert!(
                line == 0 && matches!(error, ManifestError::Unattested(_)),
                "byte {at}: {error}"
            ),
        }
    }
}

#[test]
fn another_key_attests_nothing() {
    let written = Written::seals(1);
    let other = read(written.disk.as_ref(), &written.path(), &attestor(2));
    assert!(
        matches!(other, Err(ManifestError::Unattested(_))),
        "{other:?}"
    );
}

#[test]
fn many_records_become_one_and_a_removed_file_is_written_again() {
    let mut written = Written::seals(FOLD_AT as u64);
    let content = written.read().unwrap();
    assert_eq!(content.records, FOLD_AT + 1);
    written.journal =
        Journal::open(&written.disk, &written.path(), &written.attestor, &content).unwrap();
    let folded = written.read().unwrap();
    assert_eq!((folded.records, &folded.manifest), (1, &content.manifest));
    std::fs::remove_file(written.path()).unwrap();
    let end = content.manifest.sealed_size;
    written
        .journal
        .append(&seal(end, end + 1), &content.manifest.segments)
        .unwrap();
    assert_eq!(written.read().unwrap().manifest.segments.len(), FOLD_AT + 1);
}

/// A file that a version before expiry wrote, signed by the key with the seed of 32 ones.
#[test]
fn a_file_of_version_2_is_read() {
    let bytes = include_bytes!("../../../tests/fixtures/manifest-v2.journal");
    let attestor = attestor(1);
    let attested =
        |note: &[u8], size: u64, digest: Digest| attestor.check(note, NAME, size, digest);
    let content = decode(bytes, attested).unwrap();
    assert_eq!(
        (
            content.manifest.sealed_size,
            content.records,
            content.rejected
        ),
        (20, 3, None)
    );
}

/// Marks the segment of the first ten entries.
fn marked(entry: u64, freed: Option<u64>) -> SegmentMeta {
    let expired = Some(Expired {
        entry,
        policy_version: 3,
        freed,
    });
    SegmentMeta {
        expired,
        ..segment(0, 10)
    }
}

/// A segment of ten entries after an erasure of these.
fn erased(before: &SegmentMeta, sequences: &[(u64, u64)]) -> SegmentMeta {
    let mut after = before.clone();
    after.erased.push(Erased {
        entry: 15,
        request: "request-1".into(),
        sequences: sequences.to_vec(),
        tier: before.moved.as_ref().map(|moved| moved.tier),
    });
    after.moved = None;
    after.count = before.sealed_count() - after.erased_count();
    after.path = before.path_after(after.erased.len());
    after
}

/// The file that the version before erasures and tiers wrote.
#[test]
fn a_file_of_version_3_is_read() {
    let written = Written::seals(0);
    let bytes = include_bytes!("../../../tests/fixtures/manifest-v3.journal");
    std::fs::write(written.path(), bytes).unwrap();
    let content = written.read().unwrap();
    assert_eq!((content.records, content.manifest.sealed_size), (5, 20));
    assert_eq!(
        content.manifest.segments,
        [marked(15, Some(16)), segment(10, 20)]
    );
}

/// The segment of the last ten entries in a tier.
fn moved(tier: Tier, entry: u64, leaving: Option<Tier>) -> SegmentMeta {
    let content = SegmentContent {
        event_types: [("resource.view".to_owned(), 10)].into(),
        max_timestamp_ms: 1,
        max_recorded_at_ms: 2,
    };
    SegmentMeta {
        moved: Some(Moved {
            tier,
            entry,
            leaving,
            content,
        }),
        ..segment(10, 20)
    }
}

/// The file that the version before erasures in farther tiers wrote.
#[test]
fn a_file_of_version_4_is_read() {
    let written = Written::seals(0);
    let bytes = include_bytes!("../../../tests/fixtures/manifest-v4.journal");
    std::fs::write(written.path(), bytes).unwrap();
    let content = written.read().unwrap();
    assert_eq!((content.records, content.manifest.sealed_size), (10, 30));
    let cold = moved(Tier::Cold, 14, Some(Tier::Warm));
    let after = erased(&segment(20, 30), &[(20, 22), (29, 29)]);
    assert_eq!(
        content.manifest.segments,
        [marked(15, Some(16)), cold, after]
    );
}

/// The file as this version writes it; `REEVE_UPDATE=1` writes the fixture anew.
#[test]
fn a_file_of_version_5_is_written_and_read() {
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/manifest-v5.journal");
    let mut written = Written::seals(3);
    let states = [
        moved(Tier::Warm, 13, Some(Tier::Hot)),
        moved(Tier::Warm, 13, None),
        moved(Tier::Cold, 14, Some(Tier::Warm)),
    ];
    for state in &states {
        let all = [segment(0, 10), state.clone(), segment(20, 30)];
        written.journal.relocate(vec![state.clone()], &all).unwrap();
    }
    for freed in [None, Some(16)] {
        let all = [marked(15, freed), states[2].clone(), segment(20, 30)];
        written
            .journal
            .expire(vec![marked(15, freed)], &all)
            .unwrap();
    }
    let after = erased(&segment(20, 30), &[(20, 22), (29, 29)]);
    let all = [marked(15, Some(16)), states[2].clone(), after.clone()];
    written.journal.erase(vec![after.clone()], &all).unwrap();
    // The one in the cold tier is written anew on the local disk, and moved again.
    let settled = moved(Tier::Cold, 14, None);
    let rewritten = erased(&settled, &[(10, 10), (15, 19)]);
    let back = SegmentMeta {
        moved: moved(Tier::Cold, 17, Some(Tier::Hot)).moved,
        ..rewritten.clone()
    };
    let with = |one: &SegmentMeta| [marked(15, Some(16)), one.clone(), after.clone()];
    let journal = &mut written.journal;
    journal
        .relocate(vec![settled.clone()], &with(&settled))
        .unwrap();
    journal
        .erase(vec![rewritten.clone()], &with(&rewritten))
        .unwrap();
    journal.relocate(vec![back.clone()], &with(&back)).unwrap();
    let all = with(&back);
    let bytes = std::fs::read(written.path()).unwrap();
    if std::env::var_os("REEVE_UPDATE").is_some() {
        std::fs::write(&fixture, &bytes).unwrap();
    }

    assert_eq!(std::fs::read(&fixture).unwrap(), bytes);
    let content = written.read().unwrap();
    assert_eq!((content.records, content.manifest.sealed_size), (13, 30));
    assert_eq!(content.manifest.segments, all);
    // A snapshot of it is read too.
    let folded = Journal::create(
        &written.disk,
        &written.path(),
        &written.attestor,
        &content.manifest,
    );
    drop(folded.unwrap());
    assert_eq!(written.read().unwrap().manifest.segments, all);
}

#[test]
fn an_erasure_accounts_for_each_entry() {
    let sound = erased(&segment(10, 20), &[(10, 12)]);
    replace(&mut [segment(10, 20)], std::slice::from_ref(&sound)).unwrap();
    type Change = fn(&mut SegmentMeta);
    let changes: [(&str, Change); 10] = [
        ("than the local disk", |after| {
            after.moved = moved(Tier::Warm, 13, None).moved
        }),
        ("names another tier", |after| {
            after.erased[0].tier = Some(Tier::Warm)
        }),
        ("not account", |after| after.count += 1),
        ("another file", |after| after.path.push('x')),
        ("erases nothing", |after| after.erased.clear()),
        ("differently", |after| after.last_sequence += 1),
        ("in order", |after| {
            after.erased[0].sequences = vec![(9, 11)]
        }),
        ("in order", |after| {
            after.erased[0].sequences = vec![(12, 11), (12, 14)]
        }),
        ("not listed", |after| after.first_sequence = 11),
        ("has expired", |after| {
            after.expired = marked(15, None).expired
        }),
    ];
    for (message, change) in changes {
        let mut after = sound.clone();
        change(&mut after);
        let error = replace(&mut [segment(10, 20)], &[after]).unwrap_err();
        assert!(error.to_string().contains(message), "{message}: {error}");
    }

    // What was erased before can be moved.
    let mut segments = [sound.clone()];
    let after = SegmentMeta {
        moved: moved(Tier::Warm, 13, Some(Tier::Hot)).moved,
        ..sound.clone()
    };
    relocate(&mut segments, std::slice::from_ref(&after)).unwrap();
    assert_eq!(segments, [after]);

    let mut twice = sound.clone();
    let mut second = twice.erased[0].clone();
    second.sequences = vec![(12, 14)];
    twice.erased.push(second);
    twice.path = sound.path_after(2);
    twice.count = 4;
    let error = replace(&mut [sound], &[twice]).unwrap_err();
    assert!(error.to_string().contains("erased before"), "{error}");
}

#[test]
fn an_erasure_brings_a_settled_segment_to_the_local_disk_and_names_its_tier() {
    let warm = moved(Tier::Warm, 13, None);
    let after = erased(&warm, &[(10, 12)]);
    let named = |tier: Option<Tier>| {
        let mut after = after.clone();
        after.erased[0].tier = tier;
        after
    };
    let mut segments = [warm.clone()];
    replace(&mut segments, std::slice::from_ref(&after)).unwrap();
    assert_eq!(segments[0], after);
    let kept = SegmentMeta {
        moved: warm.moved.clone(),
        ..after.clone()
    };
    for (before, wrong, message) in [
        (&warm, kept, "than the local disk"),
        (&warm, named(None), "names another tier"),
        (&warm, named(Some(Tier::Hot)), "names another tier"),
        (&warm, named(Some(Tier::Cold)), "names another tier"),
        (
            &moved(Tier::Warm, 13, Some(Tier::Hot)),
            after.clone(),
            "has not ended",
        ),
    ] {
        let error = replace(&mut [before.clone()], &[wrong]).unwrap_err();
        assert!(error.to_string().contains(message), "{message}: {error}");
    }

    // It moves to its tier again, from the local disk, and is erased from again there.
    let moved_again = |leaving: Option<Tier>| SegmentMeta {
        moved: moved(Tier::Warm, 16, leaving).moved,
        ..after.clone()
    };
    relocate(&mut segments, &[moved_again(None)]).unwrap_err();
    relocate(&mut segments, &[moved_again(Some(Tier::Hot))]).unwrap();
    relocate(&mut segments, &[moved_again(None)]).unwrap();
    let second = erased(&moved_again(None), &[(15, 19)]);
    replace(&mut segments, std::slice::from_ref(&second)).unwrap();
    assert_eq!(segments, [second]);
}

#[test]
fn a_move_follows_from_the_one_before() {
    let hot = segment(10, 20);
    let warm = moved(Tier::Warm, 13, Some(Tier::Hot));
    let settled = moved(Tier::Warm, 13, None);
    let cold = moved(Tier::Cold, 14, Some(Tier::Warm));
    let expired = SegmentMeta {
        expired: marked(15, None).expired,
        ..hot.clone()
    };
    for (before, after, follows) in [
        (&hot, &warm, true),
        (&warm, &settled, true),
        (&settled, &cold, true),
        (&hot, &settled, false),
        (&hot, &moved(Tier::Hot, 13, Some(Tier::Hot)), false),
        (&hot, &cold, false),
        (&warm, &cold, false),
        (&settled, &settled, false),
        (&settled, &hot, false),
        (&warm, &moved(Tier::Warm, 14, None), false),
        (&cold, &moved(Tier::Warm, 15, Some(Tier::Cold)), false),
        (&expired, &warm, false),
    ] {
        let mut segments = vec![segment(0, 10), before.clone()];
        let done = relocate(&mut segments, std::slice::from_ref(after));
        assert_eq!(done.is_ok(), follows, "{before:?} {after:?}");
    }
}

#[test]
fn a_mark_is_never_taken_back_or_changed() {
    let other = SegmentMeta {
        count: 9,
        ..marked(15, None)
    };
    let unlisted = SegmentMeta {
        first_sequence: 3,
        ..marked(15, None)
    };
    for wrong in [
        segment(0, 10),
        marked(16, None),
        marked(15, None),
        other,
        unlisted,
    ] {
        let mut segments = vec![segment(0, 10), segment(10, 20)];
        mark(&mut segments, &[marked(15, None)]).unwrap();
        mark(&mut segments, &[wrong]).unwrap_err();
        mark(&mut segments, &[marked(15, Some(16))]).unwrap();
        mark(&mut segments, &[marked(15, Some(17))]).unwrap_err();
    }
}
