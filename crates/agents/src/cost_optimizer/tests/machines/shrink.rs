//! Machines that are larger than their work, and those whose work would not fit.

use reeve_estate::{Metric, Provider, Purchase};

use super::super::estate::{Case, noise};
use super::load::{
    CPU, days_ago, even, in_region, instead, minute_of_day, on_platform, weekday, within, without,
};
use super::{Resize, Row, Saves, Unknown, left, row};

pub(super) fn rows() -> Vec<Row> {
    too_large()
        .into_iter()
        .chain(bound())
        .chain(growing())
        .chain(elsewhere())
        .collect()
}

fn growth(from: f64, to: f64) -> impl Fn(i64) -> Option<f64> {
    move |back| {
        let age = back as f64 / (30.0 * 1440.0);
        let level = to + (from - to) * age;
        let day = 0.9
            + 0.2
                * (minute_of_day(back) as f64 / 1440.0 * std::f64::consts::TAU)
                    .sin()
                    .abs();
        Some(level * day * (0.97 + 0.06 * noise(back)))
    }
}

fn too_large() -> Vec<Row> {
    let weekly = Case::machine("m5.xlarge")
        .with(CPU, 30, |back| {
            Some(if weekday(back) < 5 {
                10.0 + 5.0 * noise(back)
            } else {
                3.0
            })
        })
        .all_else_small();

    let mut dedicated = even("m5.xlarge", 5.0);
    dedicated.resource.specification.tenancy = Some("dedicated".to_owned());
    let mut arm = even("m6g.xlarge", 6.0);
    arm.resource.specification.architecture = Some("arm64".to_owned());
    let blind = without(even("m5.xlarge", 5.0), &[Metric::MemoryUtilization]);

    vec![
        row(
            "quiet",
            even("m5.xlarge", 6.0),
            Resize("m5.large"),
            Saves,
            &["p95 CPU"],
        ),
        row(
            "quiet and huge, one step within the guardrail",
            even("m5.4xlarge", 2.0),
            Resize("m5.2xlarge"),
            Saves,
            &[],
        ),
        row(
            "quiet, memory not measured",
            blind,
            Resize("m5.large"),
            Saves,
            &["not measured"],
        ),
        row(
            "quieter at weekends",
            weekly,
            Resize("m5.large"),
            Saves,
            &[],
        ),
        row(
            "quiet, burstable",
            even("t3.medium", 15.0),
            Resize("t3.small"),
            Saves,
            &[],
        ),
        row("quiet, ARM", arm, Resize("m6g.large"), Saves, &[]),
        row(
            "quiet, by CloudFormation",
            even("m5.xlarge", 5.0).tag("aws:cloudformation:stack-name", "web"),
            Resize("m5.large"),
            Saves,
            &["infrastructure as code"],
        ),
        row(
            "quiet, Windows",
            on_platform(even("m5.xlarge", 5.0), "windows"),
            Resize("m5.large"),
            Saves,
            &["Prices are list prices (AWS price list of 2025-05-28)"],
        ),
        row(
            "quiet, dedicated hardware",
            dedicated,
            Resize("m5.large"),
            Unknown,
            &["no list price"],
        ),
        row(
            "quiet, in a region without prices",
            in_region(even("m5.xlarge", 5.0), "nowhere-1"),
            Resize("m5.large"),
            Unknown,
            &["no list price"],
        ),
    ]
}

/// Without it nothing is known of the network, and no other family is looked at.
const OUT: [Metric; 1] = [Metric::NetworkOut];

/// A machine that is paid for a year already, and whose size is right.
fn kept(
    name: &'static str,
    mut machine: Case,
    why: &'static str,
    says: &'static [&'static str],
) -> Row {
    machine.resource.purchase = Some(Purchase::Reserved);
    left(name, machine, why, says)
}

