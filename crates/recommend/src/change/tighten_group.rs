//! Least rules of a security group: a group with the tight rules is given beside the wide one, the
//! flows are observed, and the wide one is taken away. Undoing gives the wide one back first.
//!
//! While an interface has both groups it may do whatever either permits, so that nothing is
//! interrupted until the last step. The observation asks the flow logs for flows that need the wide
//! group alone; after the last step they are asked for refused ones.

use std::sync::Arc;

use reeve_audit::Json;
use reeve_estate::{ActError, GroupUse, Operation, PriceCatalogue, ReplacementGroup, Resource};
use reeve_flows::FlowRule;

use crate::change::{
    Change, ChangePermission, ChangeType, EffectEvidence, Expectation, FlowWatch, ParameterError,
    Parameters, Parse, Reversal, Task, TaskReach, aws, aws_own, foreign, verify,
};

/// Row of the registry.
pub(super) const TYPE: ChangeType = ChangeType {
    name: "tighten_group",
    permissions: PERMISSIONS,
    parse: Parse::Typed(parse),
};

/// Permissions that the steps and the way back need.
const PERMISSIONS: &[ChangePermission] = &[
    aws("ec2:DescribeSecurityGroups"),
    aws("ec2:DescribeNetworkInterfaces"),
    aws("ec2:ModifyNetworkInterfaceAttribute"),
    aws("ec2:CreateSecurityGroup"),
    aws("ec2:CreateTags"),
    aws_own("ec2:AuthorizeSecurityGroupIngress"),
    aws_own("ec2:AuthorizeSecurityGroupEgress"),
    aws_own("ec2:RevokeSecurityGroupIngress"),
    aws_own("ec2:RevokeSecurityGroupEgress"),
    aws_own("ec2:DeleteSecurityGroup"),
];

/// Operation on a security group, its interfaces, and the group in its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GroupOperation {
    /// Makes the group in its place, with these rules and no others.
    MakeReplacement { rules: Vec<FlowRule> },
    /// Gives the group in its place to the interfaces that have it.
    AddReplacement,
    /// Takes it away from the interfaces that have the group in its place.
    TakeAway,
    /// Gives it back to the interfaces that have the group in its place.
    GiveBack,
    /// Takes the group in its place away from the interfaces that have it as well.
    DropReplacement,
    /// Deletes the group in its place.
    DeleteReplacement,
}

impl Operation for GroupOperation {}

/// Exchange of a security group for one with tight rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TightenGroup {
    /// Rules that the finding saw.
    pub rules: Vec<FlowRule>,
    /// Rules of the group in its place.
    pub tight: Vec<FlowRule>,
    /// Network interfaces that the finding saw, sorted.
    pub interfaces: Vec<String>,
    /// Hours for which flows are observed before the wide group is taken away.
    pub observe_hours: u32,
}

fn parse(parameters: &mut Parameters<'_>) -> Result<Arc<dyn Change>, ParameterError> {
    let mut rules = |name: &'static str| {
        let texts = parameters.texts(name)?;
        let read: Result<Vec<FlowRule>, _> =
            texts.iter().map(|text| FlowRule::parse(text)).collect();
        read.map_err(|_| ParameterError::Wrong {
            name: name.to_owned(),
            expected: "rules: direction, protocol, ports and peer each",
        })
    };
    Ok(Arc::new(TightenGroup {
        rules: rules("rules")?,
        tight: rules("tight")?,
        interfaces: parameters.texts("interfaces")?,
        observe_hours: parameters.number("observe_hours")?,
    }))
}

/// Expects something of the use of a group.
fn expect<T>(
    name: &'static str,
    wanted: T,
    read: impl Fn(&GroupUse, &str) -> T + Send + Sync + 'static,
) -> Expectation
where
    T: PartialEq + std::fmt::Display + Send + Sync + 'static,
{
    Expectation::new(name, wanted, move |group| {
        let used = group.specification.group_use.as_ref()?;
        Some(read(used, group.id.as_str()))
    })
}

