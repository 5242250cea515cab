//! Keys, notes and checkpoints: what is written reads back the same; everything else is refused.

use proptest::prelude::*;
use reeve_tlog::{
    Checkpoint, CheckpointError, CheckpointOpenError, Hash, KeyError, NoteError, NoteSigner,
    NoteVerifier, NoteVerifyError, SignedNote, leaf_hash,
};

/// A key that is the same in every run.
pub(crate) fn signer(name: &str, seed: u8) -> NoteSigner {
    NoteSigner::from_seed(name, &[seed; 32]).unwrap()
}

fn known(signers: &[&NoteSigner]) -> Vec<NoteVerifier> {
    signers.iter().map(|s| s.verifier().clone()).collect()
}

#[test]
fn keys_round_trip() {
    for name in ["reeve.local/main", "a", "schlüssel.example/ü"] {
        let signer = signer(name, 7);
        let vkey = signer.verifier().to_string();
        assert_eq!(vkey.parse::<NoteVerifier>().as_ref(), Ok(signer.verifier()));
        let again = NoteSigner::from_skey(&signer.to_skey()).unwrap();
        assert_eq!(again.verifier(), signer.verifier());
        assert_eq!(again.sign(b"message"), signer.sign(b"message"));
        let id = signer.id();
        assert_eq!(format!("{signer:?}"), format!("NoteSigner({name}+{id})"));
        assert_eq!(format!("{:?}", signer.verifier()), vkey);
    }
}

#[test]
fn refused_names() {
    for name in [
        "",
        " ",
        "a b",
        "a+b",
        "a\n",
        "a\u{1}",
        "a\u{a0}b",
        "a\u{2003}b",
    ] {
        let refused = NoteSigner::from_seed(name, &[1; 32]).map(drop);
        assert_eq!(refused, Err(KeyError::Name), "{name:?}");
    }
}

#[test]
fn refused_verifier_keys() {
    let vkey = signer("log.example", 1).verifier().to_string();
    let (name_and_id, key) = vkey.rsplit_once('+').unwrap();
    let (_, id) = name_and_id.split_once('+').unwrap();
    let expected = signer("log.example", 1).id();
    let base64 = |bytes: &[u8]| {
        use base64::Engine as _;
        base64::engine::general_purpose::STANDARD.encode(bytes)
    };

    let mut small_order = [0; 33];
    (small_order[0], small_order[1]) = (1, 1);
    let cases = [
        (String::new(), KeyError::Malformed),
        ("log.example".to_owned(), KeyError::Malformed),
        (format!("log.example+{id}"), KeyError::Malformed),
        (format!("+{id}+{key}"), KeyError::Name),
        (format!("{vkey}\n"), KeyError::Malformed),
        (
            format!("log.example+{id}+{}", &key[1..]),
            KeyError::Malformed,
        ),
        (
            format!("log.example+{id}+{}", base64(&[1; 32])),
            KeyError::Algorithm,
        ),
        (
            format!("log.example+{id}+{}", base64(&[4; 33])),
            KeyError::Algorithm,
        ),
        (format!("log.example+{id}+"), KeyError::Algorithm),
        (
            format!("log.example+{id}+{}", base64(&small_order)),
            KeyError::PublicKey,
        ),
        (
            format!("log.example+00000000+{key}"),
            KeyError::Id(expected),
        ),
        (
            format!("log.example+{}+{key}", id.to_uppercase()),
            KeyError::Id(expected),
        ),
        (format!("log.example+0{id}+{key}"), KeyError::Id(expected)),
    ];

    assert!(id.contains(|c: char| c.is_ascii_lowercase()), "{id}");
    for (text, expect) in cases {
        assert_eq!(text.parse::<NoteVerifier>(), Err(expect), "{text:?}");
    }

    let skey = signer("log.example", 1).to_skey();
    assert_eq!(
        NoteSigner::from_skey(&vkey).map(drop),
        Err(KeyError::Malformed)
    );
    assert!(NoteSigner::from_skey(&skey[..skey.len() - 1]).is_err());
    assert!(skey.parse::<NoteVerifier>().is_err());
}

