//! Choke points as findings, and measures against attacks.
#![allow(clippy::unwrap_used)]

mod patches;
mod unused;

use reeve_estate::{Document, PriceCatalogue, Resource, ResourceKind};
use reeve_recommend::agent::Impact;
use reeve_recommend::agent::contract::AgentDefinition as _;
use reeve_recommend::agent::settings::{AgentSettings, SettingValue};
use reeve_recommend::guardrail::Guardrails;
use reeve_recommend::judgement::estate::{DocumentReader, EstateError, EstateFacts};
use reeve_recommend::judgement::event::{
    AnomalyReport, CONTAINMENT, ContainmentRequest, EventContent, JudgementEvent, Measure,
};
use reeve_recommend::judgement::evidence::CheckAnswer;
use reeve_recommend::judgement::open_facts::OpenFacts;
use reeve_recommend::judgement::{Facts, Judgement, RelationIndex};
use reeve_recommend::models::LearnedModels;
use reeve_recommend::recommendation::origin::{AnomalyId, IncidentId, OriginCause};
use reeve_recommend::recommendation::{Priority, RecommendationType};
use serde_json::{Value, json};

use super::SecurityIntelligence;
use crate::cost_optimizer::tests::estate::{now, resource};
use crate::storage_optimizer::tests::Case;

struct NoDocuments;

impl DocumentReader for NoDocuments {
    fn documents(&self, resources: &[&Resource]) -> Result<Vec<Option<Document>>, EstateError> {
        Ok(vec![None; resources.len()])
    }
}

/// Judges an estate; the judgement of each resource by its identifier.
fn judged(estate: &[(&str, &str, Value)], settings: &AgentSettings) -> Vec<(String, Judgement)> {
    judged_with(estate, settings, |_| OpenFacts::default())
}

/// Judges an estate with the open facts about resources of each kind.
fn judged_with(
    estate: &[(&str, &str, Value)],
    settings: &AgentSettings,
    open: impl Fn(&str) -> OpenFacts,
) -> Vec<(String, Judgement)> {
    let mut judge = SecurityIntelligence.estate_judge().unwrap();
    for (kind, id, document) in estate {
        let open = open(kind);
        let mut case = Case::volume("gp3", 1.0, None, None);
        case.volume = resource(id, ResourceKind::named(kind).unwrap(), "ec2", None);
        let document = Document::new(document.clone());
        case.with(|facts| {
            let facts = Facts {
                document: Some(&document),
                open: &open,
                ..*facts
            };
            judge.look(&facts, &Judgement::default());
        });
    }

    let found = judge.judge(&EstateFacts {
        relations: RelationIndex::none(),
        documents: &NoDocuments,
        catalogue: PriceCatalogue::builtin(),
        settings,
        guardrails: &Guardrails::default(),
        models: LearnedModels::none(),
        now: now(),
    });
    let judged = found.unwrap().judged.into_iter();
    judged
        .map(|(resource, judgement)| (resource.id.as_str().to_owned(), judgement))
        .collect()
}

fn estate(sender: &str) -> Vec<(&'static str, &'static str, Value)> {
    let machine = |address: &str| {
        json!({
            "vpcId": "vpc-1", "subnetId": "subnet-1", "ipAddress": address, "groupSet": [{ "groupId": "sg-1" }],
            "instanceState": { "name": "running" },
        })
    };
    vec![
        (
            "subnet",
            "subnet-1",
            json!({ "vpcId": "vpc-1", "cidrBlock": "10.0.0.0/24" }),
        ),
        (
            "route_table",
            "rtb-1",
            json!({
            "vpcId": "vpc-1", "associationSet": [{ "main": true }],
            "routeSet": [{ "destinationCidrBlock": "0.0.0.0/0", "gatewayId": "igw-1", "state": "active" }] }),
        ),
        (
            "security_group",
            "sg-1",
            json!({
            "groupId": "sg-1", "groupName": "web", "vpcId": "vpc-1", "ipPermissionsEgress": [],
            "ipPermissions": [{ "ipProtocol": "tcp", "fromPort": "22", "toPort": "22", "groups": [], "ipv6Ranges": [],
                "prefixListIds": [], "ipRanges": [{ "cidrIp": sender }, { "cidrIp": "10.0.0.0/8" }] }] }),
        ),
        ("virtual_machine", "i-1", machine("198.51.100.7")),
        ("virtual_machine", "i-2", machine("198.51.100.8")),
    ]
}