/// Number of interfaces that have the wide group without the tight one.
fn only_wide(used: &GroupUse, wide: &str) -> usize {
    let tight = used.replacement_id();
    let interfaces = used.interfaces.keys();
    interfaces
        .filter(|one| used.has(one, wide) && !used.has(one, tight))
        .count()
}

/// Number of interfaces that have the tight group without the wide one.
fn only_tight(used: &GroupUse, wide: &str) -> usize {
    let tight = used.replacement_id();
    let interfaces = used.interfaces.keys();
    interfaces
        .filter(|one| used.has(one, tight) && !used.has(one, wide))
        .count()
}

/// Number of interfaces that have the wide group.
fn with_wide(used: &GroupUse, wide: &str) -> usize {
    used.interfaces
        .keys()
        .filter(|one| used.has(one, wide))
        .count()
}

/// Number of interfaces that have the tight group.
fn with_tight(used: &GroupUse, _: &str) -> usize {
    let tight = used.replacement_id();
    used.interfaces
        .keys()
        .filter(|one| used.has(one, tight))
        .count()
}

fn step(
    target: &str,
    words: String,
    name: &'static str,
    operation: GroupOperation,
    expected: Vec<Expectation>,
) -> Task {
    let goal = TaskReach::by(name, operation, expected.clone());
    Task::change(target, words, goal).expecting(expected)
}

impl TightenGroup {
    fn has_tight_rules(&self) -> Expectation {
        expect(
            "tight_rules",
            FlowRule::texts(&self.tight).join("; "),
            |used, _| {
                let group = used.replacement.as_ref();
                group.map_or_else(|| "none".to_owned(), |group| group.rules.join("; "))
            },
        )
    }
}

