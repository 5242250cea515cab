//! Accepted calls of IAM users and roles by the audit log, for replaying a narrower policy on them.
//!
//! Calls are those of CloudTrail's records, named as actions of IAM. A record names the service by its
//! endpoint and the API by its version, which differ from the names of IAM for some: a call whose
//! action no policy grants cannot be replayed and proves nothing.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};
use reeve_audit::ActionStatus;
use reeve_audit::query::{Expr, FieldPath, Match, Query, QueryColumn, time_range};
use reeve_estate::{Resource, ResourceId};

use crate::judgement::open_facts::LogFact;
use crate::ports::{LogReader, ReadError};

/// Kinds of the principals that call.
const KINDS: [&str; 2] = ["iam_role", "iam_user"];

/// Principals that one query asks for: an aggregation has at most 1,000 values.
const AT_ONCE: usize = 500;

/// Members of a record of CloudTrail that name the ARN of a user, and of the role of a session.
const CALLERS: [&[&str]; 2] = [
    &["cloudtrail", "userIdentity", "arn"],
    &[
        "cloudtrail",
        "userIdentity",
        "sessionContext",
        "sessionIssuer",
        "arn",
    ],
];

/// Endpoints whose services IAM calls otherwise.
const SERVICES: &[(&str, &str)] = &[
    ("email", "ses"),
    ("metering-marketplace", "aws-marketplace"),
    ("monitoring", "cloudwatch"),
    ("streams.dynamodb", "dynamodb"),
    ("tagging", "tag"),
];

/// Calls that another action of IAM permits.
const ACTIONS: &[(&str, &str)] = &[
    ("lambda:Invoke", "lambda:InvokeFunction"),
    ("s3:HeadBucket", "s3:ListBucket"),
    ("s3:HeadObject", "s3:GetObject"),
    ("s3:ListBuckets", "s3:ListAllMyBuckets"),
    ("s3:ListObjects", "s3:ListBucket"),
    ("s3:ListObjectsV2", "s3:ListBucket"),
];

/// Accepted calls of one principal within the days that an agent type requested.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PastCalls {
    /// Number of calls by action of IAM.
    pub actions: BTreeMap<String, u64>,
    /// `true` if all calls of the log were counted.
    pub is_complete: bool,
    pub days: i64,
}

#[async_trait]
impl LogFact for PastCalls {
    fn is_of(resource: &Resource) -> bool {
        KINDS.contains(&resource.kind.as_str())
    }

    /// Reads the accepted calls of principals, by their ARNs, in the days before `now`. A principal
    /// without a call has none.
    async fn read(
        log: &dyn LogReader,
        principals: &[ResourceId],
        days: i64,
        now: Timestamp,
    ) -> Result<HashMap<ResourceId, PastCalls>, ReadError> {
        let start = now
            .checked_sub(SignedDuration::from_hours(24 * days))
            .unwrap_or(Timestamp::MIN);
        let none = PastCalls {
            is_complete: true,
            days,
            ..PastCalls::default()
        };
        let mut found: HashMap<ResourceId, PastCalls> = principals
            .iter()
            .map(|id| (id.clone(), none.clone()))
            .collect();

        for some in principals.chunks(AT_ONCE) {
            for caller in CALLERS {
                let query = accepted(caller, some, start, now);
                add(&mut found, log, some, caller, query).await?;
            }
        }
        Ok(found)
    }
}

fn member(path: &[&str]) -> FieldPath {
    FieldPath::Metadata(path.iter().map(|&name| name.to_owned()).collect())
}

fn accepted(caller: &[&str], principals: &[ResourceId], start: Timestamp, now: Timestamp) -> Query {
    let any = principals
        .iter()
        .map(|id| Expr::field(member(caller), Match::Identical(id.as_str().to_owned())));
    let success = Match::Exact(ActionStatus::Success.as_str().to_owned());
    Query {
        expr: Expr::and([
            Expr::or(any),
            Expr::field(QueryColumn::ActionStatus, success),
            time_range(Some(start), Some(now)),
        ]),
    }
}

