//! Sources of entries that a query can rest on. A query that no connected source can answer finds
//! nothing for another reason than a quiet period, and a report says so.

use serde::Deserialize;

/// Source of entries that a query needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EventSource {
    /// Reeve itself: sign-ins, changes of its state, syncs, executions, the log.
    Reeve,
    /// AWS CloudTrail, through an import.
    Aws,
    /// Azure activity log, through an import.
    Azure,
    /// Google Cloud audit logs.
    Gcp,
    /// Audit log of a Kubernetes cluster.
    Kubernetes,
}

impl EventSource {
    /// Every source, in the order of declaration.
    pub const ALL: [EventSource; 5] = [
        Self::Reeve,
        Self::Aws,
        Self::Azure,
        Self::Gcp,
        Self::Kubernetes,
    ];

    /// Name in templates and documents.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            EventSource::Reeve => "reeve",
            EventSource::Aws => "aws",
            EventSource::Azure => "azure",
            EventSource::Gcp => "gcp",
            EventSource::Kubernetes => "kubernetes",
        }
    }

    /// Name of the source for readers.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            EventSource::Reeve => "Reeve",
            EventSource::Aws => "AWS CloudTrail",
            EventSource::Azure => "Azure activity log",
            EventSource::Gcp => "Google Cloud audit logs",
            EventSource::Kubernetes => "Kubernetes audit log",
        }
    }

    /// Query that finds an entry of the source if the log has ever had one; `None` for Reeve, which
    /// always writes.
    ///
    /// A sync of Reeve's names a cloud too. It is not the cloud's own record, so Reeve's entries do
    /// not count.
    #[must_use]
    pub const fn probe(self) -> Option<&'static str> {
        Some(match self {
            EventSource::Reeve => return None,
            EventSource::Aws => {
                "metadata.cloudtrail:* OR (resource.cloud_provider:aws -submitted_by.type:reeve)"
            }
            EventSource::Azure => "resource.cloud_provider:azure -submitted_by.type:reeve",
            EventSource::Gcp => "resource.cloud_provider:gcp -submitted_by.type:reeve",
            EventSource::Kubernetes => {
                "resource.cloud_provider:kubernetes -submitted_by.type:reeve"
            }
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use reeve_audit::query::Query;

    use super::*;

    #[test]
    fn every_probe_is_a_query() {
        for source in EventSource::ALL {
            assert!(
                source
                    .probe()
                    .is_none_or(|probe| Query::parse(probe).is_ok()),
                "{source:?}"
            );
            let name = serde_json::Value::from(source.as_str());
            assert_eq!(serde_json::from_value::<EventSource>(name).unwrap(), source);
        }
    }
}
