//! The gp3 setup that holds a volume's peaks.

use reeve_estate::Resource;
use reeve_estate::catalogue::volume::{
    GP3_FREE_IOPS, GP3_FREE_MIBPS, GP3_IOPS_PER_GIB, GP3_IOPS_PER_MIBPS, GP3_MOST_IOPS,
    GP3_MOST_MIBPS, VolumePerformance,
};
use reeve_recommend::change::VolumeSetup;
use reeve_recommend::judgement::proposal::Abstention;

use super::KIND;
use super::demand::Peak;

/// Provisioned IOPS are proposed in steps of this.
const IOPS_STEP: f64 = 100.0;
/// Provisioned throughput is proposed in steps of this, MiB/s.
const MIBPS_STEP: f64 = 5.0;

/// Returns `true` for a gp3 setup that costs no more than its storage.
pub(super) fn is_free(setup: &VolumeSetup) -> bool {
    setup
        .iops
        .is_none_or(|iops| u64::from(iops) <= GP3_FREE_IOPS)
        && setup
            .throughput_mibps
            .is_none_or(|mibps| u64::from(mibps) <= GP3_FREE_MIBPS)
}

/// The least gp3 setup that holds the peaks and the headroom, and never more than the volume has
/// now; an abstention if no gp3 volume of this size does.
pub(super) fn gp3(
    volume: &Resource,
    peak: &Peak,
    headroom_percent: f64,
) -> Result<VolumeSetup, Abstention> {
    let specification = &volume.specification;
    let (Some(has), Some(gib)) = (
        VolumePerformance::from_specification(specification),
        specification.storage_gib,
    ) else {
        let detail = "its size or its provisioned IOPS are not known".to_owned();
        return Err(Abstention::unjudged(KIND, "performance_not_known", detail));
    };

    let needs = |peak: f64, has: f64, step: f64| {
        let wanted = peak * (1.0 + headroom_percent / 100.0);
        (wanted.min(has) / step).ceil() * step
    };
    let mibps = needs(peak.mibps, has.mibps, MIBPS_STEP).max(GP3_FREE_MIBPS as f64);

    let iops = needs(peak.iops, has.iops, IOPS_STEP)
        .max(mibps * GP3_IOPS_PER_MIBPS as f64)
        .max(GP3_FREE_IOPS as f64);
    let most = (gib * GP3_IOPS_PER_GIB).clamp(GP3_FREE_IOPS as f64, GP3_MOST_IOPS as f64);

    if iops > most || mibps > GP3_MOST_MIBPS as f64 {
        let detail = format!(
            "{peak}; with {headroom_percent:.0} % of headroom that is more than gp3 offers for {gib:.0} GiB"
        );
        return Err(Abstention::decided(KIND, "needs_more", detail));
    }

    Ok(VolumeSetup {
        storage_type: "gp3".to_owned(),
        iops: Some(iops as u32),
        throughput_mibps: Some(mibps as u32),
    })
}

/// Returns `true` if a setup holds a peak.
pub(super) fn holds(setup: &VolumeSetup, peak: &Peak) -> bool {
    share(setup, peak) <= 1.0
}

/// The larger share that a peak takes of a setup's IOPS and throughput.
pub(super) fn share(setup: &VolumeSetup, peak: &Peak) -> f64 {
    let of = |peak: f64, limit: Option<u32>, free: u64| {
        peak / limit.map_or(free as f64, f64::from).max(1.0)
    };
    of(peak.iops, setup.iops, GP3_FREE_IOPS).max(of(
        peak.mibps,
        setup.throughput_mibps,
        GP3_FREE_MIBPS,
    ))
}