/// Adds the calls that a query finds. A log answers two members at a time: an operation that several
/// services of a principal have counts for each of them.
async fn add(
    found: &mut HashMap<ResourceId, PastCalls>,
    log: &dyn LogReader,
    principals: &[ResourceId],
    caller: &[&str],
    query: Query,
) -> Result<(), ReadError> {
    let source = || member(&["cloudtrail", "eventSource"]);
    let operation = || FieldPath::from(QueryColumn::ActionOperation);
    let of = [
        (member(caller), operation()),
        (member(caller), source()),
        // Services first: they are few, and each has fewer operations than the limit.
        (source(), operation()),
    ];
    let answers = log.pairs(query, &of).await?;
    let [operations, sources, services] = answers.as_slice() else {
        return Err(ReadError("the log did not answer every pair".to_owned()));
    };

    let sources = grouped(
        sources
            .counts
            .iter()
            .map(|(first, second, _)| (first, second)),
    );
    let services = grouped(
        services
            .counts
            .iter()
            .map(|(source, operation, _)| (operation, source)),
    );
    let is_complete = answers.iter().all(|answer| answer.is_complete);
    let nothing = BTreeSet::new();
    for (principal, operation, count) in &operations.counts {
        let Some(calls) = found.get_mut(&ResourceId::new(principal.clone())) else {
            continue;
        };
        let own = sources.get(principal.as_str()).unwrap_or(&nothing);
        let of_operation = services.get(operation.as_str()).unwrap_or(&nothing);
        for source in own.intersection(of_operation) {
            *calls.actions.entry(action(source, operation)).or_default() += count;
        }
    }
    if !is_complete {
        for principal in principals {
            if let Some(calls) = found.get_mut(principal) {
                calls.is_complete = false;
            }
        }
    }
    Ok(())
}

fn grouped<'a>(
    pairs: impl Iterator<Item = (&'a String, &'a String)>,
) -> HashMap<&'a str, BTreeSet<&'a str>> {
    let mut found: HashMap<&str, BTreeSet<&str>> = HashMap::new();
    for (first, second) in pairs {
        found.entry(first).or_default().insert(second);
    }
    found
}

/// Returns the action of IAM that a call needs: `s3.amazonaws.com` and `ListBuckets` is
/// `s3:ListAllMyBuckets`.
fn action(source: &str, operation: &str) -> String {
    let endpoint = source.strip_suffix(".amazonaws.com").unwrap_or(source);
    let known = SERVICES.iter().find(|(name, _)| *name == endpoint);
    let service = known.map_or(endpoint, |(_, service)| service);
    let named = format!("{service}:{}", without_version(operation));
    let other = ACTIONS.iter().find(|(call, _)| *call == named);
    other.map_or(named, |(_, action)| (*action).to_owned())
}

/// Returns an operation without the version of its API: `GetFunction20150331v2`,
/// `CreateDistribution2020_05_31`.
fn without_version(operation: &str) -> &str {
    let bare = match operation.rsplit_once('v') {
        Some((bare, number))
            if !number.is_empty() && number.bytes().all(|one| one.is_ascii_digit()) =>
        {
            bare
        }
        _ => operation,
    };
    let name = bare.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '_');
    let digits = bare[name.len()..].bytes().filter(u8::is_ascii_digit);
    match digits.count() {
        8 => name,
        _ => operation,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_named_as_iam_names_their_actions() {
        for (source, operation, expected) in [
            ("sqs.amazonaws.com", "SendMessage", "sqs:SendMessage"),
            ("s3.amazonaws.com", "ListBuckets", "s3:ListAllMyBuckets"),
            (
                "monitoring.amazonaws.com",
                "PutMetricData",
                "cloudwatch:PutMetricData",
            ),
            (
                "lambda.amazonaws.com",
                "GetFunction20150331v2",
                "lambda:GetFunction",
            ),
            (
                "lambda.amazonaws.com",
                "Invoke20150331",
                "lambda:InvokeFunction",
            ),
            (
                "cloudfront.amazonaws.com",
                "CreateDistribution2020_05_31",
                "cloudfront:CreateDistribution",
            ),
            ("s3.amazonaws.com", "ListObjectsV2", "s3:ListBucket"),
            (
                "route53.amazonaws.com",
                "GetHostedZone",
                "route53:GetHostedZone",
            ),
        ] {
            assert_eq!(action(source, operation), expected);
        }
    }
}
