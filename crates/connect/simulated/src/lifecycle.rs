//! Lifecycle configurations of simulated buckets: the rules of the company's tables, and those that
//! a bucket was given since; and the sizes of buckets.

use std::collections::BTreeMap;

use jiff::Timestamp;
use reeve_estate::{BucketContents, Document, Lifecycle, Provider, Resource, ResourceKind};
use reeve_recommend::change::LifecycleRule;
use serde_json::{Value, json};

use crate::account::SimulatedAccount;
use crate::condition::Conditions;

/// CloudWatch's names of storage classes.
const STORAGE_TYPES: &[(&str, &str)] = &[
    ("STANDARD", "StandardStorage"),
    ("STANDARD_IA", "StandardIAStorage"),
];
/// Objects of a GiB, of 4 MiB each.
pub(crate) const OBJECTS_A_GIB: f64 = 256.0;
const DAY_S: i64 = 86_400;

impl SimulatedAccount {
    /// The configuration of a bucket as S3 describes it; `None` without rules.
    pub(crate) fn lifecycle_document(
        &self,
        conditions: &Conditions,
        bucket: &Resource,
    ) -> Option<Value> {
        let row = self
            .plan
            .buckets
            .iter()
            .find(|row| row.name == bucket.name)?;
        let rule = |id: &str, action: &str, effect: Value| json!({ "ID": id, "Status": "Enabled", "Filter": { "Prefix": "" }, action: effect });
        let mut rules = Vec::new();

        if row.aborts {
            rules.push(rule(
                "uploads",
                "AbortIncompleteMultipartUpload",
                json!({ "DaysAfterInitiation": "7" }),
            ));
        }

        if row.expires {
            rules.push(rule(
                "versions",
                "NoncurrentVersionExpiration",
                json!({ "NoncurrentDays": "60" }),
            ));
        }

        let given = conditions.get(&bucket.id).lifecycle_rules;
        rules.extend(given.iter().map(|id| {
            let action = match id.as_str() {
                LifecycleRule::TIER_ID => "Transition",
                id if id == LifecycleRule::IDS[0] => "AbortIncompleteMultipartUpload",
                _ => "NoncurrentVersionExpiration",
            };
            rule(id, action, json!({}))
        }));

        (!rules.is_empty()).then(|| json!({ "Rule": rules }))
    }

    /// Contents of a bucket as CloudWatch counted them at midnight.
    pub(crate) fn contents(&self, bucket: &Resource, now: Timestamp) -> Option<BucketContents> {
        if bucket.kind != ResourceKind::Bucket || bucket.provider != Provider::Aws {
            return None;
        }

        let (_, storage_type) = STORAGE_TYPES
            .iter()
            .find(|(class, _)| Some(*class) == bucket.specification.storage_type.as_deref())?;
        let gib = bucket.specification.storage_gib?;
        let midnight = Timestamp::from_second(now.as_second().div_euclid(DAY_S) * DAY_S).ok()?;

        Some(BucketContents {
            measured_at: midnight,
            objects: Some((gib * OBJECTS_A_GIB) as u64),
            gib: BTreeMap::from([((*storage_type).to_owned(), gib)]),
        })
    }

    /// The configuration as the observation of a bucket states it.
    pub(crate) fn lifecycle(&self, conditions: &Conditions, bucket: &Resource) -> Lifecycle {
        let own_rules = conditions
            .get(&bucket.id)
            .lifecycle_rules
            .into_iter()
            .collect();
        match self.lifecycle_document(conditions, bucket) {
            Some(document) => Lifecycle {
                fingerprint: Document::new(document).hash(),
                own_rules,
            },
            None => Lifecycle::none(),
        }
    }
}