fn of<'j>(judged: &'j [(String, Judgement)], id: &str) -> &'j Judgement {
    &judged.iter().find(|(own, _)| own == id).unwrap().1
}

#[test]
fn a_choke_point_is_one_finding_with_its_change() {
    let judged = judged(&estate("0.0.0.0/0"), &AgentSettings::default());
    let all: Vec<_> = judged.iter().flat_map(|(_, one)| &one.proposals).collect();
    assert_eq!(
        all.len(),
        1,
        "one setting is one finding, whatever it exposes"
    );

    let found = all[0];
    assert_eq!(found.kind, RecommendationType::SecurityGroup);
    assert_eq!(
        found.subject.aspect.as_deref(),
        Some("tcp 22 from 0.0.0.0/0")
    );
    assert_eq!(found.priority, Priority::High);
    assert!(
        found.title.ends_with("it exposes 2 resources"),
        "{}",
        found.title
    );
    assert!(found.plan.is_some(), "the rule can be revoked");
    let path = &found.explanation.decision_path;
    assert!(
        path.iter().any(|step| step.detail.contains("igw-1")),
        "{path:?}"
    );
}

#[test]
fn a_closed_setting_ends_its_finding_and_an_unread_one_does_not() {
    let closed = judged(&estate("203.0.113.0/24"), &AgentSettings::default());
    let group = of(&closed, "sg-1");
    assert!(group.proposals.is_empty());
    assert!(group.abstentions.iter().all(|one| one.decisive));

    let mut unread = estate("0.0.0.0/0");
    unread.retain(|(kind, ..)| *kind != "route_table");
    unread.push(("secret", "s-1", json!({ "Policy": "[not read]" })));
    let unread = judged(&unread, &AgentSettings::default());
    for id in ["sg-1", "s-1"] {
        assert!(
            of(&unread, id).abstentions.iter().all(|one| !one.decisive),
            "{id}"
        );
    }
}

#[test]
fn other_accounts_are_findings_if_they_are_asked_for() {
    let policy = json!({ "Version": "2012-10-17", "Statement": [{ "Sid": "Partner", "Effect": "Allow",
        "Principal": { "AWS": "arn:aws:iam::444455556666:root" }, "Action": "sqs:SendMessage", "Resource": "*" }] });
    let queue = vec![(
        "queue",
        "q-1",
        json!({ "Attributes": { "Policy": policy } }),
    )];
    assert!(
        of(&judged(&queue, &AgentSettings::default()), "q-1")
            .proposals
            .is_empty()
    );

    let asked = SettingValue::names("other_accounts");
    let asked = AgentSettings([("identify_exposed_resources".to_owned(), asked)].into());
    let judged = judged(&queue, &asked);
    let found = &of(&judged, "q-1").proposals[0];
    assert_eq!(found.subject.aspect.as_deref(), Some("statement Partner"));
    assert_eq!(found.priority, Priority::Critical);
}

/// A user with one inline policy.
fn user(name: &str, actions: &[&str]) -> Value {
    json!({
        "UserName": name, "Arn": format!("arn:aws:iam::111122223333:user/{name}"), "Path": "/", "UserId": name,
        "CreateDate": "2026-01-01T00:00:00Z", "GroupList": [], "AttachedManagedPolicies": [],
        "UserPolicyList": [{ "PolicyName": "own", "PolicyDocument": { "Version": "2012-10-17",
            "Statement": [{ "Effect": "Allow", "Action": actions, "Resource": "*" }] } }],
    })
}

#[test]
fn a_principal_that_can_become_an_administrator_is_a_finding_with_its_path() {
    let (wide, narrow) = (
        "arn:aws:iam::111122223333:user/wide",
        "arn:aws:iam::111122223333:user/narrow",
    );
    let account = [
        ("iam_user", wide, user("wide", &["iam:PutUserPolicy"])),
        ("iam_user", narrow, user("narrow", &["s3:GetObject"])),
    ];
    let judged = judged(&account, &AgentSettings::default());

    let [found] = of(&judged, wide).proposals.as_slice() else {
        panic!("{judged:#?}");
    };
    assert_eq!(found.kind, RecommendationType::IamOptimization);
    assert_eq!(found.priority, Priority::Critical);
    assert!(found.plan.is_none(), "people decide what is too wide");
    let evidence = &of(&judged, wide).evidence[0];
    assert_eq!(
        (evidence.check.as_str(), evidence.answer),
        ("privileges", CheckAnswer::Fail)
    );
    assert_eq!(evidence.values["path"].as_array().map(Vec::len), Some(1));

    let safe = of(&judged, narrow);
    assert!(safe.proposals.is_empty());
    assert_eq!(safe.evidence[0].answer, CheckAnswer::Pass);
}