impl Change for TightenGroup {
    fn name(&self) -> &'static str {
        TYPE.name
    }

    fn parameters(&self) -> Json {
        Json::object([
            ("rules", Json::from(FlowRule::texts(&self.rules))),
            ("tight", Json::from(FlowRule::texts(&self.tight))),
            ("interfaces", Json::from(self.interfaces.clone())),
            ("observe_hours", Json::from(self.observe_hours)),
        ])
    }

    fn tasks(&self, target: &str) -> Vec<Task> {
        let count = self.interfaces.len();
        let interfaces = match count {
            1 => "1 network interface".to_owned(),
            count => format!("{count} network interfaces"),
        };
        let is_seen = vec![
            expect(
                "rules",
                FlowRule::texts(&self.rules).join("; "),
                |used, _| used.rules.join("; "),
            ),
            expect("interfaces", self.interfaces.join(", "), |used, wide| {
                let own = used.interfaces.keys().filter(|one| used.has(one, wide));
                own.cloned().collect::<Vec<_>>().join(", ")
            }),
        ];

        vec![
            Task::precondition(
                target,
                format!("Check that {target} still has its rules and {interfaces}"),
                is_seen,
            ),
            step(
                target,
                format!(
                    "Make a security group with the {} tight rules in the network of {target}",
                    self.tight.len()
                ),
                "the tight group",
                GroupOperation::MakeReplacement {
                    rules: self.tight.clone(),
                },
                vec![self.has_tight_rules()],
            ),
            step(
                target,
                format!("Give the tight group to {interfaces}, beside {target}"),
                "the tight group beside the wide one",
                GroupOperation::AddReplacement,
                vec![
                    expect("without_tight_group", 0, only_wide),
                    expect("with_tight_group", count, with_tight),
                ],
            ),
            Task::observe(
                target,
                format!(
                    "Observe the flow logs for {} hours; a flow that needs {target} alone ends the change",
                    self.observe_hours
                ),
                self.observe_hours,
            ),
            step(
                target,
                format!("Take {target} away from {interfaces}"),
                "the tight group alone",
                GroupOperation::TakeAway,
                vec![
                    expect("with_wide_group", 0, with_wide),
                    expect("with_tight_group", count, with_tight),
                ],
            ),
            verify(
                target,
                "is replaced by the tight group",
                vec![
                    self.has_tight_rules(),
                    expect("with_wide_group", 0, with_wide),
                ],
            ),
        ]
    }

    fn reversal(&self) -> Reversal {
        Reversal::Inverse
    }

    /// Gives the wide group back first, so that no interface is ever without what it had.
    fn undo(&self, _: &Resource, seen: &Resource) -> Option<Task> {
        let used = seen.specification.group_use.as_ref()?;
        let (target, wide) = (seen.id.as_str(), seen.id.as_str());
        if only_tight(used, wide) > 0 {
            return Some(step(
                target,
                format!("Give {target} back to its network interfaces"),
                "the return of the wide group",
                GroupOperation::GiveBack,
                vec![expect("without_wide_group", 0, only_tight)],
            ));
        }
        if with_tight(used, wide) > 0 {
            return Some(step(
                target,
                "Take the tight group away again".to_owned(),
                "the wide group alone",
                GroupOperation::DropReplacement,
                vec![expect("with_tight_group", 0, with_tight)],
            ));
        }
        used.replacement.as_ref()?;
        Some(step(
            target,
            "Delete the tight group".to_owned(),
            "the deletion of the tight group",
            GroupOperation::DeleteReplacement,
            vec![expect(
                "tight_group",
                "none".to_owned(),
                |used, _| match used.replacement_id() {
                    "" => "none".to_owned(),
                    id => id.to_owned(),
                },
            )],
        ))
    }

    fn as_found(&self, twin: &mut Resource) {
        let own = || vec![twin.id.0.clone()];
        twin.specification.group_use = Some(GroupUse {
            rules: FlowRule::texts(&self.rules),
            interfaces: self
                .interfaces
                .iter()
                .map(|one| (one.clone(), own()))
                .collect(),
            replacement: None,
        });
    }

    fn simulate(
        &self,
        operation: &dyn Operation,
        twin: &mut Resource,
        _: &PriceCatalogue,
    ) -> Result<(), ActError> {
        let Some(operation) = operation.downcast_ref::<GroupOperation>() else {
            return Err(foreign(operation));
        };
        let wide = twin.id.0.clone();
        let used = twin.specification.group_use.get_or_insert_default();
        operation.apply(used, &wide, &format!("{wide}-tight"));
        Ok(())
    }

    fn notes(&self, seen: &Resource) -> Vec<(&'static str, Option<String>)> {
        let used = seen.specification.group_use.as_ref();
        let wide = seen.id.as_str();
        vec![
            (
                "with_wide_group",
                used.map(|used| with_wide(used, wide).to_string()),
            ),
            (
                "with_tight_group",
                used.map(|used| with_tight(used, wide).to_string()),
            ),
            (
                "tight_group",
                used.map(|used| used.replacement_id().to_owned()),
            ),
        ]
    }

    fn effect_evidence(&self) -> EffectEvidence {
        EffectEvidence::Flows
    }

    fn flow_watch(&self) -> Option<FlowWatch> {
        Some(FlowWatch {
            wide: self.rules.clone(),
            tight: self.tight.clone(),
            interfaces: self.interfaces.clone(),
        })
    }

    fn may_take_capacity(&self) -> bool {
        false
    }

    fn changes_load(&self) -> bool {
        false
    }

    fn ends_cost(&self) -> bool {
        true
    }

    fn retarget(&self, _: &dyn Fn(&str) -> Option<String>) -> Arc<dyn Change> {
        Arc::new(self.clone())
    }
}

