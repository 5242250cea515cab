//! Least rules of security groups by flow logs: interfaces with their flows, as a run passes
//! them, and the judgement of each group.
//!
//! A group is judged by the flows of every network interface that has it. Where one of them cannot
//! be given another group by Reeve, or other groups refer to it, the finding is advice.

mod proposal;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::net::IpAddr;

use jiff::Timestamp;
use reeve_estate::{
    ConnectionId, Document, QUARANTINE, REPLACEMENT_PREFIX, Resource, ResourceKind,
};
use reeve_flows::{
    FlowRule, GroupFacts, InterfaceFlows, LeastSettings, RulePeer, day_of, least_rules, rules_of,
};
use reeve_recommend::agent::settings::{AgentSetting, AgentSettings, SettingValue};
use reeve_recommend::judgement::Facts;
use reeve_recommend::judgement::evidence::{CheckAnswer, CheckResult, LEAST_PRIVILEGE};
use reeve_recommend::judgement::proposal::{Abstention, Proposal};
use reeve_recommend::recommendation::RecommendationType;
use serde_json::Value;

/// Rule of the findings (requirement A-075).
pub(super) const RULE: &str = "recommend_security_groups";
/// Days of flows that are loaded: a use that comes once a year is seen to recur.
pub(super) const LOADED_DAYS: i64 = 400;
/// Flows that a run holds; interfaces beyond them are not judged.
const MOST_FLOWS: usize = 1_000_000;

/// Setting with the days of the learning window.
pub(super) const WINDOW: AgentSetting = AgentSetting {
    path: "recommend_security_groups.window",
    description: "Days of flow logs that the least rules of a security group are learned from; each must be covered",
    default: SettingValue::Days(30),
    range: (7.0, 180.0),
    choices: &[],
};

/// Setting with the days of observation before a wide group is taken away.
pub(super) const OBSERVE: AgentSetting = AgentSetting {
    path: "recommend_security_groups.observe",
    description: "Days for which the tight group stands beside the wide one before that is taken away",
    default: SettingValue::Days(3),
    range: (0.0, 30.0),
    choices: &[],
};

/// Network interface, as far as it decides.
#[derive(Debug)]
struct Interface {
    id: String,
    groups: Vec<String>,
    machine: Option<String>,
    /// `true` if a service of AWS made it, which alone changes its groups.
    is_managed: bool,
    flows: Option<InterfaceFlows>,
}

/// Networks of the estate, as a run passes them.
#[derive(Debug, Default)]
pub(super) struct LeastPrivilege {
    interfaces: BTreeMap<ConnectionId, Vec<Interface>>,
    /// Security groups by the address of an interface that has them, by network.
    groups: HashMap<(ConnectionId, String), HashMap<IpAddr, Vec<String>>>,
    /// Ranges of the subnets, by the identifier of their network.
    subnets: HashMap<String, Vec<ipnet::IpNet>>,
    /// Machines of scaling groups.
    members: BTreeSet<String>,
    /// Groups that rules of groups refer to, with the groups of those rules.
    referred: BTreeMap<String, BTreeSet<String>>,
    flows: usize,
}

/// Answer about a security group.
#[derive(Debug)]
pub(super) struct LeastAnswer {
    pub(super) outcome: Result<Box<Proposal>, Abstention>,
    pub(super) evidence: Option<CheckResult>,
}

impl LeastPrivilege {
    /// Looks at a resource of a run.
    pub(super) fn look(&mut self, facts: &Facts<'_>, document: &Document) {
        let (resource, json) = (facts.resource, document.json());
        let text = |name: &str| json.get(name).and_then(Value::as_str).unwrap_or_default();
        match resource.kind.as_str() {
            "virtual_machine" if resource.group.is_some() => {
                self.members.insert(resource.id.0.clone());
            }
            "subnet" => {
                if let Ok(range) = text("cidrBlock").parse() {
                    self.subnets
                        .entry(text("vpcId").to_owned())
                        .or_default()
                        .push(range);
                }
            }
            "security_group" => {
                for rule in rules_of(json).unwrap_or_default() {
                    if let RulePeer::Group(id) = rule.peer {
                        self.referred
                            .entry(id)
                            .or_default()
                            .insert(resource.id.0.clone());
                    }
                }
            }
            "network_interface" => {
                let mut interface = interface(resource, json);
                let known = facts.get::<InterfaceFlows>();
                if let Some(known) =
                    known.filter(|known| self.flows + known.flows.len() <= MOST_FLOWS)
                {
                    self.flows += known.flows.len();
                    interface.flows = Some(known.clone());
                }
                let network = (resource.connection.clone(), text("vpcId").to_owned());
                let groups = addresses(json).map(|address| (address, interface.groups.clone()));
                self.groups.entry(network).or_default().extend(groups);
                let own = self
                    .interfaces
                    .entry(resource.connection.clone())
                    .or_default();
                own.push(interface);
            }
            _ => {}
        }
    }

