//! Baseline of burstable sizes, percent of all their cores.
//!
//! Source: "Key concepts and definitions for burstable performance instances" in the EC2 user guide
//! (baseline utilization per vCPU). Other clouds' burstable sizes are not in it and are answered
//! with `None`.

use reeve_estate::{InstanceSpec, Provider};

const T3_LIKE: &[(&str, f64)] = &[
    ("nano", 5.0),
    ("micro", 10.0),
    ("small", 20.0),
    ("medium", 20.0),
    ("large", 30.0),
    ("xlarge", 40.0),
    ("2xlarge", 40.0),
];

const T2: &[(&str, f64)] = &[
    ("nano", 5.0),
    ("micro", 10.0),
    ("small", 20.0),
    ("medium", 20.0),
    ("large", 30.0),
    ("xlarge", 22.5),
    ("2xlarge", 17.0),
];

/// The baseline of a burstable size; `None` where it is not known.
pub(crate) fn baseline_percent(spec: &InstanceSpec) -> Option<f64> {
    if !spec.burstable || spec.provider != Provider::Aws {
        return None;
    }

    let (family, size) = spec.name.split_once('.')?;
    let table = match family {
        "t2" => T2,
        "t3" | "t3a" | "t4g" => T3_LIKE,
        _ => return None,
    };

    table
        .iter()
        .find(|(name, _)| *name == size)
        .map(|(_, percent)| *percent)
}
