//! `acme-corporate`: what the company itself works with, on Azure. The connection may not list
//! storage accounts.

use reeve_estate::Provider;

use super::{
    Account, Balancer, Database, LooseDisk, Machine, Owner, SimulatedGroup, machine, owner,
};
use crate::load::Load::{
    Database as Used, DatabaseIdle, Idle, Leak, Memory, MonthEnd, Office, Oversized, Steady,
    Throttled, Web,
};

const EU: &str = "westeurope";
const US: &str = "eastus";

const DIRECTORY: Owner = owner("production", "corporate-it", "directory");
const ERP: Owner = owner("production", "corporate-it", "erp");
const INTRANET: Owner = owner("production", "corporate-it", "intranet");
const DESKTOP: Owner = owner("production", "corporate-it", "desktops");
const TEST: Owner = owner("staging", "corporate-it", "erp");

pub(crate) const ACCOUNT: Account = Account {
    connection: "acme-corporate",
    provider: Provider::Azure,
    account: "6f1c2a84-7d35-4e0b-9a57-c3d8e21b4f60",
    discount: 0.12,
    regions: &[EU, US],
    root_disk: (64, "StandardSSD_LRS"),
    denied: &[(
        "Microsoft.Storage/storageAccounts/read",
        "AuthorizationFailed: the client 'reeve-observer' does not have authorization to perform action \
         'Microsoft.Storage/storageAccounts/read' over the subscription",
    )],
    machines: MACHINES,
    databases: DATABASES,
    loose_disks: LOOSE_DISKS,
    snapshots: &[],
    buckets: &[],
    balancers: BALANCERS,
    gateways: &[],
    addresses: &[],
    groups: GROUPS,
    not_sold: &[],
};

const MACHINES: &[Machine] = &[
    machine("dc-eu-1", EU, "Standard_D2s_v5", Steady(24.0), DIRECTORY).windows(),
    machine("dc-eu-2", EU, "Standard_D2s_v5", Steady(23.0), DIRECTORY).windows(),
    machine("dc-us-1", US, "Standard_D2s_v5", Steady(25.0), DIRECTORY).windows(),
    machine("erp-app-1", EU, "Standard_E8s_v5", Memory, ERP)
        .agent()
        .reserved()
        .disks(&[(512, "Premium_LRS")]),
    machine("erp-app-2", EU, "Standard_E8s_v5", Memory, ERP)
        .agent()
        .reserved()
        .disks(&[(512, "Premium_LRS")]),
    machine("erp-batch", EU, "Standard_D8s_v5", MonthEnd, ERP),
    machine("erp-test", EU, "Standard_D8s_v5", Oversized(6.0), TEST).disks(&[(256, "Premium_LRS")]),
    machine("erp-upgrade", EU, "Standard_D4s_v5", Idle, TEST),
    machine("intranet-1", EU, "Standard_D4s_v5", Web(46.0), INTRANET).in_group("intranet"),
    machine("intranet-2", EU, "Standard_D4s_v5", Web(47.0), INTRANET).in_group("intranet"),
    machine(
        "file-share",
        EU,
        "Standard_D4s_v5",
        Oversized(8.0),
        INTRANET,
    )
    .agent()
    .disks(&[(2048, "StandardSSD_LRS")]),
    machine("print-server", US, "Standard_D2s_v5", Idle, DESKTOP).windows(),
    machine(
        "desktop-pool-1",
        EU,
        "Standard_D8s_v5",
        Office(52.0),
        DESKTOP,
    )
    .windows(),
    machine(
        "desktop-pool-2",
        EU,
        "Standard_D8s_v5",
        Office(55.0),
        DESKTOP,
    )
    .windows(),
    machine("mail-archive", US, "Standard_E4s_v5", Leak, INTRANET).agent(),
    machine(
        "video-transcode",
        US,
        "Standard_F8s_v2",
        Throttled,
        INTRANET,
    ),
    machine(
        "badge-reader",
        US,
        "Standard_D2s_v5",
        Oversized(5.0),
        DIRECTORY,
    )
    .holes(),
];

const DATABASES: &[Database] = &[
    Database {
        name: "erp-main",
        region: EU,
        class: "Standard_D8s_v5",
        engine: "postgres",
        gib: 1024,
        multi_az: true,
        load: Used(49.0),
        owner: ERP,
    },
    Database {
        name: "survey-2024",
        region: EU,
        class: "Standard_D2s_v5",
        engine: "postgres",
        gib: 64,
        multi_az: false,
        load: DatabaseIdle,
        owner: INTRANET,
    },
];

const LOOSE_DISKS: &[LooseDisk] = &[
    LooseDisk {
        name: "erp-migration-src",
        region: EU,
        gib: 1024,
        class: "Premium_LRS",
        age_days: 130,
        owner: ERP,
    },
    LooseDisk {
        name: "desktop-image-old",
        region: EU,
        gib: 128,
        class: "StandardSSD_LRS",
        age_days: 58,
        owner: DESKTOP,
    },
];

const BALANCERS: &[Balancer] = &[Balancer {
    name: "intranet",
    region: EU,
    class: "standard",
    targets: "intranet",
    peak: 60.0,
    owner: INTRANET,
}];

const GROUPS: &[SimulatedGroup] = &[SimulatedGroup {
    name: "intranet",
    region: EU,
    owner: INTRANET,
}];