    /// Judges a security group; `None` where the account has no flow logs, and for groups of Reeve.
    pub(super) fn judge(
        &self,
        group: &Resource,
        document: &Document,
        settings: &AgentSettings,
        now: Timestamp,
    ) -> Option<LeastAnswer> {
        let all = self.interfaces.get(&group.connection)?;
        let is_own = group.name == QUARANTINE || group.name.starts_with(REPLACEMENT_PREFIX);
        if is_own || all.iter().all(|interface| interface.flows.is_none()) {
            return None;
        }

        let json = document.json();
        let network = json
            .get("vpcId")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let rules = rules_of(json)?;
        let own: Vec<&Interface> = all
            .iter()
            .filter(|interface| interface.groups.contains(&group.id.0))
            .collect();
        let flows: Vec<InterfaceFlows> = own
            .iter()
            .map(|interface| {
                let none = || InterfaceFlows {
                    interface: interface.id.clone(),
                    ..InterfaceFlows::default()
                };
                interface.flows.clone().unwrap_or_else(none)
            })
            .collect();
        let of_network = (group.connection.clone(), network.to_owned());
        let no_members = HashMap::new();
        let members = self.groups.get(&of_network).unwrap_or(&no_members);

        let window_days = u32::try_from(settings.days(&WINDOW)).unwrap_or(30);
        let found = least_rules(
            &GroupFacts {
                rules: &rules,
                interfaces: &flows,
                members,
                subnets: self.subnets.get(network).map_or(&[], Vec::as_slice),
            },
            &LeastSettings {
                window_days,
                today: day_of(now.as_second()),
            },
        );

        Some(match found {
            Ok(least) => {
                let obstacles = self.obstacles(group, &own, &rules);
                let observe_hours = u32::try_from(settings.days(&OBSERVE) * 24).unwrap_or(72);
                let interfaces = own.iter().map(|interface| interface.id.clone()).collect();
                let proposal = proposal::propose(
                    group,
                    &rules,
                    &least,
                    (interfaces, observe_hours),
                    &obstacles,
                );
                let why = proposal::why(&least);
                let mut values = serde_json::to_value(&least).unwrap_or_default();
                values["obstacles"] = Value::from(obstacles);
                LeastAnswer {
                    outcome: Ok(Box::new(proposal)),
                    evidence: Some(answer(CheckAnswer::Fail, why, values, document)),
                }
            }
            Err(abstained) => {
                let kind = RecommendationType::SecurityGroup;
                let (code, detail) = (abstained.code, abstained.detail.clone());
                let abstention = match abstained.is_decided {
                    true => Abstention::decided(kind, code, detail),
                    false => Abstention::unjudged(kind, code, detail),
                };
                let result = match abstained.is_decided {
                    true => CheckAnswer::Pass,
                    false => CheckAnswer::Unknown,
                };
                let values = serde_json::json!({ "code": code });
                LeastAnswer {
                    outcome: Err(abstention.with_aspect(RULE)),
                    // A group without an interface has no traffic that could be judged.
                    evidence: (code != "no_interface")
                        .then(|| answer(result, abstained.detail, values, document)),
                }
            }
        })
    }

    /// Returns the reasons for which Reeve cannot exchange a group by itself.
    fn obstacles(&self, group: &Resource, own: &[&Interface], rules: &[FlowRule]) -> Vec<String> {
        let mut reasons = Vec::new();
        if let Some(others) = self.referred.get(&group.id.0) {
            let others: Vec<&str> = others.iter().map(String::as_str).collect();
            reasons.push(format!(
                "rules of {} name the group as their peer, and would no longer permit its members",
                others.join(", ")
            ));
        }
        if let Some(managed) = own.iter().find(|one| one.is_managed) {
            reasons.push(format!(
                "a service of AWS manages the network interface {}, and gives it its groups",
                managed.id
            ));
        }
        let is_member = |one: &&&Interface| {
            one.machine
                .as_ref()
                .is_some_and(|machine| self.members.contains(machine))
        };
        if let Some(member) = own.iter().find(is_member) {
            reasons.push(format!(
                "{} belongs to a scaling group, whose new members get the groups of its launch template",
                member.machine.as_deref().unwrap_or(&member.id)
            ));
        }
        if rules
            .iter()
            .any(|rule| matches!(rule.peer, RulePeer::PrefixList(_)))
        {
            reasons.push("a rule names a prefix list, whose networks are not read".to_owned());
        }
        reasons
    }
}

fn answer(answer: CheckAnswer, why: String, values: Value, document: &Document) -> CheckResult {
    CheckResult {
        check: LEAST_PRIVILEGE.to_owned(),
        answer,
        why,
        values,
        document: Some(document.hash()),
    }
}

fn interface(resource: &Resource, json: &Value) -> Interface {
    let text = |name: &str| json.get(name).and_then(Value::as_str);
    let is_true = |name: &str| match json.get(name) {
        Some(Value::Bool(value)) => *value,
        Some(Value::String(text)) => text == "true",
        _ => false,
    };

    let machine = json.get("attachment").and_then(|one| one.get("instanceId"));
    Interface {
        id: resource.id.0.clone(),
        groups: texts(json, "groupSet", "groupId")
            .map(str::to_owned)
            .collect(),
        machine: machine.and_then(Value::as_str).map(str::to_owned),
        is_managed: is_true("requesterManaged")
            || !matches!(text("interfaceType"), None | Some("interface")),
        flows: None,
    }
}

/// Returns the private addresses of an interface.
fn addresses(json: &Value) -> impl Iterator<Item = IpAddr> {
    let first = json.get("privateIpAddress").and_then(Value::as_str);
    texts(json, "privateIpAddressesSet", "privateIpAddress")
        .chain(first)
        .chain(texts(json, "ipv6AddressesSet", "ipv6Address"))
        .filter_map(|address| address.parse().ok())
}

/// Returns one member of each item of a list.
fn texts<'d>(json: &'d Value, list: &str, name: &str) -> impl Iterator<Item = &'d str> {
    let items = json.get(list).and_then(Value::as_array);
    let items = items.into_iter().flatten();
    items.filter_map(move |item| item.get(name).and_then(Value::as_str))
}

/// Returns `true` for a security group, which alone has least rules.
pub(super) fn is_group(resource: &Resource) -> bool {
    resource.kind == ResourceKind::SecurityGroup
}
