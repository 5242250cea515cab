//! Security groups: rules that admit ranges, other groups, or lists of ranges by their name.

use ipnet::IpNet;
use serde_json::{Map, Value};

use crate::ports::Ports;
use crate::source::ExposureSource;
use crate::value;

/// Lists of ranges in a rule, with the member that has the range.
const RANGES: [(&str, &str); 2] = [("ipRanges", "cidrIp"), ("ipv6Ranges", "cidrIpv6")];
/// Protocol and ports of a rule.
const SCOPE: [&str; 3] = ["ipProtocol", "fromPort", "toPort"];

/// Sender that a rule admits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Admitted<'a> {
    Range(IpNet),
    Group(&'a str),
    /// List of ranges, whose content is no part of the documents.
    PrefixList(&'a str),
}

/// Inbound rule about one sender.
#[derive(Debug)]
pub(crate) struct GroupRule<'a> {
    pub(crate) from: Admitted<'a>,
    pub(crate) ports: Ports,
    /// The rule in words: `tcp 22 from 0.0.0.0/0`.
    pub(crate) words: String,
    permission: &'a Value,
}

/// Security group.
#[derive(Debug)]
pub(crate) struct SecurityGroup<'a> {
    pub(crate) id: &'a str,
    pub(crate) network: &'a str,
    pub(crate) rules: Vec<GroupRule<'a>>,
}

impl<'a> SecurityGroup<'a> {
    pub(crate) fn read(id: &'a str, document: &'a Value) -> SecurityGroup<'a> {
        let mut rules = Vec::new();
        for permission in value::list(document, "ipPermissions") {
            let ports = Ports::read(permission, SCOPE);

            let ranges = RANGES
                .iter()
                .flat_map(|(list, member)| value::each(permission, list, member))
                .filter_map(|range| Some((Admitted::Range(range.parse().ok()?), range)));
            let groups = value::each(permission, "groups", "groupId")
                .into_iter()
                .map(|group| (Admitted::Group(group), group));
            let lists = value::each(permission, "prefixListIds", "prefixListId")
                .into_iter()
                .map(|list| (Admitted::PrefixList(list), list));

            rules.extend(
                ranges
                    .chain(groups)
                    .chain(lists)
                    .map(|(from, name)| GroupRule {
                        from,
                        ports: ports.clone(),
                        words: format!("{ports} from {name}"),
                        permission,
                    }),
            );
        }

        SecurityGroup {
            id,
            network: value::text(document, "vpcId").unwrap_or_default(),
            rules,
        }
    }

    /// Returns the rules that admit a sender.
    pub(crate) fn admitting(
        &self,
        source: &ExposureSource<'_>,
    ) -> impl Iterator<Item = &GroupRule<'a>> {
        self.rules.iter().filter(move |rule| match rule.from {
            Admitted::Range(range) => source.is_admitted_by(&range),
            Admitted::Group(group) => source.groups.contains(&group),
            Admitted::PrefixList(_) => false,
        })
    }

    /// Returns the part of the rules about one range, in the form of `ipPermissions`.
    pub(crate) fn range_permission(&self, words: &str) -> Option<Value> {
        let rule = self.rules.iter().find(|rule| rule.words == words)?;
        let Admitted::Range(range) = rule.from else {
            return None;
        };

        let mut part = Map::new();
        for (list, member) in RANGES {
            let is_own = |one: &&Value| {
                value::text(one, member).and_then(|text| text.parse().ok()) == Some(range)
            };
            let own: Vec<Value> = value::list(rule.permission, list)
                .iter()
                .filter(is_own)
                .cloned()
                .collect();
            if !own.is_empty() {
                part.insert(list.to_owned(), Value::Array(own));
            }
        }
        for name in SCOPE {
            let scope = rule.permission.get(name).cloned();
            part.extend(scope.map(|scope| (name.to_owned(), scope)));
        }
        Some(Value::Object(part))
    }

    /// Returns the groups whose members the group admits.
    pub(crate) fn named_groups(&self) -> impl Iterator<Item = &'a str> {
        self.rules.iter().filter_map(|rule| match rule.from {
            Admitted::Group(group) => Some(group),
            _ => None,
        })
    }

    /// Returns the senders that the group admits, in words.
    pub(crate) fn words(&self) -> String {
        const MOST: usize = 4;
        let mut words: Vec<&str> = self.rules.iter().map(|rule| rule.words.as_str()).collect();
        let more = words.len().saturating_sub(MOST);
        words.truncate(MOST);
        match (words.is_empty(), more) {
            (true, _) => "nothing".to_owned(),
            (_, 0) => words.join("; "),
            _ => format!("{}; {more} more", words.join("; ")),
        }
    }
}