#[test]
fn a_policy_that_was_not_read_ends_no_finding_about_a_principal() {
    let id = "arn:aws:iam::111122223333:user/unread";
    let mut unread = user("unread", &["s3:GetObject"]);
    unread["AttachedManagedPolicies"] = json!([{
        "PolicyName": "team", "PolicyArn": "arn:aws:iam::111122223333:policy/team",
    }]);
    let judged = judged(&[("iam_user", id, unread)], &AgentSettings::default());

    let judgement = of(&judged, id);
    assert_eq!(judgement.evidence[0].answer, CheckAnswer::Unknown);
    assert!(judgement.abstentions.iter().all(|one| !one.decisive));
}

#[test]
fn every_answer_about_a_resource_is_evidence() {
    let judged = judged(&estate("0.0.0.0/0"), &AgentSettings::default());
    let answer = |id| &of(&judged, id).evidence[0];

    assert_eq!(
        (answer("i-1").check.as_str(), answer("i-1").answer),
        ("exposure", CheckAnswer::Fail)
    );
    assert_eq!(answer("i-1").values["reachable_from"], "internet");
    let closed = self::judged(&estate("203.0.113.0/24"), &AgentSettings::default());
    assert_eq!(of(&closed, "i-1").evidence[0].answer, CheckAnswer::Pass);
}

/// Judges a threat, or the request of a playbook, about a resource.
fn answered(kind: &str, id: &str, document: &Value, facts_of: OpenFacts) -> Judgement {
    let mut case = Case::volume("gp3", 1.0, None, None);
    case.volume = resource(id, ResourceKind::named(kind).unwrap(), "iam", None);
    let document = Document::new(document.clone());
    let event = JudgementEvent {
        at: now(),
        resource: case.volume.id.clone(),
        connection: None,
        cause: OriginCause::Incident(IncidentId("7".to_owned())),
        content: EventContent::Observation {
            source: CONTAINMENT,
            facts: facts_of,
        },
    };
    let mut judgement = Judgement::default();
    case.with(|facts| {
        let facts = Facts {
            document: Some(&document),
            ..*facts
        };
        judgement = SecurityIntelligence.judge_event(&event, &facts);
    });
    judgement
}

fn requested(measure: Measure) -> OpenFacts {
    OpenFacts::default().with(ContainmentRequest {
        incident: IncidentId("7".to_owned()),
        title: "A key is used abroad".to_owned(),
        severity: Priority::High,
        measure,
        evidence: vec!["StopLogging blinds the log".to_owned()],
    })
}

fn threatened(severity: Priority) -> OpenFacts {
    OpenFacts::default().with(AnomalyReport {
        anomaly: AnomalyId("7".to_owned()),
        title: "A key is used abroad".to_owned(),
        severity,
        score: 1.0,
        evidence: Vec::new(),
        readings: 1,
    })
}

#[test]
fn a_critical_threat_quarantines_keys_users_and_roles_by_changes_that_lead_back() {
    let key = json!({ "AccessKeyId": "AKIA1", "UserName": "ann", "Status": "Active", "CreateDate": "2024-11-23T09:17:12Z" });
    let user = json!({ "UserName": "ann", "UserPolicyList": [], "Arn": "arn:aws:iam::1:user/ann" });
    let role = json!({ "RoleName": "web", "RolePolicyList": [], "Arn": "arn:aws:iam::1:role/web" });
    for (kind, id, document, change) in [
        ("access_key", "AKIA1", &key, "deactivate_access_key"),
        ("iam_user", "arn:aws:iam::1:user/ann", &user, "block_user"),
        (
            "iam_role",
            "arn:aws:iam::1:role/web",
            &role,
            "revoke_role_sessions",
        ),
    ] {
        let judged = answered(kind, id, document, threatened(Priority::Critical));
        let [found] = &judged.proposals[..] else {
            panic!("{kind}: {:?}", judged.abstentions)
        };
        let plan = found.plan.as_ref().unwrap();
        assert_eq!(plan.change_name(), Some(change));
        assert!(plan.reversible);
        assert_eq!(
            (found.rule, found.impact_level),
            ("auto_quarantine", Impact::High)
        );

        let lesser = answered(kind, id, document, threatened(Priority::Medium));
        assert!(lesser.proposals.is_empty(), "{kind}");
    }
}

