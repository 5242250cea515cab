//! Campaigns and their look-alikes: recorded techniques strung in the order of published intrusions,
//! and the jobs of administrators that consist of the same calls.

use reeve_anomalies::attack::technique_of_call;
use reeve_anomalies::behavior::event;
use reeve_anomalies::chain::stage_of;
use reeve_learn::attack_chain::AttackStage::{
    self, Access, Escalation, Evasion, Exfiltration, Impact, Persistence, Reconnaissance,
};
use reeve_learn::behavior::{ActivityEvent, Trait};

use super::super::ordinary::work::{Office, START_MS};
use super::super::set::{Label, Unit};
use crate::chance::Chance;

const HOUR_MS: i64 = 3_600_000;
const DAY_MS: i64 = 24 * HOUR_MS;
/// Mean time between two steps of a campaign or job, hours.
const BETWEEN_STEPS_H: f64 = 1.5;

/// Order of stages in intrusions that were described in public.
const INTRUSIONS: [(&str, &[AttackStage]); 14] = [
    ("AMBERSQUID", &[Persistence, Escalation, Impact]),
    ("Bling Libra", &[Reconnaissance, Exfiltration, Impact]),
    ("Capital One", &[Access, Reconnaissance, Exfiltration]),
    ("Code Spaces", &[Access, Persistence, Impact]),
    (
        "Codefinger",
        &[Reconnaissance, Access, Exfiltration, Impact],
    ),
    (
        "GUI-vil",
        &[Reconnaissance, Persistence, Escalation, Impact],
    ),
    (
        "JavaGhost",
        &[Reconnaissance, Access, Persistence, Escalation, Impact],
    ),
    ("LLMjacking", &[Access, Reconnaissance, Impact]),
    (
        "LUCR-3",
        &[
            Access,
            Reconnaissance,
            Access,
            Persistence,
            Evasion,
            Exfiltration,
        ],
    ),
    (
        "Nemesis",
        &[Access, Reconnaissance, Persistence, Exfiltration],
    ),
    (
        "SCARLETEEL",
        &[Access, Reconnaissance, Evasion, Access, Exfiltration],
    ),
    (
        "TeamTNT",
        &[Access, Reconnaissance, Persistence, Evasion, Impact],
    ),
    ("UNC2903", &[Access, Reconnaissance, Access, Exfiltration]),
    (
        "Ubiquiti insider",
        &[Access, Evasion, Reconnaissance, Exfiltration],
    ),
];

/// Calls of a job, by service and operation.
type Calls = &'static [(&'static str, &'static str)];

