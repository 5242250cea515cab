//! Typesets a report over made-up entries, to look at: `cargo run -p reeve-reports-pdf --example
//! typeset -- soc2 /tmp/soc2.pdf`. In place of a framework, `custom` typesets a grouped report.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

use jiff::{Timestamp, ToSpan as _};
use reeve_audit::{ActionMethod, ActionStatus, Actor, Entry, EventType, ResourceRef};
use reeve_reports::document::Heading;
use reeve_reports::{
    CheckedChanges, CheckedControl, CheckedCounts, CheckingAgent, FailingResult, Filters,
    GroupField, MOST_CITED, PeriodChoice, ReportConfiguration, ReportEvaluation, ReportKind,
    ReportMetric, ReportPlan, ReportRequest,
};
use reeve_reports_pdf::{CheckpointLines, PdfReport, typeset};

const TYPES: [&str; 12] = [
    "authentication.login",
    "authentication.logout",
    "resource.modify",
    "resource.delete",
    "resource.create",
    "policy.modify",
    "user.create",
    "user.modify",
    "token.create",
    "authorization.denied",
    "integration.modify",
    "audit.search",
];
const PEOPLE: [&str; 7] = [
    "ann@acme.example",
    "bob@acme.example",
    "zoë.müller@acme.example",
    "жанна@acme.example",
    "张伟@acme.example",
    "carol.with.a.rather.long.name.indeed@subsidiary.acme.example",
    "svc-deploy",
];

fn entry(at: u64, now: Timestamp) -> Entry {
    let pick = |salt: u64, range: usize| {
        ((at.wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(salt))
            >> 33) as usize
            % range
    };
    let person = PEOPLE[pick(1, PEOPLE.len()) * pick(9, 2)];

    let status = if pick(3, 11) == 0 {
        ActionStatus::Failed
    } else {
        ActionStatus::Success
    };

    let minutes = (at as i64 * 13) % (30 * 1440);
    let resource = match pick(4, 3) {
        0 => ResourceRef::new("virtual_machine", format!("i-0{:015x}", at * 7919)),
        1 => ResourceRef::new(
            "iam_role",
            format!(
                "arn:aws:iam::123456789012:role/deploy/team-{}/a-long-path",
                at % 9
            ),
        ),
        _ => ResourceRef::new("storage_bucket", format!("acme-invoices-{}", at % 5)),
    };

    Entry::new(EventType::new(TYPES[pick(2, TYPES.len())]).unwrap())
        .at(now.checked_sub(minutes.minutes()).unwrap())
        .by(Actor::user(person)
            .with_email(person.to_owned())
            .with_ip_address("203.0.113.7".parse().unwrap()))
        .on(resource)
        .with_action("change", status, ActionMethod::Api)
}

/// Made-up results of checks.
fn configuration(framework: &str, now: Timestamp) -> ReportConfiguration {
    let failing = |at: u64| {
        FailingResult {
        check: "aws.s3.blocks_public_access".into(),
        check_title: "The bucket blocks public access".into(),
        severity: "high",
        resource_id: format!("acme-invoices-{at}"),
        resource_name: format!("acme-invoices-{at}"),
        kind: "bucket".into(),
        account: "123456789012".into(),
        region: "eu-west-1".into(),
        why: "`PublicAccessBlock.BlockPublicAcls` is false, and the configuration is not as demanded.".into(),
        since: now.checked_sub((at as i64 * 31).hours()).unwrap(),
        document: Some("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08".into()),
        event_id: format!("0198f0c2-7d1e-7c33-9b5a-3f0f8b1f{at:04}"),
        sequence: (at != 3).then_some(at * 977),
        exception: None,
    }
    };
    let control = |at: u64| CheckedControl {
        number: format!("CC6.{at}"),
        title: "Access from outside is held off at the boundary".into(),
        by_hand: at
            .is_multiple_of(2)
            .then(|| "Show the last review of firewall rules, and who made it.".into()),
        checks: if at == 4 { 0 } else { at * 7 },
        results: CheckedCounts {
            passed: at * 1234,
            failed: if at == 4 { 0 } else { at * 3 },
            excepted: u64::from(at == 2),
            unknown: at,
            not_applicable: 5,
        },
        changes: CheckedChanges {
            began_failing: at,
            stopped_failing: 2,
        },
        failing: if at == 4 {
            Vec::new()
        } else {
            (1..=(at * 3).min(10)).map(failing).collect()
        },
    };
    ReportConfiguration {
        framework: framework.into(),
        title: "SOC 2".into(),
        edition: "Trust Services Criteria 2017, points of focus revised 2022".into(),
        as_of: now,
        agents: vec![CheckingAgent {
            name: "Compliance of production".into(),
            last_run_at: Some(now),
        }],
        results: CheckedCounts {
            passed: 8_123,
            failed: 31,
            excepted: 1,
            unknown: 6,
            not_applicable: 12,
        },
        controls: (1..=8).map(control).collect(),
    }
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let (kind, path) = (arguments.next().unwrap(), arguments.next().unwrap());
    let now: Timestamp = "2026-11-22T10:00:00Z".parse().unwrap();
    let kind = if kind == "custom" {
        let group_by = vec![GroupField::User, GroupField::EventType];
        ReportKind::Custom {
            query: "status:failed OR event_type:policy.*".into(),
            group_by,
            metrics: ReportMetric::ALL.to_vec(),
        }
    } else {
        ReportKind::Compliance { framework: kind }
    };

    let filters = Filters {
        accounts: Vec::new(),
        users: Vec::new(),
        resources: Vec::new(),
    };

    let request = ReportRequest {
        kind,
        period: PeriodChoice::parse("30d").unwrap(),
        filters,
    };
    let mut evaluation = ReportEvaluation::new(ReportPlan::new(&request, now).unwrap(), MOST_CITED);
    for at in 0..4000 {
        let _ = evaluation.observe(at, now, &entry(at, now));
    }

    let (plan, mut findings) = evaluation.finish(&[]);
    findings.configuration = plan
        .template
        .and_then(|template| template.checks.as_deref())
        .map(|framework| configuration(framework, now));
    let heading = Heading {
        run_id: "0198f0c2-7d1e-7c33-9b5a-3f0f8b1f0c11".into(),
        name: plan.template.map_or_else(
            || "Failed actions, weekly".into(),
            |one| format!("{}, November 2026", one.name),
        ),
        organization: "Acme".into(),
        manifest_name: "soc-2-type-ii-2026-11-22-8b1f0c11.manifest.json".into(),
        is_demo: true,
        generated_by: "carla@acme.example".into(),
        scope: None,
        asked_at: now,
        generated_at: now,
    };

    let checkpoint = CheckpointLines {
        origin: "reeve.acme.example/log".into(),
        size: 4000,
        root: "6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b".into(),
    };

    let report = PdfReport {
        heading: &heading,
        request: &request,
        plan: &plan,
        findings: &findings,
        checkpoint: &checkpoint,
    };
    let pdf = typeset(&report).unwrap();
    println!("{} bytes", pdf.len());

    std::fs::write(path, pdf).unwrap();
}
