//! Archives as they are written, and every way in which a byte, a name or a part of them can be
//! wrong.
#![allow(clippy::unwrap_used)]

use std::io::{self, Read, Write};

use reeve_backup::{
    ArchiveWriter, BackupManifest, Contents, Folder, Keys, MANIFEST, PartName, Summary, VERSION,
    read,
};
use tar::{Builder, EntryType, Header};

fn manifest() -> BackupManifest {
    BackupManifest {
        version: VERSION,
        created_at: "2026-11-22T10:00:00.000Z".into(),
        program: "reeve 0.1.0".into(),
        origin: "log.example".into(),
        size: 3,
        root: "00".repeat(32),
        checkpoint: "log.example\n3\n".into(),
        public_key: "log.example+01234567+AA".into(),
        keys: Keys::Absent,
        state_schema: Some(15),
        parts: Vec::new(),
        attestation: None,
    }
}

const PARTS: [(&str, &[u8]); 4] = [
    ("ledger/manifest.json", b"{}"),
    ("ledger/wal/00000000000000000000.wal", &[7; 5000]),
    ("lake/samples/a~2fb/2026-11-20/1-2.parquet", b""),
    ("charges/march.csv", b"a,b\n1,2\n"),
];

fn archive() -> (Vec<u8>, Summary) {
    let mut writer = ArchiveWriter::new(Vec::new()).unwrap();
    for (name, content) in PARTS {
        writer
            .add(
                &PartName::parse(name).unwrap(),
                content.len() as u64,
                content,
            )
            .unwrap();
    }

    writer.finish(manifest()).unwrap()
}

fn check(bytes: &[u8]) -> Contents {
    read(bytes, &mut ()).unwrap()
}

/// An archive as somebody else would make it: any entries, in the outer form that is expected.
fn forged(build: impl FnOnce(&mut Builder<&mut Vec<u8>>)) -> Vec<u8> {
    let mut tar = Vec::new();
    {
        let mut builder = Builder::new(&mut tar);
        build(&mut builder);
        builder.finish().unwrap();
    }

    use sha2::Digest as _;

    let mut file = zstd::encode_all(tar.as_slice(), 1).unwrap();
    let digest = sha2::Sha256::digest(&file);
    file.extend_from_slice(b"\x5b\x2a\x4d\x18\x28\0\0\0reevebak");
    file.extend_from_slice(&digest);

    file
}

fn entry(builder: &mut Builder<&mut Vec<u8>>, name: &str, kind: EntryType, content: &[u8]) {
    let mut header = Header::new_gnu();
    // Written by hand: the library would refuse some of these names.
    let field = &mut header.as_old_mut().name;
    field[..name.len()].copy_from_slice(name.as_bytes());
    header.set_entry_type(kind);
    header.set_size(content.len() as u64);
    if kind == EntryType::Symlink {
        header.set_link_name("/etc/passwd").unwrap();
    }

    header.set_cksum();
    builder.append(&header, content).unwrap();
}

fn listing(parts: &[(&str, &[u8])]) -> Vec<u8> {
    use sha2::Digest as _;

    let parts = parts
        .iter()
        .map(|(path, content)| reeve_backup::BackupPart {
            path: (*path).to_owned(),
            bytes: content.len() as u64,
            sha256: hex::encode(sha2::Sha256::digest(content)),
        });

    serde_json::to_vec(&BackupManifest {
        parts: parts.collect(),
        ..manifest()
    })
    .unwrap()
}

#[test]
fn a_written_archive_is_read_back() {
    let (bytes, summary) = archive();
    assert_eq!(
        (summary.bytes, summary.parts),
        (bytes.len() as u64, PARTS.len())
    );

    let home = tempfile::tempdir().unwrap();
    let root = home.path().join("new");
    let mut folder = Folder::create(&root, |_| true).unwrap();
    let contents = read(bytes.as_slice(), &mut folder).unwrap();
    folder.sync().unwrap();
    assert!(contents.flaws.is_empty(), "{:?}", contents.flaws);
    assert_eq!(
        (contents.bytes, contents.sha256.as_deref()),
        (summary.bytes, Some(summary.sha256.as_str()))
    );

    let listed = contents.manifest.unwrap();
    assert_eq!(
        BackupManifest {
            parts: Vec::new(),
            ..listed.clone()
        },
        manifest()
    );

    assert_eq!(
        listed
            .parts
            .iter()
            .map(|part| part.path.as_str())
            .collect::<Vec<_>>(),
        PARTS.map(|(name, _)| name)
    );

    for (name, content) in PARTS {
        assert_eq!(std::fs::read(root.join(name)).unwrap(), content, "{name}");
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(
            std::fs::metadata(root.join(name))
                .unwrap()
                .permissions()
                .mode()
                & 0o777,
            0o600
        );
    }

    assert!(
        Folder::create(&root, |_| true).is_err(),
        "a folder that is there is nobody's to fill"
    );
}

#[test]
fn other_programs_read_it_too() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("backup.tar.zst");
    std::fs::write(&file, archive().0).unwrap();
    let tar = zstd::decode_all(std::fs::File::open(&file).unwrap()).unwrap();
    let mut plain = tar::Archive::new(tar.as_slice());
    let names: Vec<_> = plain
        .entries()
        .unwrap()
        .map(|entry| entry.unwrap().path().unwrap().display().to_string())
        .collect();
    assert_eq!(names.len(), PARTS.len() + 1);
    assert_eq!(names.last().map(String::as_str), Some(MANIFEST));
}