/// Jobs of administrators that look like attacks.
const JOBS: [(&str, Calls); 22] = [
    (
        "audit",
        &[
            ("iam", "ListUsers"),
            ("iam", "GetAccountAuthorizationDetails"),
            ("s3", "ListBuckets"),
            ("iam", "ListAccessKeys"),
            ("secretsmanager", "ListSecrets"),
        ],
    ),
    (
        "backup restore",
        &[
            ("rds", "DescribeDBSnapshots"),
            ("rds", "RestoreDBInstanceFromDBSnapshot"),
            ("rds", "ModifyDBInstance"),
            ("rds", "DeleteDBInstance"),
        ],
    ),
    (
        "break glass",
        &[
            ("sts", "AssumeRole"),
            ("ec2", "AuthorizeSecurityGroupIngress"),
            ("ssm", "StartSession"),
            ("ec2", "RevokeSecurityGroupIngress"),
        ],
    ),
    (
        "clean-up",
        &[
            ("ec2", "DescribeInstances"),
            ("ec2", "DeleteSnapshot"),
            ("ec2", "TerminateInstances"),
            ("ec2", "DeleteVolume"),
        ],
    ),
    (
        "cluster upgrade",
        &[
            ("ec2", "RunInstances"),
            ("ssm", "SendCommand"),
            ("ec2", "TerminateInstances"),
            ("autoscaling", "UpdateAutoScalingGroup"),
        ],
    ),
    (
        "copy to the backup account",
        &[
            ("ec2", "CreateSnapshot"),
            ("ec2", "ModifySnapshotAttribute"),
            ("ec2", "DeleteSnapshot"),
        ],
    ),
    (
        "data migration",
        &[
            ("s3", "ListBuckets"),
            ("s3", "GetObject"),
            ("s3", "PutBucketReplication"),
            ("rds", "ModifyDBSnapshotAttribute"),
        ],
    ),
    (
        "first deployment",
        &[
            ("iam", "CreateRole"),
            ("iam", "AttachRolePolicy"),
            ("lambda", "CreateFunction20150331"),
            ("lambda", "AddPermission20150331v2"),
            ("lambda", "UpdateFunctionCode20150331v2"),
        ],
    ),
    (
        "forensics",
        &[
            ("ec2", "DescribeInstances"),
            ("ec2", "CreateSnapshot"),
            ("ec2", "ModifySnapshotAttribute"),
            ("iam", "DeleteAccessKey"),
            ("ec2", "StopInstances"),
        ],
    ),
    (
        "image release",
        &[
            ("ec2", "RunInstances"),
            ("ec2", "CreateImage"),
            ("ec2", "ModifyImageAttribute"),
            ("ec2", "TerminateInstances"),
        ],
    ),
    (
        "key rotation",
        &[
            ("iam", "ListAccessKeys"),
            ("iam", "CreateAccessKey"),
            ("secretsmanager", "PutSecretValue"),
            ("iam", "DeleteAccessKey"),
        ],
    ),
    (
        "log housekeeping",
        &[
            ("cloudtrail", "DescribeTrails"),
            ("logs", "PutRetentionPolicy"),
            ("logs", "DeleteLogGroup"),
            ("cloudtrail", "UpdateTrail"),
        ],
    ),
    (
        "network change",
        &[
            ("ec2", "DescribeSecurityGroups"),
            ("ec2", "CreateSecurityGroup"),
            ("ec2", "AuthorizeSecurityGroupIngress"),
            ("ec2", "CreateNetworkAclEntry"),
            ("ec2", "CreateRoute"),
        ],
    ),
    (
        "new model",
        &[
            ("bedrock", "ListFoundationModels"),
            ("bedrock", "PutUseCaseForModelAccess"),
            ("bedrock", "CreateFoundationModelAgreement"),
            ("bedrock", "InvokeModel"),
        ],
    ),
    (
        "new monitoring",
        &[
            ("guardduty", "ListDetectors"),
            ("guardduty", "UpdateDetector"),
            ("cloudwatch", "DeleteAlarms"),
            ("ec2", "DeleteFlowLogs"),
            ("ec2", "CreateFlowLogs"),
        ],
    ),
    (
        "offboarding",
        &[
            ("iam", "ListAccessKeys"),
            ("iam", "DeleteAccessKey"),
            ("iam", "DeleteLoginProfile"),
            ("iam", "DeleteUser"),
        ],
    ),
    (
        "onboarding",
        &[
            ("iam", "CreateUser"),
            ("iam", "CreateLoginProfile"),
            ("iam", "AddUserToGroup"),
            ("iam", "CreateAccessKey"),
        ],
    ),
    (
        "rights for a team",
        &[
            ("iam", "GetPolicy"),
            ("iam", "CreatePolicyVersion"),
            ("iam", "AttachUserPolicy"),
            ("iam", "ListUserPolicies"),
        ],
    ),
    (
        "role for a partner",
        &[
            ("iam", "CreateRole"),
            ("iam", "UpdateAssumeRolePolicy"),
            ("iam", "AttachRolePolicy"),
            ("s3", "PutBucketPolicy"),
        ],
    ),
    (
        "secret rotation",
        &[
            ("secretsmanager", "ListSecrets"),
            ("secretsmanager", "GetSecretValue"),
            ("secretsmanager", "PutSecretValue"),
            ("iam", "UpdateLoginProfile"),
        ],
    ),
    (
        "server maintenance",
        &[
            ("ssm", "StartSession"),
            ("ec2", "StopInstances"),
            ("ec2", "ModifyInstanceAttribute"),
            ("ec2", "StartInstances"),
        ],
    ),
    (
        "single sign-on",
        &[
            ("iam", "CreateSAMLProvider"),
            ("iam", "UpdateSAMLProvider"),
            ("iam", "UpdateAssumeRolePolicy"),
            ("sts", "AssumeRoleWithSAML"),
        ],
    ),
];