fn bound() -> Vec<Row> {
    let full = |level: f64| {
        instead(
            even("m5.4xlarge", 5.0),
            Metric::MemoryUtilization,
            move |_| Some(level),
        )
    };

    let starts = || {
        instead(even("m5.xlarge", 5.0), Metric::MemoryUtilization, |back| {
            Some(if within(back, 6..=6, 180, 190) {
                72.0
            } else {
                20.0
            })
        })
    };

    let both = |size: &str, a, b, value: f64| {
        instead(
            instead(even(size, 5.0), a, move |_| Some(value)),
            b,
            move |_| Some(value),
        )
    };
    let network = || both("c5.xlarge", Metric::NetworkIn, Metric::NetworkOut, 50e6);

    let disk = || both("c5.xlarge", Metric::DiskRead, Metric::DiskWrite, 40e6);
    let peak = Case::machine("m5.xlarge")
        .with(CPU, 30, |back| {
            Some(if days_ago(back) == 19 && minute_of_day(back) < 120 {
                85.0
            } else {
                5.0
            })
        })
        .all_else_small();

    vec![
        row(
            "little CPU, full memory: a family with more memory",
            full(70.0),
            Resize("r5a.2xlarge"),
            Saves,
            &["another family"],
        ),
        kept(
            "full memory, nothing cheaper holds it",
            instead(even("r6a.xlarge", 5.0), Metric::MemoryUtilization, |_| {
                Some(85.0)
            }),
            "memory_bound",
            &[],
        ),
        kept(
            "a start-up peak of memory, network not measured",
            without(starts(), &OUT),
            "memory_bound",
            &["72.0 %"],
        ),
        row(
            "a start-up peak of memory: half the processors, all of it",
            starts(),
            Resize("r5a.large"),
            Saves,
            &["another family"],
        ),
        kept(
            "network near the limit, Windows with its own licence",
            on_platform(network(), "windows_byol"),
            "network_bound",
            &[],
        ),
        row(
            "network near the limit: a family with more of it",
            network(),
            Resize("c5n.large"),
            Saves,
            &["another family"],
        ),
        kept(
            "disk near the limit, Windows with its own licence",
            on_platform(disk(), "windows_byol"),
            "disk_bound",
            &[],
        ),
        row(
            "disk near the limit: a family with more of it",
            disk(),
            Resize("c6in.large"),
            Saves,
            &["another family"],
        ),
        kept(
            "two hours of work once a month",
            peak,
            "cpu_peak_bound",
            &["85.0 %"],
        ),
        kept(
            "burstable, beyond the smaller size's baseline",
            even("t3.small", 15.0),
            "cpu_credit_bound",
            &[],
        ),
        kept("busy", even("m5.xlarge", 35.0), "cpu_not_low", &[]),
    ]
}

fn growing() -> Vec<Row> {
    let cpu = Case::machine("m5.xlarge")
        .with(CPU, 30, growth(1.0, 18.0))
        .all_else_small();
    let memory = || {
        instead(
            even("m5.xlarge", 5.0),
            Metric::MemoryUtilization,
            growth(10.0, 34.0),
        )
    };

    let network = || {
        instead(
            even("m5.xlarge", 5.0),
            Metric::NetworkOut,
            growth(5e6, 60e6),
        )
    };

    let falling = Case::machine("m5.xlarge")
        .with(CPU, 30, growth(16.0, 4.0))
        .all_else_small();
    vec![
        left(
            "CPU that grew from 1 to 18 %",
            cpu,
            "growing",
            &["a day", "28 days"],
        ),
        kept(
            "memory that grew from 10 to 34 %",
            without(memory(), &OUT),
            "growing",
            &["memory", "a day"],
        ),
        row(
            "the same: a family that keeps the memory",
            memory(),
            Resize("r5a.large"),
            Saves,
            &["another family"],
        ),
        kept(
            "network that grew twelvefold, Windows with its own licence",
            on_platform(network(), "windows_byol"),
            "growing",
            &["network"],
        ),
        row(
            "the same: a family with more of it",
            network(),
            Resize("c5n.large"),
            Saves,
            &["another family"],
        ),
        row(
            "CPU that fell from 16 to 4 %",
            falling,
            Resize("m5.large"),
            Saves,
            &[],
        ),
    ]
}

fn elsewhere() -> Vec<Row> {
    let rds = |class: &str, memory: f64| {
        Case::database(class)
            .with(CPU, 30, |back| Some(4.0 + 2.0 * noise(back)))
            .flat(Metric::DatabaseConnections, 30, 12.0)
            .flat(Metric::MemoryUtilization, 30, memory)
            .flat(Metric::NetworkIn, 30, 4e4)
            .flat(Metric::NetworkOut, 30, 4e4)
    };

    let at = |mut case: Case, provider, region: &str| {
        case.resource.provider = provider;
        case.resource.region = region.to_owned();
        case.resource.specification.local_disks = (provider == Provider::Gcp).then_some(false);
        case
    };
    let azure = at(even("Standard_E8s_v5", 8.0), Provider::Azure, "westeurope");

    let gcp = at(even("n2-standard-8", 8.0), Provider::Gcp, "us-central1");
    let far = at(even("n2-standard-8", 8.0), Provider::Gcp, "moon-north1");
    vec![
        row(
            "a quiet RDS database",
            rds("db.m5.2xlarge", 25.0),
            Resize("db.m5.xlarge"),
            Unknown,
            &["Memory"],
        ),
        left(
            "an RDS database that fills its memory",
            rds("db.m5.2xlarge", 70.0),
            "memory_bound",
            &["70.0 %"],
        ),
        row(
            "quiet, on Azure",
            azure,
            Resize("Standard_E4s_v5"),
            Saves,
            &[],
        ),
        row(
            "quiet, on Google Cloud",
            gcp,
            Resize("n2-standard-4"),
            Saves,
            &[],
        ),
        row(
            "quiet, in a region nobody has prices of",
            far,
            Resize("n2-standard-4"),
            Unknown,
            &["no list price"],
        ),
    ]
}
