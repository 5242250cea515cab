//! Buckets: the policy, the access list and access points, and the settings of bucket and account
//! that block what is public ("Blocking public access to your Amazon S3 storage", S3 User Guide).

use std::collections::BTreeMap;

use serde_json::Value;

use crate::answers::ExposureAnswers;
use crate::configuration::ExposureConfiguration;
use crate::finding::{Audience, ExposureStep};
use crate::policy::{self, Grant};
use crate::value;

const ALL_USERS: &str = "http://acs.amazonaws.com/groups/global/AllUsers";
const AUTHENTICATED: &str = "http://acs.amazonaws.com/groups/global/AuthenticatedUsers";

/// Canonical identifier of the service that delivers logs ("Enabling standard logging", CloudFront).
const LOG_DELIVERY: &str = "c4c1ede66af53448b93c283ce9448c4ba468c9432aa01d700d3878632f77d2d0";

/// Access points by the name of their bucket.
pub(crate) type AccessPoints<'a> = BTreeMap<&'a str, Vec<ExposureConfiguration<'a>>>;

/// Judges a bucket with its access points.
pub(crate) fn judge<'a>(
    bucket: &ExposureConfiguration<'a>,
    points: &AccessPoints<'a>,
    answers: &mut ExposureAnswers<'a>,
    closed: Option<&str>,
) {
    by_list(bucket, answers, closed);
    by_policy(bucket, answers, closed);
    for point in points.get(bucket.id).into_iter().flatten() {
        by_point(bucket, point, answers, closed);
    }
}

/// Returns the step of a setting that blocks, of the bucket or of the account; `Err` if a setting
/// that decides was not read.
fn blocked(
    document: &Value,
    own: &str,
    id: &str,
    setting: &str,
) -> Result<Option<ExposureStep>, ExposureStep> {
    let places = [(own, "bucket"), ("AccountPublicAccessBlock", "account")];
    for (member, of) in places {
        if value::at(document, member).is_some_and(|block| value::is_true(block, setting)) {
            let says = format!("{setting} of the {of} is on");
            return Ok(Some(ExposureStep::new("block_public_access", id, says)));
        }
    }

    match places
        .iter()
        .find(|(member, _)| value::is_hidden(document, member))
    {
        Some((_, of)) => {
            let says = format!("{setting} of the {of} was not read");
            Err(ExposureStep::new("block_public_access", id, says))
        }
        None => Ok(None),
    }
}

/// Adds a grant that is public or to other accounts, unless a setting blocks it.
fn add<'a>(
    bucket: &ExposureConfiguration<'a>,
    answers: &mut ExposureAnswers<'a>,
    closed: Option<&str>,
    grant: Grant,
    mut path: Vec<ExposureStep>,
    block: Result<Option<ExposureStep>, ExposureStep>,
) {
    let key = (bucket.id, bucket.kind, bucket.owner());
    let is_closed = path.iter().any(|step| step.is_closed_by(closed));
    let is_known = !matches!(grant.audience, Audience::Unknown | Audience::None);
    match block {
        Ok(None) if !is_closed && is_known => {
            let says = "no block setting of bucket or account is in the way";
            path.push(ExposureStep::new("block_public_access", bucket.id, says));
            answers.granted(key, grant.audience, grant.access, path);
        }
        Ok(None) => {
            let is_certain = is_closed || grant.audience == Audience::None;
            answers.missed(key, path, is_certain);
        }
        Ok(Some(step)) => {
            path.push(step);
            answers.missed(key, path, true);
        }
        Err(step) => {
            path.push(step);
            answers.missed(key, path, false);
        }
    }
}

fn by_list<'a>(
    bucket: &ExposureConfiguration<'a>,
    answers: &mut ExposureAnswers<'a>,
    closed: Option<&str>,
) {
    let document = bucket.document;
    if value::is_hidden(document, "Acl") {
        let step = ExposureStep::new("acl", bucket.id, "the access list was not read");
        let key = (bucket.id, bucket.kind, bucket.owner());
        answers.missed(key, vec![step], false);
    }

    let owner = value::text(document, "Acl.Owner.ID");
    let grants = value::list(document, "Acl.AccessControlList").iter();
    let grants = grants.chain(value::list(document, "Acl.Grants"));
    let mut by_grantee: BTreeMap<(Audience, String), Vec<String>> = BTreeMap::new();
    for grant in grants {
        let permission = value::text(grant, "Permission").unwrap_or("READ");
        if let Some(grantee) = grantee(grant, owner) {
            by_grantee
                .entry(grantee)
                .or_default()
                .push(permission.to_owned());
        }
    }

    for ((audience, who), access) in by_grantee {
        let says = format!("the access list gives {who} {}", access.join(", "));
        let path =
            vec![ExposureStep::new("acl", bucket.id, says).keyed(format!("access list for {who}"))];
        let block = match (lists_off(document, bucket.id), &audience) {
            (Some(step), _) => Ok(Some(step)),
            (None, Audience::Internet) => {
                blocked(document, "PublicAccessBlock", bucket.id, "IgnorePublicAcls")
            }
            (None, _) => Ok(None),
        };
        let grant = Grant {
            audience,
            access,
            step: None,
            function_url: None,
        };
        add(bucket, answers, closed, grant, path, block);
    }
}