#[test]
fn notes_verify_by_the_keys_that_signed() {
    let (log, witness, other) = (signer("log", 1), signer("witness", 2), signer("log", 3));
    let mut note = SignedNote::sign("text\n\nmore\n".to_owned(), &[&log, &witness]).unwrap();
    assert_eq!(
        SignedNote::parse(note.to_string().as_bytes()),
        Ok(note.clone())
    );

    let names = |keys: &[&NoteSigner]| {
        let keys = known(keys);
        let signed = note.verify(&keys)?;
        Ok(signed.iter().map(|k| k.id()).collect::<Vec<_>>())
    };
    assert_eq!(names(&[&log]), Ok(vec![log.id()]));

    assert_eq!(
        names(&[&witness, &other, &log]),
        Ok(vec![log.id(), witness.id()])
    );
    // The same name with another key is an unknown key.
    assert_eq!(names(&[&other]), Err(NoteVerifyError::NoKnownKey));
    assert_eq!(names(&[]), Err(NoteVerifyError::NoKnownKey));

    // One wrong signature by a known key fails the note, whoever else has signed.
    let foreign = SignedNote::sign("other\n".to_owned(), &[&witness])
        .unwrap()
        .to_string();
    let line = foreign.lines().last().unwrap();
    let mixed = format!(
        "{}{line}\n",
        SignedNote::sign("text\n".to_owned(), &[&log]).unwrap()
    );
    let mixed = SignedNote::parse(mixed.as_bytes()).unwrap();
    assert_eq!(mixed.verify(&known(&[&log])).unwrap().len(), 1);

    let bad = NoteVerifyError::BadSignature {
        name: "witness".to_owned(),
        id: witness.id(),
    };
    assert_eq!(mixed.verify(&known(&[&log, &witness])), Err(bad));

    // A key that signed twice counts once.
    note.add_signature(&log).unwrap();
    assert_eq!(note.signatures().len(), 3);
    assert_eq!(note.verify(&known(&[&log])).unwrap().len(), 1);
}

#[test]
fn refused_notes() {
    let log = signer("log", 1);
    let good = SignedNote::sign("text\n".to_owned(), &[&log])
        .unwrap()
        .to_string();
    let line = good.lines().last().unwrap();
    let cases = [
        (String::new(), NoteError::Unended),
        ("text\n".to_owned(), NoteError::NoSignatures),
        ("text\n\n".to_owned(), NoteError::NoSignatures),
        (format!("text\n{line}\n"), NoteError::NoSignatures),
        (good[..good.len() - 1].to_owned(), NoteError::Unended),
        (format!("{good}\n"), NoteError::NoSignatures),
        (format!("{good}more\n"), NoteError::SignatureLine(2)),
        (good.replace("text\n", "text\r\n"), NoteError::Characters),
        (good.replace("text", "te\tt"), NoteError::Characters),
        (good.replace("— ", "- "), NoteError::SignatureLine(1)),
        (good.replace("— ", "—"), NoteError::SignatureLine(1)),
        (good.replace("— log ", "— "), NoteError::SignatureLine(1)),
        (
            good.replace("— log ", "— a+b "),
            NoteError::SignatureLine(1),
        ),
        (
            good.replace("— log ", "— log  "),
            NoteError::SignatureLine(1),
        ),
        (
            format!("{} \n", good.trim_end()),
            NoteError::SignatureLine(1),
        ),
        (
            format!("{}=\n", good.trim_end()),
            NoteError::SignatureLine(1),
        ),
        (
            "text\n\n— log AAAAAA==\n".to_owned(),
            NoteError::SignatureLine(1),
        ),
        (
            format!("{good}{}", format!("{line}\n").repeat(100)),
            NoteError::TooManySignatures,
        ),
        ("x".repeat((1 << 20) + 1), NoteError::TooLong),
    ];

    for (text, expect) in cases {
        let shown = text.chars().take(80).collect::<String>();
        assert_eq!(SignedNote::parse(text.as_bytes()), Err(expect), "{shown:?}");
    }

    let not_utf8 = SignedNote::parse(&[good.as_bytes(), b"\xff\n"].concat());
    assert_eq!(not_utf8, Err(NoteError::Characters));

    let unsigned = SignedNote::sign("text\n".to_owned(), &[]);
    assert_eq!(unsigned, Err(NoteError::NoSignatures));

    let unended = SignedNote::sign("text".to_owned(), &[&log]);
    assert_eq!(unended, Err(NoteError::Text));

    let control = SignedNote::sign("te\u{7}t\n".to_owned(), &[&log]);
    assert_eq!(control, Err(NoteError::Characters));
}

#[test]
fn checkpoints_round_trip() {
    let log = signer("reeve.local/main", 1);
    let mut checkpoint = Checkpoint::new("reeve.local/main", 20_852_163, leaf_hash(b"root"));

    for extension in ["", "one", "two"] {
        if !extension.is_empty() {
            checkpoint.extensions.push(extension.to_owned());
        }
        let note = checkpoint.sign(&[&log]).unwrap().to_string();
        let opened = Checkpoint::open(note.as_bytes(), &known(&[&log]));
        assert_eq!(opened.as_ref(), Ok(&checkpoint));
    }
}

