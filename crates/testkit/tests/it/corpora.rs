//! The committed corpora of `fuzz/`, fed to the laws of its targets: what fuzzing once found stays
//! found.

use std::path::Path;

#[allow(unreachable_pub)]
#[path = "../../../../fuzz/src/lib.rs"]
mod laws;

#[test]
fn the_laws_hold_for_every_committed_input() {
    let corpora = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus");
    for (target, law) in laws::TARGETS {
        let files: Vec<_> = std::fs::read_dir(corpora.join(target))
            .unwrap()
            .map(|file| file.unwrap().path())
            .collect();
        assert!(!files.is_empty(), "no corpus of {target}");
        for file in files {
            let bytes = std::fs::read(&file).unwrap();
            let held = std::panic::catch_unwind(|| law(&bytes));
            assert!(
                held.is_ok(),
                "{}: the law of {target} is broken",
                file.display()
            );
        }
    }
}
