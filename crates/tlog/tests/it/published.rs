//! Texts of the published specifications, byte for byte, and the worked example of
//! `docs/formats/tlog.md`.

use reeve_tlog::{
    Checkpoint, Disclosure, Hash, KeyError, NoteSigner, NoteVerifier, ProofFile, SALT_LEN,
    SignedNote, Tree, chain_hash, commitment,
};

/// The key and the note of c2sp.org/signed-note.
const SPEC_KEY: &str = "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k";
const SPEC_NOTE: &str = "This is an example message.\n\n\
    — example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=\n";

/// An earlier example of c2sp.org/signed-note, whose text has an empty line. Its key is not
/// published.
const SPEC_POEM: &str = "Ognuno sta solo sul cuor della terra\ntrafitto da un raggio di sole:\n\n\
    ed è subito sera.\n\n\
    — quasimodo.example/salvatore NnugSzTjtVAewIS+Z/iJhUPeFDkO/5QQ2i5ddnGITLlC+EhfLW9oJKONrMouFSQU0xMcXxj99ihAQwaqP3ZekRwNtIc=\n";

/// The example of c2sp.org/tlog-checkpoint. Its key is not published.
const SPEC_CHECKPOINT: &str = "example.com/behind-the-sofa\n20852163\n\
    CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n\n\
    — example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=\n";

/// The examples of golang.org/x/mod/sumdb/note, where the format comes from.
const PETER_SKEY: &str =
    "PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz";
const PETER_VKEY: &str = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";
const ENOCH_VKEY: &str = "EnochRoot+af0cfe78+ATtqJ7zOtqQtYqOo0CpvDXNlMhV3HeJDpjrASKGLWdop";
const GO_TEXT: &str = "If you think cryptography is the answer to your problem,\n\
    then you don't know what your problem is.\n";
const PETER_LINE: &str = "— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n";
const ENOCH_LINE: &str = "— EnochRoot rwz+eBzmZa0SO3NbfRGzPCpDckykFXSdeX+MNtCOXm2/5n2tiOHp+vAF1aGrQ5ovTG01oOTGwnWLox33WWd1RvMc+QQ=\n";

#[test]
fn the_note_of_the_specification_verifies() {
    let key: NoteVerifier = SPEC_KEY.parse().unwrap();
    assert_eq!(key.to_string(), SPEC_KEY);
    assert_eq!(key.id().to_string(), "530d903a");
    let note = SignedNote::parse(SPEC_NOTE.as_bytes()).unwrap();
    assert_eq!(note.to_string(), SPEC_NOTE);
    assert_eq!(note.text(), "This is an example message.\n");
    assert_eq!(note.verify(&[key]).unwrap().len(), 1);
}

#[test]
fn examples_whose_keys_are_unpublished_parse() {
    let poem = SignedNote::parse(SPEC_POEM.as_bytes()).unwrap();
    assert_eq!(poem.to_string(), SPEC_POEM);
    assert!(poem.text().ends_with("\n\ned è subito sera.\n"));
    assert_eq!(poem.signatures()[0].name(), "quasimodo.example/salvatore");
    assert_eq!(poem.signatures()[0].bytes().len(), 64);

    let note = SignedNote::parse(SPEC_CHECKPOINT.as_bytes()).unwrap();
    let checkpoint = Checkpoint::parse(note.text()).unwrap();
    assert_eq!(checkpoint.origin, "example.com/behind-the-sofa");
    assert_eq!(checkpoint.size, 20_852_163);
    assert_eq!(checkpoint.extensions, [""; 0]);
    assert_eq!(checkpoint.to_text().as_deref(), Ok(note.text()));
}

