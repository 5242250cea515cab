//! Ready mappings for exporters that many people run.

use crate::rule::{MappingRule, RuleDraft, read_rules};

/// File systems that are no disks.
const NO_DISK: &str = "fstype!~\"tmpfs|ramfs|devtmpfs|overlay|squashfs|iso9660|nfs.*|cifs|fuse.*\"";

/// Rules for an exporter.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadyMapping {
    /// Name of the exporter.
    pub name: &'static str,
    /// Description of the exporter, one sentence.
    pub description: &'static str,
    pub rules: Vec<MappingRule>,
}

/// Returns the ready mappings.
#[must_use]
pub fn ready_mappings() -> Vec<ReadyMapping> {
    let description = "Memory, processor and disk of machines with node_exporter, matched by the private address in the label instance.";
    // The drafts are constants, and a test reads them.
    vec![ReadyMapping {
        name: "node_exporter",
        description,
        rules: read_rules(node_exporter()).unwrap_or_default(),
    }]
}

/// Shares in use are what is not free.
fn node_exporter() -> Vec<RuleDraft> {
    let used = |metric: &str, series: String, divide_by: Option<String>| RuleDraft {
        metric: metric.to_owned(),
        kind: Some("virtual_machine".to_owned()),
        series,
        divide_by,
        scale: Some(-100.0),
        offset: Some(100.0),
        locate_by: "private_ip".to_owned(),
        ..RuleDraft::default()
    };

    let filesystem = |what: &str| format!("node_filesystem_{what}_bytes{{{NO_DISK}}}");
    let idle = "node_cpu_seconds_total{mode=\"idle\"}".to_owned();
    vec![
        used(
            "memory_utilization",
            "node_memory_MemAvailable_bytes".to_owned(),
            Some("node_memory_MemTotal_bytes".to_owned()),
        ),
        RuleDraft {
            reading: Some("counter".to_owned()),
            ..used("cpu_utilization", idle, None)
        },
        // The fullest one is the one that fills up.
        RuleDraft {
            combine: Some("max".to_owned()),
            ..used(
                "disk_utilization",
                filesystem("avail"),
                Some(filesystem("size")),
            )
        },
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ready_mappings_are_read() {
        let ready = ready_mappings();
        assert_eq!(
            ready
                .iter()
                .map(|mapping| mapping.rules.len())
                .collect::<Vec<_>>(),
            [3]
        );
    }
}
