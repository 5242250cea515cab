//! Survey of the estate: every configuration that decides about paths, then the choke points.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use reeve_audit::Json;
use reeve_estate::{Document, Provider, Resource, ResourceKind};
use reeve_exposure::{Audience, ChokePoint, Estate, Exposure, ExposureConfiguration};
use reeve_recommend::judgement::estate::{EstateError, EstateFacts, EstateJudge, EstateJudgement};
use reeve_recommend::judgement::evidence::{CheckAnswer, CheckResult, EXPOSURE};
use reeve_recommend::judgement::proposal::Abstention;
use reeve_recommend::judgement::{Facts, Judgement};
use serde_json::Value;

use super::agent::EXPOSED;
use super::finding;
use super::least_privilege::{LeastPrivilege, is_group};
use super::patches::Patches;
use super::privileges::{self, PrivilegeAnswers, Privileges};
use super::unused::{Unused, UnusedAnswers};

/// Most settings that are tried as choke points in a run, each by judging the estate without it.
const MOST_TRIED: usize = 40;

/// Members that paths depend on, of the kinds with the most and the largest documents: nothing else
/// of these is kept over a run.
const KEPT: &[(&str, &[&str])] = &[
    (
        "virtual_machine",
        &[
            "groupSet",
            "imageId",
            "instanceState",
            "ipAddress",
            "ipv6Address",
            "networkInterfaceSet",
            "privateIpAddress",
            "subnetId",
            "vpcId",
        ],
    ),
    (
        "network_interface",
        &[
            "association",
            "attachment",
            "groupSet",
            "ipv6AddressesSet",
            "networkInterfaceId",
            "privateIpAddress",
            "privateIpAddressesSet",
            "subnetId",
            "vpcId",
        ],
    ),
    ("iam_role", &["AssumeRolePolicyDocument"]),
];

/// Configuration as far as it is kept.
#[derive(Debug)]
enum Kept {
    Whole(Document),
    Part(Value),
}

impl Kept {
    fn of(kind: &str, document: &Document) -> Kept {
        let Some((_, members)) = KEPT.iter().find(|(of, _)| *of == kind) else {
            return Kept::Whole(document.clone());
        };
        let own = |name: &&str| {
            let value = document.json().get(*name)?.clone();
            Some(((*name).to_owned(), value))
        };
        Kept::Part(members.iter().filter_map(own).collect())
    }

    /// Returns the whole document; `None` if a part of it is kept.
    fn document(&self) -> Option<&Document> {
        match self {
            Kept::Whole(document) => Some(document),
            Kept::Part(_) => None,
        }
    }

    fn json(&self) -> &Value {
        match self {
            Kept::Whole(document) => document.json(),
            Kept::Part(part) => part,
        }
    }
}

/// Resources with their configurations, as a run passes them.
#[derive(Debug, Default)]
pub(super) struct Survey {
    seen: Vec<(Resource, Kept)>,
    privileges: Privileges,
    unused: Unused,
    patches: Patches,
    least: LeastPrivilege,
}

impl EstateJudge for Survey {
    fn look(&mut self, facts: &Facts<'_>, _: &Judgement) {
        if let Some(document) = facts.document
            && facts.resource.provider == Provider::Aws
        {
            self.privileges.look(facts.resource, document);
            self.unused.look(facts, document);
            self.patches.look(facts.resource, document);
            self.least.look(facts, document);
            let kept = Kept::of(facts.resource.kind.as_str(), document);
            self.seen.push((facts.resource.clone(), kept));
        }
    }