#[test]
fn signing_is_byte_for_byte_what_the_first_implementation_signs() {
    let peter = NoteSigner::from_skey(PETER_SKEY).unwrap();
    assert_eq!(*peter.to_skey(), PETER_SKEY);
    assert_eq!(peter.verifier().to_string(), PETER_VKEY);

    // The published key of EnochRoot is that of 32 zero bytes.
    let enoch = NoteSigner::from_seed("EnochRoot", &[0; 32]).unwrap();
    assert_eq!(enoch.verifier().to_string(), ENOCH_VKEY);

    let note = SignedNote::sign(GO_TEXT.to_owned(), &[&peter, &enoch]).unwrap();
    let expect = format!("{GO_TEXT}\n{PETER_LINE}{ENOCH_LINE}");
    assert_eq!(note.to_string(), expect);

    let keys = [enoch.verifier().clone(), peter.verifier().clone()];
    assert_eq!(note.verify(&keys).unwrap().len(), 2);
}

/// Every part and every change of a published key is refused, as in the first implementation's
/// tests.
#[test]
fn mangled_keys_are_refused() {
    type Parse = fn(&str) -> Result<(), KeyError>;
    let verifier: Parse = |text| text.parse::<NoteVerifier>().map(drop);
    let signer: Parse = |text| NoteSigner::from_skey(text).map(drop);
    let cases: [(&str, Parse); 2] = [(PETER_VKEY, verifier), (PETER_SKEY, signer)];

    for (key, parse) in cases {
        parse(key).unwrap();
        for (start, end) in (0..=key.len()).flat_map(|s| (s..=key.len()).map(move |e| (s, e))) {
            assert_eq!(parse(&key[start..end]).is_ok(), end - start == key.len());
        }
        for i in 0..key.len() {
            let mut bytes = key.as_bytes().to_vec();
            bytes[i] += 1;
            let text = String::from_utf8(bytes).unwrap();
            assert!(parse(&text).is_err(), "{text}");
        }
    }

    let wrong_length = "PeterNeumann+cc469956+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TWBADKEY==";
    assert!(verifier(wrong_length).is_err());

    let unknown_type = "PeterNeumann+173116ae+ZRpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";
    assert_eq!(verifier(unknown_type), Err(KeyError::Algorithm));
}

/// Our own description of the format, whose worked example was computed by other code.
const DESCRIPTION: &str = include_str!("../../../../docs/formats/tlog.md");

#[test]
fn the_worked_example_of_our_format_is_what_we_compute() {
    let described = |value: &dyn std::fmt::Display| {
        let value = value.to_string();
        assert!(
            DESCRIPTION.contains(&value),
            "docs/formats/tlog.md lacks {value}"
        );
    };

    let log =
        NoteSigner::from_seed("reeve.local/example", &std::array::from_fn(|i| i as u8)).unwrap();
    described(&log.verifier());

    let (mut tree, mut chain) = (Tree::new(), Hash::ZERO);
    let mut leaves = Vec::new();

    for (salt, event) in (0..).zip(["user.login", "resource.view", "resource.delete"]) {
        let canonical = format!(r#"{{"event_type":"{event}"}}"#);
        let commitment = commitment(&[salt; SALT_LEN], canonical.as_bytes());
        let leaf = commitment.leaf_hash();
        chain = chain_hash(&chain, &leaf);
        described(&format!(
            "| {salt} | `{canonical}` | `{commitment}` `{leaf}` `{chain}` |"
        ));
        tree.append(leaf, |_, _| {});
        leaves.push(leaf);
        if salt == 1 {
            described(&tree.root());
        }
    }

    described(&tree.root());

    let checkpoint = Checkpoint::new("reeve.local/example", 3, tree.root());
    let disclosure = Disclosure {
        salt: &[1; SALT_LEN],
        canonical: br#"{"event_type":"resource.view"}"#,
    };
    let proof = ProofFile {
        extra: disclosure.encode(),
        index: 1,
        hashes: vec![leaves[0], leaves[2]],
        checkpoint: checkpoint.sign(&[&log]).unwrap(),
    };
    described(&format!("```\n{proof}```\n"));

    assert_eq!(
        proof.verify_disclosed(&[log.verifier().clone()]),
        Ok((disclosure, checkpoint))
    );
}
