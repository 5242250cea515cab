//! Entries as a busy estate sends them: some 700 bytes of JSON, every value its own, the same on each run.

use std::fmt::Write as _;

const TYPES: [&str; 5] =
    ["resource.modify", "authentication.login", "resource.view", "policy.modify", "resource.create"];
const REGIONS: [&str; 4] = ["eu-central-1", "us-east-1", "ap-south-1", "eu-west-2"];

/// `count` entries as JSON text.
pub(crate) fn entries(count: usize) -> Vec<Vec<u8>> {
    (0..count).map(|n| entry(n).into_bytes()).collect()
}

/// The same entry without an identifier: it gets a fresh one each time it is read.
pub(crate) fn unnamed(n: usize) -> String {
    let text = entry(n);
    match text.split_once("\",") {
        Some((_, rest)) => format!("{{{rest}"),
        None => text,
    }
}

fn entry(n: usize) -> String {
    let mut text = String::with_capacity(1024);
    let (kind, region) = (TYPES[n % TYPES.len()], REGIONS[n / 3 % REGIONS.len()]);
    let (user, instance) = (n * 7919 % 613, n * 104_729 % 100_003);
    // Writing to a String cannot fail.
    let _ = write!(
        text,
        r#"{{"event_id":"019a7b3c-5d6e-7f80-9a1b-{n:012x}","timestamp":"2026-11-{day:02}T{hour:02}:{minute:02}:17.{milli:03}Z","event_type":"{kind}","severity":"medium","actor":{{"type":"user","id":"user-{user}","email":"user.{user}@example.com","ip_address":"10.{a}.{b}.17","user_agent":"aws-cli/2.31.3 md/awscrt#0.27.6 ua/2.1 os/linux","session_id":"ASIA{instance:016}"}},"resource":{{"type":"ec2_instance","id":"i-{instance:017x}","cloud_provider":"aws","account_id":"1234567890{c:02}","region":"{region}","tags":{{"env":"production","team":"team-{team}"}}}},"action":{{"operation":"ModifyInstanceAttribute","status":"success","method":"api"}},"changes":{{"before":{{"instance_type":"m5.2xlarge"}},"after":{{"instance_type":"m5.xlarge"}}}},"metadata":{{"request_id":"{n:08x}-7a1b-4c2d-8e3f-{instance:012x}","tags":["automated"]}}}}"#,
        day = n % 28 + 1,
        hour = n % 24,
        minute = n % 60,
        milli = n % 1000,
        a = n % 256,
        b = n / 256 % 256,
        c = n % 100,
        team = n % 17,
    );
    text
}