/// Returns the outsider that an entry of an access list names, with words for it.
fn grantee(grant: &Value, owner: Option<&str>) -> Option<(Audience, String)> {
    match value::text(grant, "Grantee.URI") {
        Some(ALL_USERS) => return Some((Audience::Internet, "everyone".to_owned())),
        Some(AUTHENTICATED) => {
            let who = "everyone with an account of AWS";
            return Some((Audience::Internet, who.to_owned()));
        }
        _ => {}
    }
    let id = value::text(grant, "Grantee.ID")?;
    let is_outside = owner.is_some_and(|owner| owner != id) && id != LOG_DELIVERY;
    is_outside.then(|| (Audience::Account(id.to_owned()), format!("account {id}")))
}

/// Returns the step of a setting by which access lists mean nothing.
fn lists_off(document: &Value, id: &str) -> Option<ExposureStep> {
    let ownership = ["OwnershipControls.Rule", "OwnershipControls.Rules"]
        .iter()
        .flat_map(|path| value::each(document, path, "ObjectOwnership"))
        .next();
    let says = "object ownership turns access lists off";
    (ownership == Some("BucketOwnerEnforced"))
        .then(|| ExposureStep::new("object_ownership", id, says))
}

fn by_policy<'a>(
    bucket: &ExposureConfiguration<'a>,
    answers: &mut ExposureAnswers<'a>,
    closed: Option<&str>,
) {
    let document = bucket.document;
    let key = (bucket.id, bucket.kind, bucket.owner());
    let grants = match policy::grants(document, "Policy", (bucket.kind, bucket.id, bucket.owner()))
    {
        Ok(grants) => grants,
        Err(step) => {
            answers.missed(key, vec![step], false);
            return;
        }
    };

    let is_public = grants
        .iter()
        .any(|grant| grant.audience == Audience::Internet);
    for mut grant in grants {
        // A public policy is restricted as a whole: its other outsiders are shut out with it.
        let block = match is_public {
            true => blocked(
                document,
                "PublicAccessBlock",
                bucket.id,
                "RestrictPublicBuckets",
            ),
            false => Ok(None),
        };
        let path = grant.step.take().into_iter().collect();
        add(bucket, answers, closed, grant, path, block);
    }

    let step = ExposureStep::new(
        "policy",
        bucket.id,
        "neither policy nor access list lets an outsider in",
    );
    answers.missed(key, vec![step], true);
}

/// An access point lets in whom its own policy names, as far as the policy of the bucket leaves the
/// decision to it.
fn by_point<'a>(
    bucket: &ExposureConfiguration<'a>,
    point: &ExposureConfiguration<'a>,
    answers: &mut ExposureAnswers<'a>,
    closed: Option<&str>,
) {
    let document = point.document;
    let key = (bucket.id, bucket.kind, bucket.owner());
    let grants = match policy::grants(document, "Policy", (bucket.kind, point.id, bucket.owner())) {
        Ok(grants) => grants,
        Err(step) => {
            answers.missed(key, vec![step], false);
            return;
        }
    };
    for mut grant in grants {
        let mut path: Vec<ExposureStep> = grant.step.take().into_iter().collect();
        let block =
            if value::text(document, "NetworkOrigin").is_some_and(|origin| origin == "VPC")
                || value::at(document, "VpcConfiguration.VpcId").is_some()
            {
                let says = "the access point is reachable from its network alone";
                Ok(Some(ExposureStep::new("access_point", point.id, says)))
            } else if !policy::delegates_to_access_points(bucket.document) {
                let says = "the bucket policy does not leave access to access points";
                Ok(Some(ExposureStep::new("policy", bucket.id, says)))
            } else {
                let says = "the bucket policy leaves access to access points";
                path.push(ExposureStep::new("policy", bucket.id, says));
                let own = "PublicAccessBlockConfiguration";
                match grant.audience == Audience::Internet {
                    true => blocked(document, own, point.id, "RestrictPublicBuckets").and_then(
                        |found| match found {
                            Some(step) => Ok(Some(step)),
                            None => blocked(
                                bucket.document,
                                "PublicAccessBlock",
                                bucket.id,
                                "RestrictPublicBuckets",
                            ),
                        },
                    ),
                    false => Ok(None),
                }
            };
        add(bucket, answers, closed, grant, path, block);
    }
}
