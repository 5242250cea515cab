//! Machines whose way to pay is in question.

use reeve_estate::{Metric, Provider, Purchase};

use super::super::estate::{Case, noise};
use super::load::{CPU, days_ago, even, in_region, on_platform, without};
use super::{Commit, Row, Saves, left, row};

fn steady(size: &str) -> Case {
    even(size, 45.0)
}

pub(super) fn rows() -> Vec<Row> {
    let mut reserved = steady("m5.large");
    reserved.resource.purchase = Some(Purchase::Reserved);
    let mut gcp = steady("n2-standard-4");
    gcp.resource.provider = Provider::Gcp;
    gcp.resource.region = "us-central1".to_owned();
    let mut c2 = steady("c2-standard-4");
    c2.resource.provider = Provider::Gcp;
    c2.resource.region = "us-central1".to_owned();
    // Twenty-five minutes of work a day above a level that is no work: not idle, and not worth a year.
    let hums = Case::machine("t3.nano")
        .with(CPU, 30, |back| Some(if (600..625).contains(&(back % 1440)) { 70.0 } else { 2.4 + 0.8 * noise(back) }))
        .flat(Metric::NetworkIn, 30, 9_000.0)
        .flat(Metric::NetworkOut, 30, 9_000.0);
    let uneven = Case::machine("m5.large")
        .with(CPU, 30, |back| Some(if days_ago(back) % 2 == 0 { 80.0 } else { 22.0 }))
        .all_else_small();
    let growing = Case::machine("m5.large")
        .with(CPU, 30, |back| Some(70.0 - 45.0 * back as f64 / 43_200.0 + 2.0 * noise(back)))
        .all_else_small();
    let alone = without(steady("m5.large"), &[Metric::MemoryUtilization, Metric::DiskRead, Metric::DiskWrite]);
    vec![
        row("steady day and night", steady("m5.large"), Commit, Saves, &["a month"]),
        row("steady, CPU and network alone are measured", alone, Commit, Saves, &[]),
        row("steady C2", c2, Commit, Saves, &["C2"]),
        left("steady N2: no price of its commitment is known", gcp, "no_price", &["n2-standard-4"]),
        left("steady, already reserved", reserved, "not_on_demand", &[]),
        row("steady, Windows", on_platform(steady("m5.large"), "windows"), Commit, Saves, &["13.3 %"]),
        left("steady, Windows with its own licence", on_platform(steady("m5.large"), "windows_byol"), "no_price", &[]),
        left("steady, in a region without prices", in_region(steady("m5.large"), "nowhere-1"), "no_price", &[]),
        left("25 minutes of work a day", hums, "hardly_used", &["break-even"]),
        left("uneven from day to day", uneven, "not_steady", &[]),
        left("steady growth: the size will change", growing, "growing", &["a day"]),
    ]
}
