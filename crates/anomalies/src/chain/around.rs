//! Surroundings of a chain: the assets that its principals could reach next, by the judgements of
//! exposure and privileges, and the changes that would stop it.

use reeve_learn::attack_chain::AttackStage;
use reeve_recommend::judgement::evidence::{CheckAnswer, EXPOSURE, JudgementEvidence, PRIVILEGES};
use serde::Deserialize;

use super::{AttackChain, ChainStop, ReachableAsset};

/// Assets that are named.
const MOST_ASSETS: usize = 20;
/// Kinds that hold data or open further doors.
const DATA: [&str; 9] = [
    "bucket",
    "container_registry",
    "database",
    "database_snapshot",
    "encryption_key",
    "image",
    "secret",
    "snapshot",
    "warehouse",
];

/// Edge of a way in the values of evidence.
#[derive(Debug, Deserialize)]
struct Edge {
    resource: String,
    says: String,
}

/// Values of a judgement about a principal or a resource.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Values {
    path: Vec<Edge>,
    acts_as: Vec<String>,
}

impl AttackChain {
    /// Returns `true` if a judgement is about one of the chain's principals: it has the name or the
    /// identifier of one, in the same account.
    fn concerns(&self, evidence: &JudgementEvidence) -> bool {
        let is_there = self.account.is_empty() || evidence.account == self.account;
        let mut names = self.principals.iter().flat_map(|name| name.split('/'));
        is_there && names.any(|name| name == evidence.name || name == evidence.resource.as_str())
    }

    /// Takes the judgements of the chain's account: what could be reached, and what would stop it.
    #[must_use]
    pub fn surrounded_by(mut self, evidence: &[JudgementEvidence]) -> AttackChain {
        self.reachable.clear();
        self.stops = vec![self.credentials()];

        for one in evidence {
            let values = Values::deserialize(&one.result.values).unwrap_or_default();
            match one.result.check.as_str() {
                PRIVILEGES if self.concerns(one) => self.add_privilege(one, &values),
                EXPOSURE if one.account == self.account => self.add_exposure(one, &values),
                _ => {}
            }
        }

        self.reachable.truncate(MOST_ASSETS);
        self.stops.sort_by(|a, b| b.averts.total_cmp(&a.averts));
        self
    }

    fn probability_of(&self, stages: &[AttackStage]) -> f64 {
        let is_among = |name: &str| stages.iter().any(|stage| stage.as_str() == name);
        self.next
            .iter()
            .filter(|next| is_among(&next.stage))
            .map(|next| next.probability)
            .sum()
    }

    /// The end of the credentials in use, which takes every next step away.
    fn credentials(&self) -> ChainStop {
        let names = self.principals.join(", ");
        ChainStop {
            action: format!("Deactivate the keys and passwords and revoke the sessions of {names}"),
            resource: self.principals.last().cloned().unwrap_or_default(),
            stages: self.next.iter().map(|next| next.stage.clone()).collect(),
            averts: self.probability,
        }
    }

    fn add_privilege(&mut self, evidence: &JudgementEvidence, values: &Values) {
        let asset = |resource: &str, stage: AttackStage, way: String| ReachableAsset {
            resource: resource.to_owned(),
            kind: "principal".to_owned(),
            stage: stage.as_str().to_owned(),
            way,
            event_id: evidence.event_id.clone(),
        };

        let escalation = AttackStage::Escalation;
        match evidence.result.answer {
            CheckAnswer::Fail => {
                let target = values.path.last().map_or("", |edge| edge.resource.as_str());
                self.reachable
                    .push(asset(target, escalation, evidence.result.why.clone()));
                if let Some(first) = values.path.first() {
                    self.stops.push(ChainStop {
                        action: format!(
                            "Narrow the statements of {} that allow this step: {}",
                            evidence.name, first.says
                        ),
                        resource: evidence.resource.0.clone(),
                        stages: vec![escalation.as_str().to_owned()],
                        averts: self.probability_of(&[escalation]),
                    });
                }
            }
            CheckAnswer::NotApplicable => self.reachable.push(asset(
                evidence.resource.as_str(),
                AttackStage::Exfiltration,
                format!(
                    "{}: everything in the account is in reach",
                    evidence.result.why
                ),
            )),
            CheckAnswer::Pass | CheckAnswer::Unknown => {}
        }

        for other in &values.acts_as {
            let way = format!("{} can act as it by its permissions", evidence.name);
            self.reachable.push(asset(other, escalation, way));
        }
    }

