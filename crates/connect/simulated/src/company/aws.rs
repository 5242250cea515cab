//! `acme-production`: the shop, its payments and the platform under them, on AWS.

use reeve_estate::Provider;

use super::Managed::{CloudFormation, Terraform};
use super::{
    Account, Address, Balancer, Database, DiskSnapshot, Gateway, LooseDisk, Machine, Owner,
    SimulatedBucket, SimulatedGroup, machine, owner,
};
use crate::load::Load::{
    Batch, Bursty, Database as Used, DatabaseFilling, DatabaseIdle, DatabaseOversized, Drained,
    Idle, Leak, Memory, Network, Office, Oversized, Steady, Throttled, Web, Weekly,
};

const US: &str = "us-east-1";
const EU: &str = "eu-west-1";

const STOREFRONT: Owner = owner("production", "shop", "storefront");
const SEARCH: Owner = owner("production", "shop", "search");
const CHECKOUT: Owner = owner("production", "payments", "checkout");
const LEDGER: Owner = owner("production", "payments", "ledger");
const CORE: Owner = owner("production", "platform", "core");
const CI: Owner = owner("development", "platform", "ci");
const STAGING: Owner = owner("staging", "shop", "storefront");
const SANDBOX: Owner = owner("development", "shop", "sandbox");

pub(crate) const ACCOUNT: Account = Account {
    connection: "acme-production",
    provider: Provider::Aws,
    account: "417382906514",
    discount: 0.08,
    regions: &[US, EU],
    root_disk: (30, "gp3"),
    denied: &[],
    machines: MACHINES,
    databases: DATABASES,
    loose_disks: LOOSE_DISKS,
    snapshots: SNAPSHOTS,
    buckets: BUCKETS,
    balancers: BALANCERS,
    gateways: GATEWAYS,
    addresses: ADDRESSES,
    groups: GROUPS,
    not_sold: &[(EU, "m7i."), (EU, "c7g.")],
};

