#![allow(clippy::unwrap_used)]
use super::*;

#[test]
fn every_file_can_be_read_and_every_sample_holds() {
    let (catalogue, errors) = Catalogue::default().with(Folder::embedded());
    assert_eq!(errors, []);

    let faults: Vec<String> = catalogue
        .checks()
        .flat_map(|check| check.test())
        .map(|fault| fault.to_string())
        .collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
