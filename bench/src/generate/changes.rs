//! The `changes` member: states before and after, by kind of resource.

use super::catalogue::{Change, SIZES, Verb};
use super::random::Random;
use super::text::push_number;
use super::words::TEAMS;
use super::world::Resource;

/// Appends `"changes":{...},` where the verb changes something.
pub(crate) fn push(out: &mut Vec<u8>, resource: &Resource, verb: Verb, random: &mut Random) {
    let (before, after) = match verb {
        Verb::Modify | Verb::Policy => (true, true),
        Verb::Create => (false, true),
        Verb::Delete => (true, false),
        Verb::Start => {
            return extend(
                out,
                r#""changes":{"before":{"state":"stopped"},"after":{"state":"running"}},"#,
            );
        }
        Verb::Stop => {
            return extend(
                out,
                r#""changes":{"before":{"state":"running"},"after":{"state":"stopped"}},"#,
            );
        }
        Verb::Tag => return tagged(out, resource, random),
        Verb::Describe | Verb::Read => return,
    };

    extend(out, "\"changes\":{");
    let at = random.below(64);
    let change = if verb == Verb::Policy {
        Change::Policy
    } else {
        resource.change
    };

    if before {
        extend(out, "\"before\":");
        state(out, resource, change, at, random);
    }
    if after {
        extend(out, if before { ",\"after\":" } else { "\"after\":" });
        state(out, resource, change, at + 1 + random.below(3), random);
    }

    extend(out, "},");
}

/// One state. Those near to each other in `at` resemble each other.
fn state(out: &mut Vec<u8>, resource: &Resource, change: Change, at: usize, random: &mut Random) {
    let number = |out: &mut Vec<u8>, before: &str, number: usize| {
        extend(out, before);
        push_number(out, number as u64);
    };

    match change {
        Change::Size => {
            extend(out, "{\"instance_type\":\"");
            extend(out, SIZES[resource.cloud][at % 6]);
            extend(out, "\",\"state\":\"running\",\"ebs_optimized\":");
            extend(
                out,
                if at.is_multiple_of(2) {
                    "true"
                } else {
                    "false"
                },
            );
            number(out, ",\"cores\":", 2 << (at % 6));
        }
        Change::Capacity => {
            number(out, "{\"size_gb\":", 50 * (1 + at));
            number(out, ",\"iops\":", 3_000 + 500 * (at % 8));
            number(out, ",\"throughput_mbps\":", 125 + 25 * (at % 5));
            extend(out, ",\"encrypted\":true");
        }
        Change::Rule => {
            number(
                out,
                "{\"rules\":[{\"protocol\":\"tcp\",\"port\":",
                [22, 80, 443, 3306, 5432, 6379, 8080, 9200][at % 8],
            );
            number(out, ",\"cidr\":\"10.", random.below(64));
            number(out, ".", random.below(256));
            extend(out, ".0/24\",\"action\":\"allow\"}]");
            number(out, ",\"revision\":", at);
        }
        Change::Policy => {
            number(out, "{\"policy_version\":\"v", at);
            number(out, "\",\"statements\":", 1 + at % 9);
            extend(out, ",\"actions\":[\"s3:GetObject\",\"");
            extend(
                out,
                random.pick(&[
                    "s3:PutObject",
                    "ec2:Describe*",
                    "iam:PassRole",
                    "kms:Decrypt",
                    "logs:PutLogEvents",
                ]),
            );
            extend(out, "\"]");
        }
        Change::Settings => {
            number(out, "{\"timeout_seconds\":", 3 + at);
            number(out, ",\"memory_mb\":", 128 << (at % 5));
            extend(out, ",\"versioning\":\"");
            extend(
                out,
                if at.is_multiple_of(3) {
                    "suspended"
                } else {
                    "enabled"
                },
            );
            extend(out, "\"");
        }
    }

    extend(out, "}");
}

fn tagged(out: &mut Vec<u8>, resource: &Resource, random: &mut Random) {
    extend(out, "\"changes\":{\"before\":{\"tags\":{\"team\":\"");
    extend(out, random.pick(&TEAMS));
    extend(out, "\"}},\"after\":{\"tags\":{\"team\":\"");
    extend(out, resource.team);
    extend(out, "\"}}},");
}

fn extend(out: &mut Vec<u8>, text: &str) {
    out.extend_from_slice(text.as_bytes());
}