/// Events of a principal, some of them an attack's.
pub(in crate::behavior) struct Course {
    /// Events of weeks before that the watch has learned besides.
    pub(in crate::behavior) before: Vec<ActivityEvent>,
    pub(in crate::behavior) name: &'static str,
    /// Events in the order of their times, each with `true` for the attack's.
    pub(in crate::behavior) events: Vec<(ActivityEvent, bool)>,
}

/// Half of the intrusions, techniques and jobs: every second by name.
#[derive(Clone, Copy)]
pub(in crate::behavior) enum Half {
    Choosing,
    HeldOut,
}

impl Half {
    pub(in crate::behavior) fn of<T>(self, all: impl IntoIterator<Item = T>) -> Vec<T> {
        all.into_iter().skip(self as usize).step_by(2).collect()
    }
}

/// Units of a half, by the stage of their most frequent technique.
pub(super) struct Pool(Vec<(AttackStage, Vec<ActivityEvent>)>);

impl Pool {
    pub(super) fn new(units: &[Unit], half: Half) -> Pool {
        let bad = units.iter().filter(|unit| unit.label != Label::Benign);
        let mut groups: Vec<&str> = bad.clone().map(|unit| unit.group.as_str()).collect();
        groups.sort_unstable();
        groups.dedup();
        let groups = half.of(groups);
        let own = bad.filter(|unit| groups.contains(&unit.group.as_str()));
        Pool(
            own.filter_map(|unit| {
                let events: Vec<ActivityEvent> = unit.events.iter().map(event).collect();
                Some((stage(&events)?, events))
            })
            .collect(),
        )
    }

    fn pick(&self, stage: AttackStage, chance: &mut Chance) -> Option<&Vec<ActivityEvent>> {
        let fits: Vec<_> = self.0.iter().filter(|(of, _)| *of == stage).collect();
        fits.get(chance.below(fits.len().max(1)))
            .map(|(_, events)| events)
    }

    /// Number of units of each stage.
    pub(super) fn counts(&self) -> String {
        let counts = AttackStage::ALL.map(|stage| {
            let count = self.0.iter().filter(|(of, _)| *of == stage).count();
            format!("{} {count}", stage.as_str())
        });
        counts.join(", ")
    }
}

/// The last stage that the events of a recording show: what they were done for.
fn stage(events: &[ActivityEvent]) -> Option<AttackStage> {
    let mut stages = events
        .iter()
        .filter_map(technique_of_call)
        .map(|technique| stage_of(technique.tactic));
    let first = stages.next()?;
    Some(stages.fold(first, Ord::max))
}

/// Campaigns with the credentials of ordinary users, among what those do anyway.
pub(super) fn campaigns(pool: &Pool, office: &Office, half: Half, count: usize) -> Vec<Course> {
    let mut chance = Chance::new(21 + half as u64, 51);
    let intrusions = half.of(INTRUSIONS);

    (0..count)
        .map(|number| {
            let (name, stages) = intrusions[number % intrusions.len()];
            let own_place = chance.happens(0.5);
            let victim = office.victim(chance.below(office.victims()), own_place);
            let mut events = own_work(office, &victim);
            let mut at_ms = victim.at_ms;
            for stage in stages {
                let Some(unit) = pool.pick(*stage, &mut chance) else {
                    continue;
                };
                let attack = moved(unit, &victim, at_ms);
                events.extend(attack.into_iter().map(|event| (event, true)));
                at_ms += hours(chance.exponential(BETWEEN_STEPS_H));
            }
            events.sort_by_key(|(event, _)| event.at_ms);
            Course {
                before: Vec::new(),
                name,
                events,
            }
        })
        .collect()
}