#[test]
fn every_flipped_bit_is_found() {
    let (bytes, _) = archive();
    for at in 0..bytes.len() {
        for bit in [0, 3, 7] {
            let mut flipped = bytes.clone();
            flipped[at] ^= 1 << bit;
            assert!(!check(&flipped).flaws.is_empty(), "byte {at}, bit {bit}");
        }
    }
}

#[test]
fn every_cut_and_every_addition_is_found() {
    let (bytes, _) = archive();
    for length in 0..bytes.len() {
        assert!(!check(&bytes[..length]).flaws.is_empty(), "{length} bytes");
    }

    let mut longer = bytes.clone();
    longer.push(0);
    assert!(!check(&longer).flaws.is_empty());
    longer.extend_from_slice(&bytes);
    assert!(!check(&longer).flaws.is_empty());
}

#[test]
fn a_name_that_leads_elsewhere_is_never_opened() {
    struct Nowhere;
    impl reeve_backup::BackupSink for Nowhere {
        fn open(&mut self, name: &PartName, _: u64) -> io::Result<Option<Box<dyn Write + '_>>> {
            panic!("{name} was opened")
        }
    }

    for name in [
        "../evil",
        "/etc/evil",
        "ledger/../../evil",
        "home/evil",
        "ledger/.evil",
        "ledger",
    ] {
        let bytes = forged(|tar| entry(tar, name, EntryType::Regular, b"x"));
        let contents = read(bytes.as_slice(), &mut Nowhere).unwrap();
        assert!(
            contents.flaws[0]
                .to_string()
                .contains("is not a path in a data directory"),
            "{:?}",
            contents.flaws
        );
    }

    for kind in [
        EntryType::Symlink,
        EntryType::Link,
        EntryType::Directory,
        EntryType::Fifo,
        EntryType::Block,
    ] {
        let bytes = forged(|tar| entry(tar, "ledger/x", kind, b""));
        let contents = read(bytes.as_slice(), &mut Nowhere).unwrap();
        assert!(
            contents.flaws[0].to_string().contains("not a regular file"),
            "{:?}",
            contents.flaws
        );
    }
}

#[test]
fn parts_and_manifest_must_agree() {
    let a: (&str, &[u8]) = ("ledger/a", b"one");
    let b: (&str, &[u8]) = ("ledger/b", b"two");
    let put = |tar: &mut Builder<&mut Vec<u8>>, (name, content): (&str, &[u8])| {
        entry(tar, name, EntryType::Regular, content);
    };

    let with = |parts: &[(&str, &[u8])], listed: &[(&str, &[u8])]| {
        let bytes = forged(|tar| {
            parts.iter().for_each(|part| put(tar, *part));
            put(tar, (MANIFEST, &listing(listed)));
        });
        check(&bytes)
            .flaws
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .join("; ")
    };
    assert_eq!(with(&[a, b], &[a, b]), "");

    assert!(with(&[a], &[a, b]).contains("ledger/b: the manifest lists it, and it is not there"));
    assert!(with(&[a, b], &[a]).contains("ledger/b: the manifest does not list it"));
    assert!(with(&[a, a], &[a]).contains("ledger/a: it is there twice"));
    assert!(with(&[("ledger/a", b"two")], &[a]).contains("ledger/a: its SHA-256 is "));
    assert!(with(&[("ledger/a", b"longer")], &[a]).contains("ledger/a: it has 6 bytes, not 3"));

    let after = forged(|tar| {
        put(tar, (MANIFEST, &listing(&[])));
        put(tar, a);
    });
    assert!(
        check(&after).flaws[0]
            .to_string()
            .contains("there is data after the manifest")
    );

    let newer = forged(|tar| put(tar, (MANIFEST, br#"{"version":3,"more":true}"#)));
    assert!(
        check(&newer).flaws[0].to_string().contains("version 3"),
        "{:?}",
        check(&newer).flaws
    );
}

#[test]
fn a_part_that_is_shorter_than_announced_is_an_error() {
    let mut writer = ArchiveWriter::new(Vec::new()).unwrap();
    let name = PartName::parse("ledger/a").unwrap();
    let error = writer.add(&name, 10, b"four".as_slice()).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof, "{error}");
}

#[test]
fn a_sink_that_fails_is_an_error_and_no_flaw() {
    struct Full;
    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::Error::from(io::ErrorKind::StorageFull))
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    struct Disk;
    impl reeve_backup::BackupSink for Disk {
        fn open(&mut self, _: &PartName, _: u64) -> io::Result<Option<Box<dyn Write + '_>>> {
            Ok(Some(Box::new(Full)))
        }
    }

    let error = read(archive().0.as_slice(), &mut Disk).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::StorageFull);
}

/// Gives what it is asked for and counts it: an archive is read once, in small pieces.
struct Counted<'a>(&'a [u8], usize);

impl Read for Counted<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let most = 1.max(into.len() / 7);
        let read = self.0.read(&mut into[..most])?;
        self.1 += read;
        Ok(read)
    }
}

#[test]
fn short_reads_change_nothing() {
    let (bytes, _) = archive();
    let mut counted = Counted(&bytes, 0);
    let contents = read(&mut counted, &mut ()).unwrap();
    assert!(contents.flaws.is_empty(), "{:?}", contents.flaws);
    assert_eq!(counted.1, bytes.len());
}
