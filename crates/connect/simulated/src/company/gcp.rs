//! `acme-analytics`: the data team's pipelines and models, on Google Cloud.

use reeve_estate::Provider;

use super::Managed::Terraform;
use super::{
    Account, Balancer, Database, LooseDisk, Machine, Owner, SimulatedBucket, SimulatedGroup,
    machine, owner,
};
use crate::load::Load::{
    Batch, Bursty, Database as Used, DatabaseOversized, Idle, Memory, MonthEnd, Office, Oversized,
    Steady, Throttled, Web,
};

const US: &str = "us-central1";
const EU: &str = "europe-west1";

const PIPELINE: Owner = owner("production", "data", "pipeline");
const MODELS: Owner = owner("production", "data", "models");
const REPORTS: Owner = owner("production", "data", "reports");
const LAB: Owner = owner("development", "data", "lab");

pub(crate) const ACCOUNT: Account = Account {
    connection: "acme-analytics",
    provider: Provider::Gcp,
    account: "acme-analytics-prod",
    discount: 0.06,
    regions: &[US, EU],
    root_disk: (50, "pd-balanced"),
    denied: &[],
    machines: MACHINES,
    databases: DATABASES,
    loose_disks: LOOSE_DISKS,
    snapshots: &[],
    buckets: BUCKETS,
    balancers: BALANCERS,
    gateways: &[],
    addresses: &[],
    groups: GROUPS,
    not_sold: &[(EU, "m1-")],
};

const MACHINES: &[Machine] = &[
    machine("ingest-1", US, "n2-standard-4", Web(58.0), PIPELINE)
        .in_group("ingest")
        .managed(Terraform),
    machine("ingest-2", US, "n2-standard-4", Web(60.0), PIPELINE)
        .in_group("ingest")
        .managed(Terraform),
    machine("ingest-3", US, "n2-standard-4", Web(57.0), PIPELINE)
        .in_group("ingest")
        .managed(Terraform)
        .spot(),
    machine("stream-broker", US, "n2-standard-8", Steady(47.0), PIPELINE)
        .agent()
        .disks(&[(500, "pd-ssd")]),
    machine("nightly-etl", US, "n2-highcpu-16", Batch, PIPELINE).managed(Terraform),
    machine("nightly-etl-eu", EU, "n2-highcpu-8", Batch, PIPELINE),
    machine("transform", US, "c2-standard-8", Throttled, PIPELINE),
    machine("feature-store", US, "n2-highmem-8", Memory, MODELS)
        .agent()
        .disks(&[(800, "pd-ssd")]),
    machine(
        "model-serving",
        EU,
        "n2-standard-8",
        Oversized(10.0),
        MODELS,
    )
    .agent(),
    machine("model-shadow", EU, "n2-standard-4", Bursty, MODELS),
    machine("training-box", US, "n2-highmem-16", Idle, LAB).disks(&[(1000, "pd-balanced")]),
    machine("notebook-amara", US, "e2-standard-8", Oversized(9.0), LAB),
    machine("notebook-shared", EU, "e2-standard-4", Office(34.0), LAB).holes(),
    machine("month-end-close", US, "n2-standard-8", MonthEnd, REPORTS).agent(),
    machine("report-web", EU, "e2-standard-2", Web(48.0), REPORTS),
    machine("report-cache", EU, "n2-highmem-4", Oversized(6.0), REPORTS).agent(),
    machine("airflow", US, "e2-standard-4", Steady(31.0), PIPELINE).agent(),
];

const DATABASES: &[Database] = &[
    Database {
        name: "reports",
        region: US,
        class: "db-custom-4-15360",
        engine: "postgres",
        gib: 250,
        multi_az: true,
        load: Used(41.0),
        owner: REPORTS,
    },
    Database {
        name: "airflow-meta",
        region: US,
        class: "db-custom-2-7680",
        engine: "postgres",
        gib: 40,
        multi_az: false,
        load: DatabaseOversized,
        owner: PIPELINE,
    },
];

const LOOSE_DISKS: &[LooseDisk] = &[
    LooseDisk {
        name: "training-data-2024",
        region: US,
        gib: 2000,
        class: "pd-ssd",
        age_days: 160,
        owner: LAB,
    },
    LooseDisk {
        name: "notebook-old",
        region: EU,
        gib: 200,
        class: "pd-balanced",
        age_days: 75,
        owner: LAB,
    },
];

const BUCKETS: &[SimulatedBucket] = &[
    SimulatedBucket {
        name: "acme-lake-raw",
        region: US,
        gib: 38_000,
        class: "STANDARD",
        owner: PIPELINE,
        aborts: true,
        expires: true,
        rarely_read: false,
    },
    SimulatedBucket {
        name: "acme-lake-curated",
        region: US,
        gib: 9_400,
        class: "STANDARD",
        owner: PIPELINE,
        aborts: true,
        expires: true,
        rarely_read: false,
    },
    SimulatedBucket {
        name: "acme-models",
        region: EU,
        gib: 640,
        class: "STANDARD",
        owner: MODELS,
        aborts: true,
        expires: true,
        rarely_read: false,
    },
    SimulatedBucket {
        name: "acme-lake-archive",
        region: EU,
        gib: 61_000,
        class: "NEARLINE",
        owner: PIPELINE,
        aborts: true,
        expires: true,
        rarely_read: false,
    },
];

const BALANCERS: &[Balancer] = &[
    Balancer {
        name: "ingest",
        region: US,
        class: "external-http",
        targets: "ingest",
        peak: 310.0,
        owner: PIPELINE,
    },
    Balancer {
        name: "report-web",
        region: EU,
        class: "external-http",
        targets: "report-web",
        peak: 35.0,
        owner: REPORTS,
    },
];

const GROUPS: &[SimulatedGroup] = &[SimulatedGroup {
    name: "ingest",
    region: US,
    owner: PIPELINE,
}];
