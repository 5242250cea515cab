//! Measures how many entries a second one thread evaluates against ten thousand rules.
//!
//! `cargo bench -p reeve-bench --bench alert_rules -- [RULES] [ENTRIES]`. The rules are of
//! the kinds that people write: the ready ones for each of many accounts, watched users, resources,
//! operations and address ranges. One rule in 500 has no condition that an index could use (a
//! negation or a free word) and is asked about every entry. Nothing is durable here: state is
//! encoded as it would be kept, every 2,000 entries.
#![allow(
    clippy::print_stdout,
    reason = "a benchmark answers on standard output"
)]

use std::error::Error;
use std::sync::Arc;
use std::time::Instant;

use jiff::Timestamp;
use reeve_alerts::{
    AlertProgress, AlertRule, Evaluator, EvaluatorLimits, Observed, ReadyRule, RuleDraft, RuleId,
    RuleSettings, RuleState, ready_rules,
};
use reeve_audit::{ActionMethod, ActionStatus, Actor, Entry, EventType, ResourceRef};

/// Entries between two batches of changes.
const BATCH: usize = 2_000;
const OPERATIONS: [(&str, &str); 12] = [
    ("DescribeInstances", "resource.view"),
    ("GetObject", "resource.view"),
    ("ListBuckets", "resource.view"),
    ("AssumeRole", "authentication.assume_role"),
    ("ConsoleLogin", "authentication.login"),
    ("PutObject", "resource.modify"),
    ("RunInstances", "resource.create"),
    ("TerminateInstances", "resource.delete"),
    ("AuthorizeSecurityGroupIngress", "resource.modify"),
    ("GetSecretValue", "resource.view"),
    ("AttachUserPolicy", "resource.modify"),
    ("StopLogging", "resource.state"),
];

/// A reproducible sequence (SplitMix64).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % bound
    }
}

fn draft(number: u64, ready: &[ReadyRule], random: &mut Random) -> RuleDraft {
    let base = ready[usize::try_from(number).unwrap_or_default() % ready.len()]
        .settings
        .draft();
    let (operation, event_type) = OPERATIONS[usize::try_from(random.below(12)).unwrap_or_default()];
    let account = random.below(2_000);
    let condition = match number % 10 {
        0..=3 => format!("({}) AND account:{account:012}", base.condition),
        4 => format!(
            "user:user-{} AND operation:{operation}",
            random.below(20_000)
        ),
        5 => format!(
            "resource:bucket-{} AND event_type:{event_type}",
            random.below(20_000)
        ),
        6 => format!("event_type:{event_type} AND status:failed AND account:{account:012}"),
        7 => format!(
            "operation:{operation} AND actor.ip_address:10.{}.0.0/16 AND account:{account:012}",
            random.below(256)
        ),
        8 => format!(
            "resource:bucket-{}* AND status:(failed OR denied)",
            random.below(20_000)
        ),
        _ if number % 500 == 9 => {
            format!("NOT event_type:resource.* AND account:{account:012} OR zq{number}")
        }
        _ => format!(
            "resource.type:s3_bucket AND resource:bucket-{} AND operation:Put*",
            random.below(20_000)
        ),
    };

    RuleDraft {
        name: format!("rule {number}"),
        condition,
        ..base
    }
}

fn rule(
    number: u64,
    ready: &[ReadyRule],
    random: &mut Random,
) -> Result<Arc<AlertRule>, Box<dyn Error>> {
    let settings =
        RuleSettings::read(draft(number, ready, random)).map_err(|errors| format!("{errors:?}"))?;
    Ok(Arc::new(AlertRule {
        id: RuleId(format!("r-{number}")),
        settings,
        state: RuleState::Enabled,
        silenced_until: None,
        revision: 1,
        version: 1,
        created_by: "bench".to_owned(),
        created_at: Timestamp::UNIX_EPOCH,
        updated_at: Timestamp::UNIX_EPOCH,
    }))
}

fn entry(random: &mut Random, at: Timestamp) -> Result<Entry, Box<dyn Error>> {
    let (operation, event_type) = OPERATIONS[usize::try_from(random.below(12)).unwrap_or_default()];
    let status = if random.below(20) == 0 {
        ActionStatus::Failed
    } else {
        ActionStatus::Success
    };

    let address = format!("10.{}.{}.7", random.below(256), random.below(256));
    let actor = Actor::user(format!("user-{}", random.below(20_000)))
        .with_ip_address(address.parse().map_err(|_| address)?)
        .with_user_agent("aws-cli/2.17 md/awscrt#0.20");
    let resource = ResourceRef::new("s3_bucket", format!("bucket-{}", random.below(20_000)))
        .in_cloud("aws", format!("{:012}", random.below(2_000)), "eu-west-1");
    let event_type = EventType::new(event_type)?;

    Ok(Entry::new(event_type)
        .at(at)
        .by(actor)
        .on(resource)
        .with_action(operation, status, ActionMethod::Api))
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args()
        .filter(|argument| argument != "--bench")
        .skip(1)
        .map(|text| text.replace('_', "").parse::<u64>());
    let mut number = |default| arguments.next().unwrap_or(Ok(default));
    let (rules, entries) = (number(10_000)?, number(200_000)?);

    let mut random = Random(7);
    let ready = ready_rules();
    let rules = (0..rules)
        .map(|number| rule(number, &ready, &mut random))
        .collect::<Result<Vec<_>, _>>()?;
    let start = Timestamp::from_second(1_800_000_000)?;
    let mut stream = Vec::new();

    for number in 0..entries {
        let at = start
            + jiff::SignedDuration::from_micros(i64::try_from(number * 50).unwrap_or(i64::MAX));
        stream.push((at, entry(&mut random, at)?));
    }

    let mut evaluator = Evaluator::new(EvaluatorLimits::default(), AlertProgress::default());
    let indexing = Instant::now();
    evaluator.set_rules(rules);
    let indexed = indexing.elapsed();
    let (mut fired, mut bytes, mut sequence) = (0, 0, 0);
    let evaluating = Instant::now();

    for batch in stream.chunks(BATCH) {
        for (recorded_at, entry) in batch {
            evaluator.observe(Observed {
                sequence,
                recorded_at: *recorded_at,
                entry,
            });
            sequence += 1;
        }
        let changes = evaluator.take_changes();
        fired += changes.fired.len();
        bytes += changes.delta.len()
            + changes
                .snapshot
                .iter()
                .flatten()
                .map(Vec::len)
                .sum::<usize>();
    }

    let took = evaluating.elapsed().as_secs_f64();
    let (known, residual) = evaluator.rules();
    println!(
        "{known} rules, {residual} of them asked about every entry; indexed in {} ms",
        indexed.as_millis()
    );
    println!(
        "{entries} entries in {took:.2} s: {:.0} entries/s on one thread; {fired} firings, {} groups, {bytes} bytes kept",
        entries as f64 / took,
        evaluator.groups()
    );

    Ok(())
}