    fn judge(self: Box<Self>, facts: &EstateFacts<'_>) -> Result<EstateJudgement, EstateError> {
        let Survey {
            seen,
            privileges,
            unused,
            patches,
            least,
        } = *self;
        let accounts = privileges.accounts();
        let privileges = privileges::answers(&accounts)?;
        let unused = unused.answers(facts, &accounts);
        let estate = Estate::new(
            seen.iter()
                .map(|(resource, document)| ExposureConfiguration {
                    id: resource.id.as_str(),
                    kind: resource.kind.as_str(),
                    account: &resource.account,
                    document: document.json(),
                }),
        );
        let all = estate.exposures();
        let is_asked = audiences(facts);
        let exposures: Vec<Exposure> = all
            .iter()
            .filter(|one| one.is_exposed() && is_asked(&one.reachable_from))
            .cloned()
            .collect();
        let points = estate.choke_points(&exposures, MOST_TRIED);

        let mut by_resource: BTreeMap<&str, Vec<&ChokePoint>> = BTreeMap::new();
        for point in &points {
            by_resource.entry(&point.resource).or_default().push(point);
        }

        // Settings that were not tried, and resources about which something was not read: an
        // earlier finding about them stays.
        let open: BTreeSet<&str> = exposures
            .iter()
            .flat_map(|exposure| &exposure.path)
            .filter(|step| step.key.is_some())
            .map(|step| step.resource.as_str())
            .chain(unread(&all))
            .collect();

        let mut answers = Answers {
            points: by_resource,
            open,
            is_network_read: !all.iter().any(is_unread_network),
            evidence: evidence(&all)?,
            privileges,
            unused,
            patches,
            least,
        };

        let mut found = EstateJudgement::default();
        for (resource, kept) in &seen {
            let judgement = answers.judgement(facts, resource, kept);
            found.judged.push((resource.clone(), judgement));
        }

        let exposed = i64::try_from(exposures.len()).unwrap_or(i64::MAX);
        found.recorded.push(("exposures", Json::from(exposed)));
        Ok(found)
    }
}

/// Answers of a survey, by resource.
struct Answers<'a> {
    /// Choke points of the settings of each resource.
    points: BTreeMap<&'a str, Vec<&'a ChokePoint>>,
    /// Resources whose settings may open a path without being a choke point.
    open: BTreeSet<&'a str>,
    is_network_read: bool,
    evidence: HashMap<&'a str, CheckResult>,
    privileges: PrivilegeAnswers,
    unused: UnusedAnswers,
    patches: Patches,
    least: LeastPrivilege,
}

impl Answers<'_> {
    /// Returns the judgement of one resource.
    fn judgement(
        &mut self,
        facts: &EstateFacts<'_>,
        resource: &Resource,
        kept: &Kept,
    ) -> Judgement {
        let id = resource.id.as_str();
        let mut judgement = Judgement::default();
        judgement.evidence.extend(self.evidence.remove(id));

        let key = (resource.connection.clone(), resource.id.clone());
        let mut are_privileges_known = true;
        let mut unused = self.unused.remove(&key);
        if let Some(mut answer) = self.privileges.remove(&key) {
            are_privileges_known = answer.result.answer != CheckAnswer::Unknown;
            if let Some(use_of_it) = unused.as_mut().and_then(|unused| unused.evidence.take()) {
                answer.result.values["unused"] = use_of_it;
            }
            match answer.escalation {
                Some(way) => judgement
                    .proposals
                    .push(finding::escalation(resource, &way)),
                None => judgement
                    .abstentions
                    .push(finding::no_escalation(are_privileges_known)),
            }
            judgement.evidence.push(answer.result);
        }

        if let Some(unused) = unused {
            are_privileges_known &= unused.is_known();
            judgement.proposals.extend(unused.proposals);
            judgement.abstentions.extend(unused.abstentions);
        }

        for answer in self.patches.judge(facts, resource, kept.json()) {
            judgement.take(answer);
        }

        let Some(kind) = finding::kind(resource.kind.as_str()) else {
            return judgement;
        };
        for point in self.points.get(id).into_iter().flatten() {
            let proposal = finding::propose(facts, resource, kept.document(), kind, point);
            judgement.proposals.push(proposal);
        }

        let is_least_known = self.least_rules(facts, resource, kept, &mut judgement);
        let is_open = self.open.contains(id)
            || (!self.is_network_read && is_open_group(resource, kept.json()));
        if is_open {
            judgement.abstentions.push(Abstention::unjudged(
                kind,
                "other_paths_open",
                "closing another setting of it alone closes nothing, or was not tried",
            ));
        } else if are_privileges_known && is_least_known {
            // This ends every finding of the kind, those about privileges and least rules too.
            judgement.abstentions.push(Abstention::decided(
                kind,
                "not_exposing",
                "none of its settings alone lets an outsider in",
            ));
        }
        judgement
    }

    /// Adds the answer about the least rules of a security group; `false` where they stay open.
    fn least_rules(
        &self,
        facts: &EstateFacts<'_>,
        resource: &Resource,
        kept: &Kept,
        judgement: &mut Judgement,
    ) -> bool {
        let document = kept.document().filter(|_| is_group(resource));
        let answer = document.and_then(|document| {
            self.least
                .judge(resource, document, facts.settings, facts.now)
        });
        let Some(answer) = answer else {
            return true;
        };

        judgement.evidence.extend(answer.evidence);
        match answer.outcome {
            Ok(proposal) => {
                judgement.proposals.push(*proposal);
                true
            }
            Err(abstention) => {
                let is_known = abstention.decisive;
                judgement.abstentions.push(abstention);
                is_known
            }
        }
    }
}