/// Jobs of administrators, among what those do anyway.
pub(in crate::behavior) fn jobs(office: &Office, half: Half, count: usize) -> Vec<Course> {
    let mut chance = Chance::new(31 + half as u64, 52);
    let jobs = half.of(JOBS);

    (0..count)
        .map(|number| {
            let (name, calls) = jobs[number % jobs.len()];
            let doer = office.administrator(chance.below(office.administrators()));
            let mut events = own_work(office, &doer);
            let mut at_ms = doer.at_ms;
            let mut job = Vec::new();
            for (service, operation) in calls {
                let mut event = doer.clone();
                event.at_ms = at_ms;
                (event.service, event.operation) = ((*service).to_owned(), (*operation).to_owned());
                event.resource = format!("{operation}/{}", chance.below(20));
                if operation.ends_with("SnapshotAttribute") || *operation == "ModifyImageAttribute"
                {
                    event.traits.insert(Trait::Shares);
                    event.traits.insert(Trait::NamesForeignAccount);
                }
                job.push(event);
                at_ms += hours(chance.exponential(BETWEEN_STEPS_H / 5.0));
            }
            // Half of them have been done by the same person twice before.
            let earlier = |weeks: i64, event: &ActivityEvent| ActivityEvent {
                at_ms: event.at_ms - weeks * 7 * DAY_MS,
                ..event.clone()
            };
            let before: Vec<ActivityEvent> = [5, 2]
                .into_iter()
                .filter(|_| number % 2 == 1)
                .flat_map(|weeks| job.iter().map(move |event| earlier(weeks, event)))
                .collect();
            events.extend(job.into_iter().map(|event| (event, false)));
            events.sort_by_key(|(event, _)| event.at_ms);
            Course {
                before,
                name,
                events,
            }
        })
        .collect()
}

/// Two days of every person and robot, without anything else.
pub(super) fn ordinary(office: &Office, half: Half) -> Vec<Course> {
    let from = [53, 55][half as usize];
    let mut by_principal: std::collections::BTreeMap<String, Vec<(ActivityEvent, bool)>> =
        std::collections::BTreeMap::new();
    for event in office.days(from..from + 2) {
        let own = by_principal.entry(event.principal.clone()).or_default();
        own.push((event, false));
    }
    by_principal
        .into_values()
        .map(|events| Course {
            before: Vec::new(),
            name: "ordinary",
            events,
        })
        .collect()
}

/// Work of a principal in the day before and after a time.
fn own_work(office: &Office, of: &ActivityEvent) -> Vec<(ActivityEvent, bool)> {
    let day = (of.at_ms - START_MS).div_euclid(DAY_MS);
    let all = office.days(day - 1..day + 2);
    all.into_iter()
        .filter(|event| event.principal == of.principal)
        .map(|event| (event, false))
        .collect()
}

/// The events of a recording with the credentials of a victim, from a time on.
pub(in crate::behavior) fn moved(
    events: &[ActivityEvent],
    victim: &ActivityEvent,
    at_ms: i64,
) -> Vec<ActivityEvent> {
    let begun = events.iter().map(|event| event.at_ms).min().unwrap_or(0);
    let mut moved: Vec<ActivityEvent> = events
        .iter()
        .map(|event| with_credentials(event, victim, at_ms + event.at_ms - begun))
        .collect();
    moved.sort_by_key(|event| event.at_ms);
    moved
}

fn with_credentials(event: &ActivityEvent, victim: &ActivityEvent, at_ms: i64) -> ActivityEvent {
    let mut event = event.clone();
    event.at_ms = at_ms;
    event.place = victim.place.clone();
    event.tool.clear();
    event.principal.clone_from(&victim.principal);
    event.peers.clone_from(&victim.peers);
    event.kind = victim.kind;
    event.traits = event.traits.without(Trait::LongLivedKey);
    event
}

fn hours(hours: f64) -> i64 {
    (hours * HOUR_MS as f64) as i64
}
