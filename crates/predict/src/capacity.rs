//! Capacity of a resource: from the rule, from a tag, or from the database engine's default.

use reeve_estate::{GIB, Metric, Platform, PriceCatalogue, Provider, Resource, ResourceKind};
use reeve_recommend::predictive::{CapacitySource, PredictiveRule, Signal};

use super::unpredictable::Unpredictable;

/// Memory that RDS for PostgreSQL allots to one connection, in bytes:
/// `LEAST({DBInstanceClassMemory/9531392}, 5000)`.
const POSTGRES_BYTES: f64 = 9_531_392.0;
/// The same for MySQL and MariaDB: `{DBInstanceClassMemory/12582880}`.
const MYSQL_BYTES: f64 = 12_582_880.0;

/// A limit and where it comes from.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Capacity {
    pub(super) value: f64,
    pub(super) source: String,
}

/// Returns the capacity of a resource, whose storage is on `disk`.
///
/// # Errors
/// [`Unpredictable`], which says how to set a capacity that is unknown.
pub(super) fn find(
    rule: &PredictiveRule,
    signal: Signal,
    resource: &Resource,
    disk: &Resource,
    catalogue: &PriceCatalogue,
) -> Result<Capacity, Unpredictable> {
    if signal == Signal::DiskSpace {
        return disk_space(rule, signal.metric(resource.kind), disk);
    }

    if let Some(value) = rule.condition.value {
        return Ok(Capacity {
            value,
            source: "the rule's own value".to_owned(),
        });
    }

    let tag = match signal.row().capacity {
        CapacitySource::Tag { tag, .. } => tag,
        CapacitySource::Whole => {
            return Ok(Capacity {
                value: 100.0,
                source: "100 percent".to_owned(),
            });
        }
        CapacitySource::Disk | CapacitySource::Rule => {
            return Err(Unpredictable::CapacityUnknown {
                capacity: capacity_name(signal),
            });
        }
    };

    let tagged = resource
        .tag(tag)
        .and_then(|text| text.trim().parse::<f64>().ok())
        .filter(|v| v.is_finite() && *v > 0.0);
    if let Some(value) = tagged {
        return Ok(Capacity {
            value,
            source: format!("the resource's tag {tag}"),
        });
    }

    by_default(signal, resource, catalogue).ok_or_else(|| Unpredictable::CapacityUntagged {
        capacity: capacity_name(signal),
        tag,
    })
}

/// Returns the value at which a disk counts as full. A rule gives the bytes that are left then, and
/// none by default.
fn disk_space(
    rule: &PredictiveRule,
    metric: Metric,
    disk: &Resource,
) -> Result<Capacity, Unpredictable> {
    let left = rule.condition.value.unwrap_or(0.0);
    if metric == Metric::FreeStorage {
        return Ok(Capacity {
            value: left,
            source: format!("full at {left:.0} bytes of free storage"),
        });
    }

    if left <= 0.0 {
        return Ok(Capacity {
            value: 100.0,
            source: "100 percent".to_owned(),
        });
    }

    let total = disk
        .specification
        .storage_gib
        .map(|gib| gib * GIB)
        .filter(|total| *total > left);
    let total = total.ok_or(Unpredictable::DiskSize)?;
    let value = 100.0 * (1.0 - left / total);

    Ok(Capacity {
        value,
        source: format!("full at {left:.0} bytes of free storage on {}", disk.name),
    })
}

/// The capacity of a signal as people call it.
fn capacity_name(signal: Signal) -> String {
    match signal.row().capacity {
        CapacitySource::Tag { name, .. } => name.to_owned(),
        _ => format!("The capacity for {}", signal.to_string().replace('_', " ")),
    }
}

/// Returns RDS's default for the class's memory. If a parameter group overrides it, the tag should
/// say so.
fn by_default(signal: Signal, resource: &Resource, catalogue: &PriceCatalogue) -> Option<Capacity> {
    let database = resource.kind == ResourceKind::Database && resource.provider == Provider::Aws;
    if signal != Signal::DatabaseConnections || !database {
        return None;
    }

    let class = resource.specification.instance_type.as_deref()?;
    let memory = catalogue.database(class)?.machine.memory_gib? * GIB;
    let value = match resource.specification.platform_family()? {
        Platform::Postgres => (memory / POSTGRES_BYTES).min(5_000.0).floor(),
        Platform::MySql => (memory / MYSQL_BYTES).floor(),
        Platform::Windows | Platform::Other => return None,
    };
    let engine = resource.specification.platform.as_deref()?;

    Some(Capacity {
        value,
        source: format!("the default of RDS for {engine} on {class}"),
    })
}
