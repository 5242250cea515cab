//! Machines whose way to pay is in question: each is left to the judgement of its account.

use reeve_estate::{Provider, Purchase};

use super::super::estate::Case;
use super::load::{even, in_region, on_platform};
use super::{Row, left};

fn steady(size: &str) -> Case {
    even(size, 45.0)
}

pub(super) fn rows() -> Vec<Row> {
    let mut reserved = steady("m5.large");
    reserved.resource.purchase = Some(Purchase::Reserved);
    let mut c2 = steady("c2-standard-4");
    c2.resource.provider = Provider::Gcp;
    c2.resource.specification.local_disks = Some(false);
    c2.resource.region = "us-central1".to_owned();
    let accounts = &["all of its machines together"];

    vec![
        left(
            "steady day and night",
            steady("m5.large"),
            "judged_by_account",
            accounts,
        ),
        left("steady C2", c2, "judged_by_account", accounts),
        left(
            "steady, already reserved",
            reserved,
            "judged_by_account",
            accounts,
        ),
        left(
            "steady, Windows",
            on_platform(steady("m5.large"), "windows"),
            "judged_by_account",
            accounts,
        ),
        left(
            "steady, in a region without prices",
            in_region(steady("m5.large"), "nowhere-1"),
            "judged_by_account",
            accounts,
        ),
    ]
}