const MACHINES: &[Machine] = &[
    machine("shop-web-a", US, "m6i.xlarge", Web(62.0), STOREFRONT)
        .in_group("shop-web")
        .managed(CloudFormation)
        .agent(),
    machine("shop-web-b", US, "m6i.xlarge", Web(64.0), STOREFRONT)
        .in_group("shop-web")
        .managed(CloudFormation)
        .agent(),
    machine("shop-web-c", US, "m6i.xlarge", Web(61.0), STOREFRONT)
        .in_group("shop-web")
        .managed(CloudFormation)
        .agent(),
    machine("shop-web-d", US, "m6i.xlarge", Web(63.0), STOREFRONT)
        .in_group("shop-web")
        .managed(CloudFormation)
        .spot(),
    machine("checkout-api-a", US, "c6i.xlarge", Web(55.0), CHECKOUT)
        .in_group("checkout-api")
        .managed(Terraform),
    machine("checkout-api-b", US, "c6i.xlarge", Web(57.0), CHECKOUT)
        .in_group("checkout-api")
        .managed(Terraform),
    machine("checkout-api-c", US, "c6i.xlarge", Web(56.0), CHECKOUT)
        .in_group("checkout-api")
        .managed(Terraform),
    machine("render-worker-a", EU, "c5.2xlarge", Batch, STOREFRONT)
        .in_group("render-workers")
        .spot(),
    machine("render-worker-b", EU, "c5.2xlarge", Batch, STOREFRONT)
        .in_group("render-workers")
        .spot(),
    machine("render-worker-c", EU, "c5.2xlarge", Batch, STOREFRONT)
        .in_group("render-workers")
        .spot(),
    machine("gift-api-a", US, "m5.2xlarge", Oversized(8.0), STOREFRONT)
        .in_group("gift-api")
        .agent(),
    machine("gift-api-b", US, "m5.2xlarge", Oversized(7.0), STOREFRONT)
        .in_group("gift-api")
        .agent(),
    machine("search-index-1", US, "r6i.2xlarge", Memory, SEARCH)
        .agent()
        .disks(&[(500, "gp3")]),
    machine("search-index-2", US, "r6i.2xlarge", Memory, SEARCH)
        .agent()
        .disks(&[(500, "gp3")]),
    machine("search-query", US, "c6i.2xlarge", Throttled, SEARCH),
    machine(
        "product-images",
        US,
        "m5.2xlarge",
        Oversized(9.0),
        STOREFRONT,
    )
    .agent()
    .disks(&[(250, "gp3")]),
    machine(
        "recommender",
        US,
        "m6i.4xlarge",
        Oversized(11.0),
        STOREFRONT,
    )
    .agent(),
    machine("session-store", US, "r5.xlarge", Steady(48.0), STOREFRONT)
        .agent()
        .root(600, 14.0),
    machine("price-feed", US, "m5.xlarge", Network(0.66), STOREFRONT).disks(&[(400, "io1")]),
    machine("fraud-scoring", US, "c5.2xlarge", Bursty, CHECKOUT),
    machine("payment-gateway-1", US, "m6i.large", Steady(44.0), CHECKOUT).managed(Terraform),
    machine("payment-gateway-2", EU, "m6i.large", Steady(46.0), CHECKOUT).managed(Terraform),
    machine("ledger-writer", US, "m6i.xlarge", Steady(52.0), LEDGER).reserved(),
    machine("ledger-reports", US, "m5.2xlarge", Oversized(6.0), LEDGER).managed(Terraform),
    machine("card-vault", US, "m6i.large", Oversized(7.0), LEDGER).ignored(),
    machine("newsletter", US, "m5.large", Weekly, STOREFRONT),
    machine("settlement", US, "c5.xlarge", Batch, LEDGER),
    machine("edge-proxy-1", US, "t3.large", Drained, CORE),
    machine("edge-proxy-2", US, "t3.large", Web(26.0), CORE),
    machine("metrics-store", US, "r6g.2xlarge", Steady(38.0), CORE)
        .reserved()
        .disks(&[(1000, "gp3")])
        .agent(),
    machine("log-shipper", US, "m6g.xlarge", Leak, CORE).agent(),
    machine("message-bus-1", US, "m6g.large", Steady(41.0), CORE).disks(&[(200, "gp3")]),
    machine("message-bus-2", EU, "m6g.large", Steady(43.0), CORE).disks(&[(200, "gp3")]),
    machine("vpn-gateway", US, "t3.medium", Office(14.0), CORE),
    machine("bastion", US, "t3.micro", Office(4.0), CORE).holes(),
    machine("ci-runner-1", US, "c6i.2xlarge", Office(58.0), CI).spot(),
    machine("ci-runner-2", US, "c6i.2xlarge", Office(61.0), CI).spot(),
    machine("ci-cache", US, "m5.xlarge", Oversized(5.0), CI).disks(&[(500, "gp2")]),
    machine(
        "old-wiki",
        US,
        "m5.large",
        Idle,
        owner("production", "platform", "wiki"),
    )
    .disks(&[(100, "gp2")]),
    machine(
        "migration-helper",
        US,
        "c5.xlarge",
        Idle,
        owner("staging", "platform", "migration"),
    ),
    machine("staging-web", US, "m6i.xlarge", Oversized(8.0), STAGING).holes(),
    machine("staging-search", US, "r5.xlarge", Idle, STAGING),
    machine("staging-mail", US, "m6g.large", Oversized(6.0), STAGING).agent(),
    machine(
        "dev-images",
        US,
        "m5.2xlarge",
        Office(58.0),
        owner("development", "shop", "images"),
    )
    .agent(),
    machine("sandbox-lena", EU, "t3.large", Idle, SANDBOX),
    machine("catalogue-v2", US, "m7i.xlarge", Oversized(7.0), STOREFRONT).aged(5),
];

const DATABASES: &[Database] = &[
    db(
        "shop-orders",
        US,
        "db.r6g.2xlarge",
        "postgres",
        800,
        true,
        Used(52.0),
        STOREFRONT,
    ),
    db(
        "shop-catalogue",
        US,
        "db.r6g.xlarge",
        "postgres",
        300,
        true,
        Used(38.0),
        STOREFRONT,
    ),
    db(
        "payments-ledger",
        US,
        "db.r5.xlarge",
        "postgres",
        500,
        true,
        DatabaseFilling,
        LEDGER,
    ),
    db(
        "reviews",
        EU,
        "db.m5.2xlarge",
        "mysql",
        200,
        false,
        DatabaseOversized,
        STOREFRONT,
    ),
    db(
        "loyalty-2024",
        US,
        "db.m5.large",
        "mysql",
        100,
        false,
        DatabaseIdle,
        owner("production", "shop", "loyalty"),
    ),
    db(
        "staging-orders",
        US,
        "db.t3.medium",
        "postgres",
        50,
        false,
        Used(22.0),
        STAGING,
    ),
];

#[allow(clippy::too_many_arguments)]
const fn db(
    name: &'static str,
    region: &'static str,
    class: &'static str,
    engine: &'static str,
    gib: u32,
    multi_az: bool,
    load: crate::load::Load,
    owner: Owner,
) -> Database {
    Database {
        name,
        region,
        class,
        engine,
        gib,
        multi_az,
        load,
        owner,
    }
}

const fn loose(
    name: &'static str,
    region: &'static str,
    gib: u32,
    class: &'static str,
    age_days: u32,
    owner: Owner,
) -> LooseDisk {
    LooseDisk {
        name,
        region,
        gib,
        class,
        age_days,
        owner,
    }
}