#[test]
fn refused_checkpoint_texts() {
    let root = Hash::ZERO.to_base64();
    let cases = [
        (String::new(), CheckpointError::Unended),
        (format!("log\n1\n{root}"), CheckpointError::Unended),
        ("log\n1\n".to_owned(), CheckpointError::TooShort),
        (format!("\n1\n{root}\n"), CheckpointError::Origin),
        (format!("log\n\n{root}\n"), CheckpointError::Size),
        (format!("log\n01\n{root}\n"), CheckpointError::Size),
        (format!("log\n+1\n{root}\n"), CheckpointError::Size),
        (format!("log\n1 \n{root}\n"), CheckpointError::Size),
        (
            format!("log\n18446744073709551616\n{root}\n"),
            CheckpointError::Size,
        ),
        (format!("log\n1\n{}\n", Hash::ZERO), CheckpointError::Root),
        (format!("log\n1\n{}\n", &root[..43]), CheckpointError::Root),
        (format!("log\n1\n {root}\n"), CheckpointError::Root),
        (format!("log\n1\n{root}\n\n"), CheckpointError::Extension(1)),
        (
            format!("log\n1\n{root}\na\n\nb\n"),
            CheckpointError::Extension(2),
        ),
        (
            format!("log\r\n1\r\n{root}\r\n"),
            CheckpointError::Characters,
        ),
    ];
    for (text, expect) in cases {
        assert_eq!(Checkpoint::parse(&text), Err(expect), "{text:?}");
    }
    let write = |origin: &str, extension: &str| {
        let mut checkpoint = Checkpoint::new(origin, 0, Hash::ZERO);
        checkpoint.extensions.push(extension.to_owned());
        checkpoint.to_text().map(drop)
    };
    assert_eq!(write("", "a"), Err(CheckpointError::Origin));
    assert_eq!(write("log", ""), Err(CheckpointError::Extension(1)));
    assert_eq!(write("l\nog", "a"), Err(CheckpointError::Characters));
    assert_eq!(write("log", "a\r"), Err(CheckpointError::Characters));
    assert_eq!(write("log", "a"), Ok(()));
}

#[test]
fn a_witness_alone_is_not_the_log() {
    let (log, witness) = (signer("log", 1), signer("witness", 2));
    let checkpoint = Checkpoint::new("log", 0, reeve_tlog::empty_root());
    let note = checkpoint.sign(&[&log, &witness]).unwrap().to_string();
    let open = |keys: &[&NoteSigner]| Checkpoint::open(note.as_bytes(), &known(keys));
    assert_eq!(open(&[&log, &witness]).as_ref(), Ok(&checkpoint));

    let origin = "log".to_owned();
    assert_eq!(
        open(&[&witness]),
        Err(CheckpointOpenError::NotTheLog { origin })
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn parsed_notes_are_written_back_unchanged(text in "[a-z\n— +0-9=]{0,80}") {
        if let Ok(note) = SignedNote::parse(text.as_bytes()) {
            prop_assert_eq!(note.to_string(), text.clone());
        }
        if let Ok(checkpoint) = Checkpoint::parse(&text) {
            prop_assert_eq!(checkpoint.to_text(), Ok(text));
        }
    }

    #[test]
    fn notes_round_trip(text in "(\\PC|\n){0,60}\n", names in prop::collection::vec("[^\\s\\pC+]{1,12}", 1..4)) {
        let signers: Vec<_> = names.iter().zip(1..).map(|(name, seed)| signer(name, seed)).collect();
        let note = SignedNote::sign(text, &signers.iter().collect::<Vec<_>>()).unwrap();
        let again = SignedNote::parse(note.to_string().as_bytes()).unwrap();
        prop_assert_eq!(&again, &note);
        let keys = known(&signers.iter().collect::<Vec<_>>());
        prop_assert_eq!(again.verify(&keys).unwrap().len(), signers.len());
    }

    #[test]
    fn no_single_bit_of_a_checkpoint_can_change(size in any::<u64>(), bit in any::<prop::sample::Index>()) {
        let log = signer("reeve.local/main", 1);
        let checkpoint = Checkpoint::new("reeve.local/main", size, leaf_hash(&size.to_be_bytes()));
        let mut note = checkpoint.sign(&[&log]).unwrap().to_string().into_bytes();
        let bit = bit.index(note.len() * 8);
        note[bit / 8] ^= 1 << (bit % 8);
        prop_assert!(Checkpoint::open(&note, &known(&[&log])).is_err());
    }
}