#[test]
fn a_playbook_gets_the_measure_that_it_asks_for_or_the_reason_why_not() {
    let role = json!({ "RoleName": "web", "RolePolicyList": [], "Arn": "arn:aws:iam::1:role/web" });
    let id = "arn:aws:iam::1:role/web";
    let blocked = answered("iam_role", id, &role, requested(Measure::BlockPrincipal));
    let plan = blocked.proposals[0].plan.as_ref().unwrap();
    assert_eq!(plan.change_name(), Some("block_role"));
    assert_eq!(
        blocked.proposals[0].reason_codes,
        ["incident:7"],
        "the cause is named"
    );

    let refused = |id: &str, document: &Value, measure| {
        let judged = answered("iam_role", id, document, requested(measure));
        assert!(judged.proposals.is_empty());
        judged.abstentions[0].code
    };
    let service = "arn:aws:iam::1:role/aws-service-role/x";
    assert_eq!(
        refused(service, &role, Measure::BlockPrincipal),
        "service_role"
    );
    assert_eq!(refused(id, &role, Measure::DeactivateKey), "no_measure");
    let is_blocked = json!({ "RoleName": "web", "RolePolicyList": [{ "PolicyName": "ReeveBlock", "PolicyDocument":
        { "Version": "2012-10-17", "Statement": [{ "Sid": "ReeveBlock", "Effect": "Deny", "Action": "*", "Resource": "*" }] } }] });
    assert_eq!(
        refused(id, &is_blocked, Measure::BlockPrincipal),
        "no_change",
        "it is blocked already"
    );

    let volume = answered("volume", "vol-1", &json!({}), requested(Measure::Snapshot));
    assert_eq!(
        volume.proposals[0].plan.as_ref().unwrap().change_name(),
        Some("snapshot_volume")
    );
    assert_eq!(volume.proposals[0].impact_level, Impact::Low);
}

/// Days since 1970 of the time of the tests.
fn today() -> i32 {
    reeve_flows::day_of(now().as_second())
}

/// Flows of an interface over forty days: a client every day, and a scan on the first.
fn flows(interface: &str, days: std::ops::Range<i32>) -> reeve_flows::InterfaceFlows {
    use reeve_flows::{
        CoverageDay, DayCoverage, FlowAction, FlowCounts, FlowDay, FlowDirection, SeenFlow,
    };
    let all: Vec<i32> = days.map(|back| today() - back).rev().collect();
    let seen = |peer: &str, port, packets, days: &[i32]| SeenFlow {
        direction: FlowDirection::Ingress,
        peer: peer.parse().unwrap(),
        protocol: 6,
        port,
        action: FlowAction::Accepted,
        days: days
            .iter()
            .map(|day| FlowDay {
                day: *day,
                flows: 1,
            })
            .collect(),
        counts: FlowCounts {
            first_s: reeve_flows::first_second(days[0]),
            last_s: reeve_flows::first_second(days[days.len() - 1]) + 60,
            flows: days.len() as u64,
            answers: 1,
            packets,
            bytes: packets * 100,
            largest_packets: packets,
        },
    };
    let covered = |day: &i32| CoverageDay {
        day: *day,
        coverage: DayCoverage {
            hours: (1 << 24) - 1,
            records: 24,
            skipped: 0,
        },
    };
    reeve_flows::InterfaceFlows {
        interface: interface.to_owned(),
        flows: vec![
            seen("10.0.0.9/32", 443, 20, &all),
            seen("203.0.113.7/32", 22, 2, &all[all.len() - 1..]),
        ],
        coverage: all.iter().map(covered).collect(),
    }
}

