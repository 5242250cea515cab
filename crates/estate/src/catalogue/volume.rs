//! Performance of AWS volume types, by type, size and what was provisioned.
//!
//! Source: Amazon EBS user guide, "General Purpose SSD volumes" and "Provisioned IOPS SSD volumes".

use crate::resource::Specification;

/// IOPS that every gp3 volume has.
pub const GP3_FREE_IOPS: u64 = 3_000;
/// Throughput that every gp3 volume has, MiB/s.
pub const GP3_FREE_MIBPS: u64 = 125;
/// Most IOPS of a gp3 volume. Newer volumes take more; this is offered in every region.
pub const GP3_MOST_IOPS: u64 = 16_000;
/// Most throughput of a gp3 volume, MiB/s; see [`GP3_MOST_IOPS`].
pub const GP3_MOST_MIBPS: u64 = 1_000;
/// Most IOPS of a gp3 volume for each GiB.
pub const GP3_IOPS_PER_GIB: f64 = 500.0;
/// IOPS that a gp3 volume needs for each MiB/s of its throughput.
pub const GP3_IOPS_PER_MIBPS: u64 = 4;

/// The most that a volume performs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VolumePerformance {
    /// Operations per second at most.
    pub iops: f64,
    /// Throughput at most, MiB per second.
    pub mibps: f64,
}

impl VolumePerformance {
    /// The most that a volume of this specification performs, bursts included; `None` for types
    /// other than gp2, gp3, io1 and io2, and where size or provisioned IOPS are not known.
    #[must_use]
    pub fn from_specification(specification: &Specification) -> Option<VolumePerformance> {
        let (gib, iops) = (
            specification.storage_gib,
            specification.iops.map(|iops| iops as f64),
        );
        let (iops, mibps) = match specification.storage_type.as_deref()? {
            // Three a GiB; smaller ones burst to 3,000.
            "gp2" => (
                (gib? * 3.0).clamp(3_000.0, 16_000.0),
                if gib? <= 170.0 { 128.0 } else { 250.0 },
            ),
            "gp3" => {
                let mibps = specification.throughput_mibps.unwrap_or(GP3_FREE_MIBPS);
                (iops.unwrap_or(GP3_FREE_IOPS as f64), mibps as f64)
            }
            // 256 KiB an operation up to 500 MiB/s, then 16 KiB an operation up to 1,000.
            "io1" => (
                iops?,
                (iops? * 0.25)
                    .min(500.0)
                    .max((iops? * 16.0 / 1024.0).min(1_000.0)),
            ),
            "io2" => (iops?, (iops? * 0.25).min(4_000.0)),
            _ => return None,
        };

        Some(VolumePerformance { iops, mibps })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn specification(
        storage_type: &str,
        gib: f64,
        iops: Option<u64>,
        mibps: Option<u64>,
    ) -> Specification {
        Specification {
            storage_type: Some(storage_type.to_owned()),
            storage_gib: Some(gib),
            iops,
            throughput_mibps: mibps,
            ..Specification::default()
        }
    }

    #[test]
    fn types_perform_as_the_guide_says() {
        let of = |name, gib, iops, mibps| {
            let found =
                VolumePerformance::from_specification(&specification(name, gib, iops, mibps));
            found.map(|found| (found.iops, found.mibps))
        };

        assert_eq!(
            of("gp2", 100.0, Some(300), None),
            Some((3_000.0, 128.0)),
            "it bursts"
        );

        assert_eq!(
            of("gp2", 2_000.0, Some(6_000), None),
            Some((6_000.0, 250.0))
        );
        assert_eq!(
            of("gp2", 10_000.0, Some(16_000), None),
            Some((16_000.0, 250.0))
        );
        assert_eq!(of("gp3", 100.0, None, None), Some((3_000.0, 125.0)));
        assert_eq!(
            of("gp3", 100.0, Some(9_000), Some(400)),
            Some((9_000.0, 400.0))
        );
        assert_eq!(of("io1", 400.0, Some(1_000), None), Some((1_000.0, 250.0)));
        assert_eq!(
            of("io1", 400.0, Some(20_000), None),
            Some((20_000.0, 500.0))
        );
        assert_eq!(
            of("io1", 400.0, Some(64_000), None),
            Some((64_000.0, 1_000.0))
        );
        assert_eq!(
            of("io2", 400.0, Some(16_000), None),
            Some((16_000.0, 4_000.0))
        );
        assert_eq!(
            of("io1", 400.0, None, None),
            None,
            "what was provisioned is not known"
        );
        assert_eq!(of("st1", 400.0, None, None), None);
    }
}