/// Returns the gravest answer about each resource as the result of a check.
fn evidence(all: &[Exposure]) -> Result<HashMap<&str, CheckResult>, EstateError> {
    let mut gravest: HashMap<&str, &Exposure> = HashMap::new();
    for one in all {
        gravest
            .entry(one.resource.as_str())
            .and_modify(|known| {
                if one.reachable_from < known.reachable_from {
                    *known = one;
                }
            })
            .or_insert(one);
    }

    let result = |(id, one): (_, &Exposure)| {
        let answer = match one.reachable_from {
            Audience::Unknown => CheckAnswer::Unknown,
            Audience::None => CheckAnswer::Pass,
            _ => CheckAnswer::Fail,
        };
        let result = CheckResult {
            check: EXPOSURE.to_owned(),
            answer,
            why: one.why(),
            values: serde_json::to_value(one)?,
            document: None,
        };
        Ok((id, result))
    };
    gravest.into_iter().map(result).collect()
}

/// Returns the outsiders that the settings ask about; the internet unless others are named.
fn audiences(facts: &EstateFacts<'_>) -> impl Fn(&Audience) -> bool {
    let asked = facts.settings.names(&EXPOSED);
    move |audience| {
        let name = match audience {
            Audience::Internet => "public_access",
            Audience::Account(_) | Audience::Organization => "other_accounts",
            Audience::Unknown | Audience::None => return false,
        };
        match asked.is_empty() {
            true => name == "public_access",
            false => asked.iter().any(|asked| asked == name),
        }
    }
}

/// Returns the resources that an edge which was not read belongs to.
fn unread(all: &[Exposure]) -> impl Iterator<Item = &str> {
    all.iter()
        .filter(|exposure| exposure.reachable_from == Audience::Unknown)
        .flat_map(|exposure| {
            let edge = exposure
                .stopped_by
                .as_ref()
                .map(|step| step.resource.as_str());
            edge.into_iter().chain([exposure.resource.as_str()])
        })
}

/// Returns `true` if an edge of the network that was not read leaves it open whether a resource is
/// reachable.
fn is_unread_network(exposure: &Exposure) -> bool {
    let edge = exposure.stopped_by.as_ref().map(|step| step.edge);
    exposure.reachable_from == Audience::Unknown
        && matches!(
            edge,
            Some("route_table" | "security_group" | "listener" | "network")
        )
}

/// Returns `true` for a security group with a rule for every address.
fn is_open_group(resource: &Resource, document: &Value) -> bool {
    let rules = document.get("ipPermissions");
    resource.kind == ResourceKind::SecurityGroup
        && rules.is_some_and(|rules| rules.to_string().contains("/0\""))
}
