//! Type, IOPS and throughput of volumes, which serve meanwhile.
//!
//! Refuses what EBS refuses: a change within six hours of the last, a type that does not exist or
//! that several machines cannot share, and IOPS or throughput that the type does not take. EC2 API
//! reference, `ModifyVolume`.

use jiff::Timestamp;
use reeve_estate::catalogue::volume::{
    GP3_FREE_IOPS, GP3_FREE_MIBPS, GP3_IOPS_PER_GIB, GP3_IOPS_PER_MIBPS, GP3_MOST_IOPS,
    GP3_MOST_MIBPS,
};
use reeve_estate::{
    ActError, ActErrorKind, Operation, Provider, Resource, ResourceKind, ResourceState,
};
use reeve_recommend::change::{VolumeOperation, VolumeSetup};

use crate::account::SimulatedAccount;
use crate::alterations::{OPTIMIZING_S, completed};
use crate::condition::Conditions;
use crate::refusal::{refuse, wrong_state};

/// Takes changes of a volume's setup.
pub(super) fn offer(
    account: &SimulatedAccount,
    conditions: &mut Conditions,
    resource: &Resource,
    operation: &dyn Operation,
    now: Timestamp,
) -> Option<Result<(), ActError>> {
    let operation = operation.downcast_ref::<VolumeOperation>()?;
    Some(apply(account, conditions, resource, &operation.setup, now))
}

fn apply(
    account: &SimulatedAccount,
    conditions: &mut Conditions,
    volume: &Resource,
    setup: &VolumeSetup,
    now: Timestamp,
) -> Result<(), ActError> {
    if volume.kind != ResourceKind::Volume || volume.provider != Provider::Aws {
        let said = format!(
            "{} is a {} of {}, which has no such setup here",
            volume.id, volume.kind, volume.provider
        );
        return Err(refuse(ActErrorKind::Other, "UnsupportedOperation", &said));
    }

    if matches!(
        volume.state,
        ResourceState::Changing | ResourceState::Deleted
    ) {
        return Err(wrong_state(volume, "settled"));
    }

    completed(volume, conditions.get(&volume.id).optimizing_until, now)?;
    check(volume, setup)?;

    let settles = account
        .world
        .settings
        .after(now, account.takes(volume, now, 30.0, 90.0));
    let condition = conditions.resources.entry(volume.id.clone()).or_default();
    condition.settles_at = Some(settles);
    condition.setups.push((settles, setup.clone()));
    condition.optimizing_until = Some(account.world.settings.after(now, OPTIMIZING_S));

    Ok(())
}

/// Refuses a setup that EBS does not take.
fn check(volume: &Resource, setup: &VolumeSetup) -> Result<(), ActError> {
    let gib = volume.specification.storage_gib.unwrap_or(0.0);
    let (iops, mibps) = (
        setup.iops.map(u64::from),
        setup.throughput_mibps.map(u64::from),
    );
    let shared = volume.attached_to.len() > 1;
    let fits = match setup.storage_type.as_str() {
        "gp2" => iops.is_none() && mibps.is_none() && !shared,
        "gp3" => {
            let (iops, mibps) = (
                iops.unwrap_or(GP3_FREE_IOPS),
                mibps.unwrap_or(GP3_FREE_MIBPS),
            );
            let most = ((gib * GP3_IOPS_PER_GIB) as u64).clamp(GP3_FREE_IOPS, GP3_MOST_IOPS);
            (GP3_FREE_IOPS..=most).contains(&iops)
                && (GP3_FREE_MIBPS..=GP3_MOST_MIBPS).contains(&mibps)
                && mibps * GP3_IOPS_PER_MIBPS <= iops
                && !shared
        }
        "io1" => {
            mibps.is_none()
                && iops
                    .is_some_and(|iops| (100..=64_000).contains(&iops) && iops as f64 <= gib * 50.0)
        }
        "io2" => {
            mibps.is_none()
                && iops.is_some_and(|iops| {
                    (100..=64_000).contains(&iops) && iops as f64 <= gib * 500.0
                })
        }
        _ => false,
    };

    if fits {
        return Ok(());
    }

    let said = format!("{} with {gib:.0} GiB cannot be {setup}", volume.id);
    Err(refuse(
        ActErrorKind::InvalidType,
        "InvalidParameterCombination",
        &said,
    ))
}
