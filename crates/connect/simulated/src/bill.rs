//! The account's bill: what a resource costs this company a month.
//!
//! Machines and AWS volumes cost the catalogue's list price less the discount the account has
//! negotiated; reserved ones less the commitment, spot ones less what spot saves; what the
//! catalogue has no price of (a region, a size) has no cost here either. Buckets, other clouds'
//! databases, disks and load balancers have no price in the catalogue: they cost what the price
//! list below says, which is this made-up account's own and no published fact.

use reeve_estate::money::HOURS_PER_MONTH;
use reeve_estate::{
    Money, PriceCatalogue, Provider, Purchase, Resource, ResourceKind, ResourceState,
};

/// Price of a reserved machine as a share of its discounted price.
const RESERVED_SHARE: f64 = 0.70;
/// Price of a spot machine as a share of its list price.
const SPOT_SHARE: f64 = 0.34;
/// Licence of a Windows machine, dollars per vCPU and hour.
const WINDOWS_VCPU_HOUR: f64 = 0.046;
/// A managed database costs this many times its machine.
const DATABASE_MARKUP: f64 = 1.85;
/// A database's vCPU, where its machine has no price, dollars an hour.
const DATABASE_VCPU_HOUR: f64 = 0.0826;
/// A database's storage, dollars per GiB and month.
const DATABASE_GIB_MONTH: f64 = 0.115;
/// Price of a balancer in USD an hour, where the catalogue has none.
const BALANCER_HOUR: f64 = 0.025;

/// Disks beyond the catalogue and object storage, dollars per GiB and month.
const GIB_MONTH: &[(&str, f64)] = &[
    ("pd-standard", 0.04),
    ("pd-balanced", 0.10),
    ("pd-ssd", 0.17),
    ("StandardSSD_LRS", 0.075),
    ("Premium_LRS", 0.132),
    ("STANDARD", 0.023),
    ("STANDARD_IA", 0.0125),
    ("NEARLINE", 0.010),
];

/// Returns the monthly cost of a resource in its present state; `None` for one without a cost of
/// its own (a group's cost is its members').
pub(crate) fn monthly(resource: &Resource, discount: f64) -> Option<Money> {
    let negotiated = 1.0 - discount;
    let stopped = matches!(
        resource.state,
        ResourceState::Stopped | ResourceState::Deleted
    );
    let list = match resource.kind {
        ResourceKind::VirtualMachine if stopped => 0.0,
        ResourceKind::VirtualMachine => machine_usd(resource)? * HOURS_PER_MONTH,
        ResourceKind::Database => database_usd(resource, stopped)?,
        ResourceKind::Volume if resource.state == ResourceState::Deleted => 0.0,
        ResourceKind::Volume => volume_usd(resource)?,
        ResourceKind::Bucket => storage_usd(resource)?,
        ResourceKind::LoadBalancer => listed(resource).unwrap_or(BALANCER_HOUR * HOURS_PER_MONTH),
        ResourceKind::IpAddress | ResourceKind::NatGateway
            if resource.state == ResourceState::Deleted =>
        {
            0.0
        }
        ResourceKind::IpAddress | ResourceKind::NatGateway => listed(resource)?,
        _ => return None,
    };

    let share = match resource.purchase {
        Some(Purchase::Spot) => SPOT_SHARE,
        Some(Purchase::Reserved) => negotiated * RESERVED_SHARE,
        _ => negotiated,
    };
    Some(Money::from_usd(list * share))
}

fn listed(resource: &Resource) -> Option<f64> {
    PriceCatalogue::builtin()
        .monthly_cost(resource)
        .map(|month| month.cost.usd())
}

/// An hour at list price, with the licence.
fn machine_usd(resource: &Resource) -> Option<f64> {
    let (catalogue, spec) = (PriceCatalogue::builtin(), &resource.specification);
    let size = spec.instance_type.as_deref()?;
    if let Some(price) = catalogue.hourly_for(resource, size) {
        return Some(price.usd_per_hour);
    }

    let linux = catalogue
        .hourly_usd(resource.provider, &resource.region, size, None)?
        .usd_per_hour;
    if spec.platform.as_deref() != Some("windows") {
        return Some(linux);
    }

    let vcpu = catalogue.instance(resource.provider, size)?.vcpu;
    Some(linux + f64::from(vcpu) * WINDOWS_VCPU_HOUR)
}

fn database_usd(resource: &Resource, stopped: bool) -> Option<f64> {
    let spec = &resource.specification;
    let size = spec.instance_type.as_deref()?;
    let copies = if spec.multi_az == Some(true) {
        2.0
    } else {
        1.0
    };
    let storage = spec.storage_gib.unwrap_or(0.0) * DATABASE_GIB_MONTH * copies;

    if stopped {
        return Some(storage);
    }
    if let Some(price) = PriceCatalogue::builtin().hourly_for(resource, size) {
        return Some(price.usd_per_hour * HOURS_PER_MONTH + storage);
    }

    let machine = size.strip_prefix("db.").unwrap_or(size);
    let listed =
        PriceCatalogue::builtin().hourly_usd(resource.provider, &resource.region, machine, None);
    let hour = match listed {
        Some(price) => price.usd_per_hour * DATABASE_MARKUP,
        None => f64::from(custom_vcpu(size)?) * DATABASE_VCPU_HOUR,
    };

    Some(hour * HOURS_PER_MONTH * copies + storage)
}

/// vCPUs of a Cloud SQL tier: `db-custom-4-15360` has 4.
pub(crate) fn custom_vcpu(tier: &str) -> Option<u32> {
    let (vcpu, memory_mib) = tier.strip_prefix("db-custom-")?.split_once('-')?;
    let (vcpu, memory_mib): (u32, u32) = (vcpu.parse().ok()?, memory_mib.parse().ok()?);
    // Cloud SQL: 1 or an even number to 96; 0.9 to 6.5 GiB a vCPU; steps of 256 MiB.
    let even = vcpu == 1 || (vcpu % 2 == 0 && (2..=96).contains(&vcpu));
    let fits = memory_mib % 256 == 0 && memory_mib >= vcpu * 922 && memory_mib <= vcpu * 6656;
    (even && fits).then_some(vcpu)
}

fn volume_usd(resource: &Resource) -> Option<f64> {
    match resource.provider {
        Provider::Aws => listed(resource),
        Provider::Azure | Provider::Gcp | Provider::Database => storage_usd(resource),
    }
}

fn storage_usd(resource: &Resource) -> Option<f64> {
    let class = resource.specification.storage_type.as_deref()?;
    let (_, usd) = GIB_MONTH.iter().find(|(name, _)| *name == class)?;
    Some(resource.specification.storage_gib? * usd)
}