const LOOSE_DISKS: &[LooseDisk] = &[
    loose("old-orders-data", US, 800, "gp2", 210, STOREFRONT),
    loose("load-test-2", US, 200, "io1", 95, STAGING),
    loose("ci-cache-before", US, 500, "gp2", 41, CI),
    loose("restore-check", US, 100, "gp3", 3, LEDGER),
];

const fn snapshot(
    name: &'static str,
    region: &'static str,
    disk: &'static str,
    gib: u32,
    age_days: u32,
    owner: Owner,
) -> DiskSnapshot {
    DiskSnapshot {
        name,
        region,
        disk,
        gib,
        age_days,
        owner,
    }
}

const SNAPSHOTS: &[DiskSnapshot] = &[
    snapshot(
        "metrics-before-upgrade",
        US,
        "metrics-store-data",
        1000,
        420,
        CORE,
    ),
    snapshot(
        "metrics-before-move",
        US,
        "metrics-store-data",
        1000,
        160,
        CORE,
    ),
    snapshot("metrics-monthly", US, "metrics-store-data", 1000, 21, CORE),
    // Its disk was deleted with the old shop.
    snapshot(
        "legacy-shop-before-close",
        US,
        "legacy-shop-data",
        400,
        610,
        STOREFRONT,
    ),
    snapshot(
        "legacy-shop-final",
        US,
        "legacy-shop-data",
        400,
        590,
        STOREFRONT,
    ),
];

const fn bucket(
    name: &'static str,
    region: &'static str,
    gib: u32,
    class: &'static str,
    owner: Owner,
) -> SimulatedBucket {
    SimulatedBucket {
        name,
        region,
        gib,
        class,
        owner,
        aborts: true,
        expires: true,
        rarely_read: false,
    }
}

const BUCKETS: &[SimulatedBucket] = &[
    bucket("acme-shop-images", US, 4200, "STANDARD", STOREFRONT).keeping_uploads(),
    bucket("acme-shop-static", US, 180, "STANDARD", STOREFRONT),
    bucket("acme-cloudtrail", US, 950, "STANDARD", CORE).rarely_read(),
    bucket("acme-backups", EU, 12_800, "STANDARD_IA", CORE),
    bucket("acme-build-artifacts", US, 2_100, "STANDARD", CI).keeping_versions(),
    bucket("acme-payment-exports", US, 340, "STANDARD", LEDGER),
];

const fn balancer(
    name: &'static str,
    region: &'static str,
    class: &'static str,
    targets: &'static str,
    peak: f64,
    owner: Owner,
) -> Balancer {
    Balancer {
        name,
        region,
        class,
        targets,
        peak,
        owner,
    }
}

const BALANCERS: &[Balancer] = &[
    balancer("shop-web", US, "application", "shop-web", 840.0, STOREFRONT),
    balancer(
        "checkout-api",
        US,
        "application",
        "checkout-api",
        190.0,
        CHECKOUT,
    ),
    balancer("edge", US, "network", "edge-proxy", 420.0, CORE),
    // The machines behind it were ended with the campaign.
    balancer(
        "summer-campaign",
        US,
        "application",
        "summer-campaign",
        0.0,
        owner("production", "shop", "campaigns"),
    ),
];

const GATEWAYS: &[Gateway] = &[
    Gateway {
        name: "egress-main",
        region: US,
        peak: 4.2e6,
        routes: 3,
        owner: CORE,
    },
    // Left behind when the machines moved to the main network.
    Gateway {
        name: "egress-legacy",
        region: US,
        peak: 0.0,
        routes: 0,
        owner: CORE,
    },
];

const ADDRESSES: &[Address] = &[
    Address {
        name: "egress-main-address",
        region: US,
        holder: "egress-main",
        age_days: 610,
        owner: CORE,
    },
    Address {
        name: "egress-legacy-address",
        region: US,
        holder: "egress-legacy",
        age_days: 820,
        owner: CORE,
    },
    Address {
        name: "vpn-address",
        region: US,
        holder: "vpn-gateway",
        age_days: 700,
        owner: CORE,
    },
    Address {
        name: "old-mail-relay",
        region: US,
        holder: "",
        age_days: 240,
        owner: CORE,
    },
];

const GROUPS: &[SimulatedGroup] = &[
    SimulatedGroup {
        name: "shop-web",
        region: US,
        owner: STOREFRONT,
    },
    SimulatedGroup {
        name: "checkout-api",
        region: US,
        owner: CHECKOUT,
    },
    SimulatedGroup {
        name: "gift-api",
        region: US,
        owner: STOREFRONT,
    },
    SimulatedGroup {
        name: "render-workers",
        region: EU,
        owner: STOREFRONT,
    },
];