impl GroupOperation {
    /// Applies the operation to the use of a group, as a cloud does. `made` is the identifier of the
    /// group in its place, where one is made.
    pub fn apply(&self, used: &mut GroupUse, wide: &str, made: &str) {
        let tight = used.replacement_id().to_owned();
        let has = |groups: &[String], id: &str| groups.iter().any(|own| own == id);
        match self {
            GroupOperation::MakeReplacement { rules } => {
                let id = match tight.as_str() {
                    "" => made.to_owned(),
                    id => id.to_owned(),
                };
                used.replacement = Some(ReplacementGroup {
                    id,
                    rules: FlowRule::texts(rules),
                });
            }
            GroupOperation::AddReplacement => {
                for groups in used.interfaces.values_mut() {
                    if has(groups, wide) && !has(groups, &tight) {
                        groups.push(tight.clone());
                    }
                }
            }
            GroupOperation::TakeAway => {
                for groups in used.interfaces.values_mut() {
                    if has(groups, &tight) {
                        groups.retain(|own| own != wide);
                    }
                }
            }
            GroupOperation::GiveBack => {
                for groups in used.interfaces.values_mut() {
                    if has(groups, &tight) && !has(groups, wide) {
                        groups.push(wide.to_owned());
                    }
                }
            }
            GroupOperation::DropReplacement => {
                for groups in used.interfaces.values_mut() {
                    if has(groups, wide) {
                        groups.retain(|own| *own != tight);
                    }
                }
            }
            GroupOperation::DeleteReplacement => used.replacement = None,
        }
        used.interfaces.retain(|_, groups| {
            has(groups, wide)
                || has(
                    groups,
                    used.replacement.as_ref().map_or("", |group| &group.id),
                )
        });
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::change::ChangeRegistry;

    fn change() -> TightenGroup {
        let rules = |texts: &[&str]| {
            texts
                .iter()
                .map(|text| FlowRule::parse(text).unwrap())
                .collect()
        };
        TightenGroup {
            rules: rules(&["ingress all 0-65535 0.0.0.0/0"]),
            tight: rules(&["ingress tcp 443-443 10.0.0.0/16"]),
            interfaces: vec!["eni-1".to_owned(), "eni-2".to_owned()],
            observe_hours: 72,
        }
    }

    #[test]
    fn parameters_are_read_back() {
        let written = change().parameters();
        let read = ChangeRegistry::builtin()
            .parse("tighten_group", &written)
            .unwrap();
        assert_eq!(read.parameters(), written);
        let mut broken = change().parameters();
        if let Json::Object(members) = &mut broken {
            members.insert("tight".to_owned(), Json::from(vec!["anything".to_owned()]));
        }
        let error = ChangeRegistry::builtin()
            .parse("tighten_group", &broken)
            .unwrap_err();
        assert!(error.to_string().contains("tight"), "{error}");
    }

    #[test]
    fn no_interface_is_without_a_group_on_the_way_and_back() {
        let mut used = GroupUse {
            interfaces: [
                (
                    "eni-1".to_owned(),
                    vec!["sg-1".to_owned(), "sg-9".to_owned()],
                ),
                ("eni-2".to_owned(), vec!["sg-1".to_owned()]),
            ]
            .into(),
            ..GroupUse::default()
        };
        let before = used.clone();
        let rules = change().tight;
        for operation in [
            GroupOperation::MakeReplacement { rules },
            GroupOperation::AddReplacement,
            GroupOperation::TakeAway,
            GroupOperation::GiveBack,
            GroupOperation::DropReplacement,
            GroupOperation::DeleteReplacement,
        ] {
            operation.apply(&mut used, "sg-1", "sg-tight");
            assert_eq!(used.interfaces.len(), 2, "{operation:?}");
            assert!(used.interfaces.values().all(|groups| !groups.is_empty()));
            if operation == GroupOperation::TakeAway {
                assert_eq!(used.interfaces["eni-2"], ["sg-tight"]);
            }
        }
        let sorted = |used: &GroupUse| {
            let mut all: Vec<Vec<String>> = used.interfaces.values().cloned().collect();
            all.iter_mut().for_each(|groups| groups.sort());
            all
        };
        assert_eq!(sorted(&used), sorted(&before));
    }
}
