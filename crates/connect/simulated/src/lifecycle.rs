//! Lifecycle configurations of simulated buckets: the rules of the company's tables, and those that a bucket was given since.

use reeve_estate::{Document, Lifecycle, Resource};
use serde_json::{Value, json};

use crate::account::SimulatedAccount;
use crate::condition::Conditions;

impl SimulatedAccount {
    /// The configuration of a bucket as S3 describes it; `None` without rules.
    pub(crate) fn lifecycle_document(&self, conditions: &Conditions, bucket: &Resource) -> Option<Value> {
        let row = self.plan.buckets.iter().find(|row| row.name == bucket.name)?;
        let rule = |id: &str, action: &str, effect: Value| json!({ "ID": id, "Status": "Enabled", "Filter": { "Prefix": "" }, action: effect });
        let mut rules = Vec::new();
        if row.aborts {
            rules.push(rule("uploads", "AbortIncompleteMultipartUpload", json!({ "DaysAfterInitiation": "7" })));
        }
        if row.expires {
            rules.push(rule("versions", "NoncurrentVersionExpiration", json!({ "NoncurrentDays": "60" })));
        }
        let given = conditions.get(&bucket.id).lifecycle_rules;
        rules.extend(given.iter().map(|id| {
            let action =
                if id.contains("uploads") { "AbortIncompleteMultipartUpload" } else { "NoncurrentVersionExpiration" };
            rule(id, action, json!({}))
        }));
        (!rules.is_empty()).then(|| json!({ "Rule": rules }))
    }

    /// The configuration as the observation of a bucket states it.
    pub(crate) fn lifecycle(&self, conditions: &Conditions, bucket: &Resource) -> Lifecycle {
        let own_rules = conditions.get(&bucket.id).lifecycle_rules.into_iter().collect();
        match self.lifecycle_document(conditions, bucket) {
            Some(document) => Lifecycle { fingerprint: Document::new(document).hash(), own_rules },
            None => Lifecycle::none(),
        }
    }
}