    fn add_exposure(&mut self, evidence: &JudgementEvidence, values: &Values) {
        if evidence.result.answer != CheckAnswer::Fail {
            return;
        }

        let kind = evidence.kind.as_str();
        let stage = if DATA.contains(&kind) {
            AttackStage::Exfiltration
        } else {
            AttackStage::Access
        };
        self.reachable.push(ReachableAsset {
            resource: evidence.resource.0.clone(),
            kind: kind.to_owned(),
            stage: stage.as_str().to_owned(),
            way: evidence.result.why.clone(),
            event_id: evidence.event_id.clone(),
        });

        // The last edge is the one closest to the resource: closing it leaves others as they are.
        if let Some(edge) = values.path.last() {
            self.stops.push(ChainStop {
                action: format!(
                    "Close the way from outside to {}: {}",
                    evidence.name, edge.says
                ),
                resource: edge.resource.clone(),
                stages: vec![AttackStage::Access.as_str().to_owned()],
                averts: self.probability_of(&[AttackStage::Access]),
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chain::NextStep;

    fn chain() -> AttackChain {
        let next = |stage: &str, probability| NextStep {
            stage: stage.to_owned(),
            probability,
        };
        AttackChain {
            id: "c".to_owned(),
            principal: "ann".to_owned(),
            account: "1".to_owned(),
            principals: vec!["ann".to_owned(), "deploy/ann".to_owned()],
            steps: Vec::new(),
            reached: "persistence".to_owned(),
            probability: 0.6,
            next: vec![next("escalation", 0.4), next("access", 0.2)],
            reachable: Vec::new(),
            stops: Vec::new(),
            started_at: jiff::Timestamp::UNIX_EPOCH,
            last_at: jiff::Timestamp::UNIX_EPOCH,
            predicted_at: None,
        }
    }

    fn evidence(
        check: &str,
        kind: &str,
        name: &str,
        answer: &str,
        account: &str,
    ) -> JudgementEvidence {
        let text = format!(
            r#"{{"agent":"a","connection":"c","resource":"arn:{name}","kind":"{kind}","name":"{name}","account":"{account}",
            "region":"","check":"{check}","answer":"{answer}","why":"why {name}","document":null,
            "values":{{"path":[{{"edge":"policy","resource":"r1","says":"first of {name}"}},{{"edge":"x","resource":"r2","says":"last of {name}"}}],
            "acts_as":["arn:other"]}},"since":"2026-11-01T00:00:00Z","at":"2026-11-01T00:00:00Z","event_id":"e-{name}"}}"#
        );
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
    }

    #[test]
    fn ways_of_its_principals_and_open_doors_of_its_account_are_in_reach() {
        let found = chain().surrounded_by(&[
            evidence(PRIVILEGES, "iam_role", "deploy", "fail", "1"),
            evidence(PRIVILEGES, "iam_user", "bob", "fail", "1"),
            evidence(EXPOSURE, "bucket", "data", "fail", "1"),
            evidence(EXPOSURE, "bucket", "far", "fail", "2"),
            evidence(EXPOSURE, "bucket", "closed", "pass", "1"),
        ]);
        let reached: Vec<(&str, &str)> = found
            .reachable
            .iter()
            .map(|one| (one.resource.as_str(), one.stage.as_str()))
            .collect();
        assert_eq!(
            reached,
            [
                ("r2", "escalation"),
                ("arn:other", "escalation"),
                ("arn:data", "exfiltration")
            ]
        );

        let stops: Vec<(f64, &str)> = found
            .stops
            .iter()
            .map(|one| ((one.averts * 100.0).round(), one.resource.as_str()))
            .collect();
        assert_eq!(
            stops,
            [(60.0, "deploy/ann"), (40.0, "arn:deploy"), (20.0, "r2")]
        );
        assert!(found.stops[1].action.contains("first of deploy"));
    }

    #[test]
    fn without_judgements_the_credentials_alone_stop_it() {
        let found = chain().surrounded_by(&[]);
        assert_eq!((found.reachable.len(), found.stops.len()), (0, 1));
    }
}
