//! Folders of own checks: what is taken, and what is refused with its place.
#![allow(clippy::unwrap_used)]
use super::*;

const CHECK: &str = r#"title = "The bucket names its owner"
why = "Nobody can be asked about a bucket without an owner."
severity = "low"
kind = "bucket"
topics = ["public_access"]
sources = ["https://wiki.example/tagging"]
expression = 'doc.?Owner.orValue("") != ""'
remediation = { text = "Set the tag Owner." }

[[sample]]
name = "with an owner"
result = "pass"
document = '{"Owner": "data"}'

[[sample]]
name = "without an owner"
result = "fail"
document = '{}'
"#;

const FRAMEWORK: &str = r#"title = "House rules"
edition = "2026"
source = "https://wiki.example/rules"

[[control]]
id = "H1"
title = "Owners are known"
checks = ["aws.s3.names_owner"]
"#;

const OWNER: &str = "checks/aws/s3/names_owner.toml";
const RULES: &str = "controls/house.toml";

fn loaded(files: &[(&str, &str)]) -> ControlCatalogue {
    let home = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = home.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    ControlCatalogue::builtin().with_own(&Folder::open(home.path()).unwrap())
}

#[test]
fn own_checks_and_frameworks_are_taken_beside_those_of_reeve() {
    let catalogue = loaded(&[(RULES, FRAMEWORK), (OWNER, CHECK)]);
    let own = catalogue.own();
    assert_eq!(own.refused, []);
    let taken: Vec<_> = own
        .taken
        .iter()
        .map(|file| (file.path.as_str(), file.id.as_str(), file.kind))
        .collect();
    assert_eq!(
        taken,
        [
            (OWNER, "aws.s3.names_owner", OwnFileKind::Check),
            (RULES, "house", OwnFileKind::Framework),
        ]
    );

    let check = catalogue.check("aws.s3.names_owner").unwrap();
    let of = |name: &str| catalogue.is_of(check, &BTreeSet::from([name.to_owned()]));
    assert!(of("house") && of("soc2"), "its topics prove controls too");
    assert!(catalogue.is_asked(check, &BTreeSet::new()));
    let builtin = catalogue.check("aws.s3.blocks_public_access").unwrap();
    assert!(!catalogue.is_asked(builtin, &BTreeSet::new()));
    assert!(catalogue.is_own_framework("house") && !catalogue.is_own_framework("soc2"));
    assert!(catalogue.checks().count() == ControlCatalogue::builtin().checks().count() + 1);

    let builtin = ControlCatalogue::builtin();
    assert_ne!(catalogue.revision(), builtin.revision());
    let none = loaded(&[]);
    assert_eq!(
        (none.revision(), none.own()),
        (builtin.revision(), builtin.own())
    );
}

#[test]
fn a_wrong_file_is_refused_with_its_line_and_the_others_are_taken() {
    let check = |path: &str, text: &str, expected: &[(Option<usize>, &str)]| {
        let other = ("checks/gcp/storage/owner.toml", CHECK);
        let catalogue = loaded(&[(path, text), other]);
        let own = catalogue.own();
        assert_eq!(own.taken.len(), 1, "{:?}", own.taken);
        let refused = own.refused.iter();
        let got: Vec<(Option<usize>, &str)> = refused
            .map(|one| {
                assert_eq!(one.file, path);
                (one.line, one.reason.as_str())
            })
            .collect();
        let is_same = got.len() == expected.len()
            && got
                .iter()
                .zip(expected)
                .all(|(got, expected)| got.0 == expected.0 && got.1.contains(expected.1));
        assert!(is_same, "{got:?}");
    };

    check(
        OWNER,
        &CHECK.replace("\"low\"", "\"bad\""),
        &[(Some(3), "bad")],
    );
    check(
        OWNER,
        &CHECK.replace("doc.?Owner", "docs.?Owner"),
        &[(Some(7), "no variable")],
    );
    check(
        OWNER,
        &CHECK.replace("{\"Owner\": \"data\"}", "{}"),
        &[(Some(11), "expected pass, got fail")],
    );
    check(
        OWNER,
        CHECK.split("[[sample]]").next().unwrap(),
        &[(None, "answers pass"), (None, "answers fail")],
    );
    check(
        OWNER,
        &CHECK.replace(
            "text = \"Set the tag Owner.\"",
            "text = \"x\", change = \"paint_it\"",
        ),
        &[(Some(8), "no change \"paint_it\"")],
    );
    check(
        "checks/aws/s3/blocks_public_access.toml",
        CHECK,
        &[(None, "comes with Reeve")],
    );
    check(
        "controls/soc2.toml",
        &FRAMEWORK.replace("aws.s3.names_owner", "gcp.storage.owner"),
        &[(None, "comes with Reeve")],
    );
    check(RULES, FRAMEWORK, &[(Some(8), "does not exist")]);
    check(
        "names_owner.toml",
        CHECK,
        &[(None, "checks/<cloud>/<service>/")],
    );
}

#[test]
fn a_change_of_the_folder_is_known_by_the_files_that_came_and_left() {
    let (before, after) = (
        loaded(&[(OWNER, CHECK)]),
        loaded(&[(RULES, FRAMEWORK), (OWNER, &format!("{CHECK}# more"))]),
    );
    let (came, left) = after.own().differences(before.own());
    let paths = |files: &[&OwnFile]| {
        files
            .iter()
            .map(|file| file.path.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        (paths(&came), paths(&left)),
        (
            vec![OWNER.to_owned(), RULES.to_owned()],
            vec![OWNER.to_owned()]
        )
    );

    let live = LiveCatalogue::new(before);
    let kept = live.current();
    let was = live.replace(after);
    assert!(Arc::ptr_eq(&kept, &was) && live.current().is_own_framework("house"));
}