/// A group that everyone may use, with an interface.
fn wide_estate() -> Vec<(&'static str, &'static str, Value)> {
    let rule = |from: &str, to: &str, peer: &str| {
        json!({ "ipProtocol": "tcp", "fromPort": from, "toPort": to, "groups": [], "ipv6Ranges": [],
            "prefixListIds": [], "ipRanges": [{ "cidrIp": peer }] })
    };
    vec![
        (
            "subnet",
            "subnet-1",
            json!({ "vpcId": "vpc-1", "cidrBlock": "10.0.0.0/24" }),
        ),
        (
            "security_group",
            "sg-1",
            json!({ "groupId": "sg-1", "vpcId": "vpc-1", "ipPermissionsEgress": [],
                "ipPermissions": [rule("0", "65535", "10.0.0.0/8"), rule("22", "22", "0.0.0.0/0")] }),
        ),
        (
            "network_interface",
            "eni-1",
            json!({ "networkInterfaceId": "eni-1", "vpcId": "vpc-1", "interfaceType": "interface",
                "groupSet": [{ "groupId": "sg-1" }], "privateIpAddress": "10.0.0.4" }),
        ),
    ]
}

/// Judges an estate whose interface has these flows; the judgement of the group.
fn by_flows(
    estate: &[(&str, &str, Value)],
    flows: Option<reeve_flows::InterfaceFlows>,
) -> Judgement {
    let judged = judged_with(estate, &AgentSettings::default(), |kind| {
        let mut open = OpenFacts::default();
        if kind == "network_interface"
            && let Some(flows) = &flows
        {
            open.put(flows.clone());
        }
        open
    });
    let group = judged.into_iter().find(|(id, _)| id == "sg-1");
    group.unwrap().1
}

#[test]
fn a_group_that_permits_more_than_is_used_is_exchanged() {
    let judgement = by_flows(&wide_estate(), Some(flows("eni-1", 1..41)));
    let own = judgement
        .proposals
        .iter()
        .find(|one| one.subject.aspect.as_deref() == Some("recommend_security_groups"))
        .unwrap_or_else(|| panic!("{judgement:#?}"));
    assert_eq!(own.priority, Priority::High, "it was open to everyone");
    let planned = own.plan.as_ref().unwrap().change.as_ref().unwrap();
    assert_eq!(planned.name, "tighten_group");
    let parameters = String::from_utf8(planned.parameters.to_canonical()).unwrap();
    assert!(
        parameters.contains(r#""tight":["ingress tcp 443-443 10.0.0.0/24"]"#),
        "{parameters}"
    );
    assert!(parameters.contains(r#""observe_hours":72"#), "{parameters}");

    let evidence = judgement
        .evidence
        .iter()
        .find(|one| one.check == "least_privilege")
        .unwrap();
    assert_eq!(evidence.answer, CheckAnswer::Fail);
    assert_eq!(evidence.values["cut"][0]["reason"], "scan");
}

#[test]
fn a_group_that_others_refer_to_is_advice() {
    let mut estate = wide_estate();
    estate.push((
        "security_group",
        "sg-2",
        json!({ "groupId": "sg-2", "vpcId": "vpc-1", "ipPermissionsEgress": [],
            "ipPermissions": [{ "ipProtocol": "tcp", "fromPort": "5432", "toPort": "5432",
                "groups": [{ "groupId": "sg-1" }], "ipRanges": [] }] }),
    ));
    let judgement = by_flows(&estate, Some(flows("eni-1", 1..41)));
    let own = &judgement.proposals[0];
    assert!(own.plan.is_none());
    let factors = format!("{:?}", own.explanation.factors);
    assert!(
        factors.contains("rules of sg-2 name the group"),
        "{factors}"
    );
}

#[test]
fn flow_logs_that_do_not_cover_the_window_end_nothing() {
    let judgement = by_flows(&wide_estate(), Some(flows("eni-1", 1..11)));
    assert!(judgement.proposals.is_empty());
    assert!(judgement.abstentions.iter().all(|one| !one.decisive));
    let unknown = judgement
        .evidence
        .iter()
        .find(|one| one.check == "least_privilege")
        .unwrap();
    assert_eq!(unknown.answer, CheckAnswer::Unknown);

    // Without flow logs there is no answer, and the exposure of the group is judged as ever.
    let silent = by_flows(&wide_estate(), None);
    assert!(
        silent
            .evidence
            .iter()
            .all(|one| one.check != "least_privilege")
    );
    assert!(
        silent
            .abstentions
            .iter()
            .any(|one| one.code == "not_exposing")
    );
}
