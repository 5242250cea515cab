//! Lifecycle configurations of buckets, as the text that S3 answers: rules are added to it and
//! removed from it, so that members that this release does not know stay as they are. Amazon S3 API
//! reference, `GetBucketLifecycleConfiguration`, `PutBucketLifecycleConfiguration`,
//! `DeleteBucketLifecycle`.

use reeve_connect_aws_ec2::form::escaped;
use reeve_connect_aws_ec2::signed::{self, SignedRequest};
use reeve_connect_aws_ec2::{AwsEc2Fault, FaultKind, Place};
use reeve_estate::bucket::access::LEAST_BILLED_BYTES;
use reeve_estate::{Document, Lifecycle, Resource};
use reeve_recommend::change::{LifecycleOperation, LifecycleRule, Tiering};

use crate::describe;
use crate::inventory::s3;
use crate::session::AwsConnection;

const GET: &str = "s3:GetLifecycleConfiguration";
const PUT: &str = "s3:PutLifecycleConfiguration";
/// Header with the least size of objects that a configuration moves unless a rule states one. A
/// configuration that is put without it gets the default of new ones, which moves fewer objects to
/// GLACIER than that of old ones.
const LEAST_SIZE: &str = "x-amz-transition-default-minimum-object-size";
/// Namespace of S3's documents.
const NAMESPACE: &str = "http://s3.amazonaws.com/doc/2006-03-01/";

/// One bucket with its tags and its lifecycle.
pub(crate) async fn bucket(
    cloud: &AwsConnection,
    place: Place,
    known: &Resource,
) -> Result<Resource, AwsEc2Fault> {
    let mut bucket = s3::bucket(cloud, &place, known).await?;
    let configuration = configuration(cloud, &place, known.id.as_str()).await?;
    bucket.specification.lifecycle = Some(observed(
        configuration.as_ref().map(|(text, _)| text.as_str()),
    ));
    Ok(bucket)
}

/// Changes the rules of a bucket. A rule that is there already, or gone already, is no failure.
pub(crate) async fn apply(
    cloud: &AwsConnection,
    place: &Place,
    bucket: &str,
    operation: LifecycleOperation,
) -> Result<(), AwsEc2Fault> {
    let (before, least_size) = configuration(cloud, place, bucket)
        .await?
        .unwrap_or_default();
    let after = match operation {
        LifecycleOperation::Add(rule) => with(&without(&before, rule.id()), &rule),
        LifecycleOperation::Remove(id) => without(&before, id),
    };
    if after == before {
        return Ok(());
    }

    let path = format!("/{}?lifecycle", escaped(bucket));
    let call = place.call(PUT);
    let request = if rules(&after).is_empty() {
        request("DeleteBucketLifecycle", "DELETE", path, String::new())
    } else {
        let mut put = request("PutBucketLifecycleConfiguration", "PUT", path, after);
        put.headers
            .extend(least_size.map(|size| (LEAST_SIZE, size)));
        put
    };

    signed::send(&cloud.changing(&place.region), call, request)
        .await
        .map(|_| ())
}

fn request(
    operation: &'static str,
    method: &'static str,
    path: String,
    body: String,
) -> SignedRequest {
    SignedRequest {
        signing_name: "s3",
        host: "s3",
        operation,
        method,
        path,
        headers: describe::body_headers("s3", &body),
        body,
        is_global: true,
    }
}

/// The text of a bucket's configuration, and the least size of objects that it moves; `None`
/// without one.
async fn configuration(
    cloud: &AwsConnection,
    place: &Place,
    bucket: &str,
) -> Result<Option<(String, Option<String>)>, AwsEc2Fault> {
    let call = place.call(GET);
    let path = format!("/{}?lifecycle", escaped(bucket));
    let asked = request(
        "GetBucketLifecycleConfiguration",
        "GET",
        path,
        String::new(),
    );

    match signed::send_for_header(&cloud.config(&place.region), call, asked, LEAST_SIZE).await {
        Ok((body, least_size)) => {
            let text = String::from_utf8(body).map_err(|_| {
                call.fault(FaultKind::Broken, None, "the configuration is not text")
            })?;
            Ok(Some((text, least_size)))
        }
        Err(fault) if fault.code.as_deref() == Some("NoSuchLifecycleConfiguration") => Ok(None),
        Err(fault) => Err(fault),
    }
}

/// The configuration as an observation states it: the fingerprint is that of the description's
/// document.
fn observed(text: Option<&str>) -> Lifecycle {
    let Some(text) = text else {
        return Lifecycle::none();
    };

    let own = |rule: &str| LifecycleRule::IDS.into_iter().find(|id| has_id(rule, id));
    let mut own_rules: Vec<String> = rules(text)
        .into_iter()
        .filter_map(own)
        .map(str::to_owned)
        .collect();
    own_rules.sort_unstable();
    let document = Document::new(describe::rest_answer(text).unwrap_or_default());

    Lifecycle {
        fingerprint: document.hash(),
        own_rules,
    }
}

/// The rules of a configuration, each with its element.
fn rules(text: &str) -> Vec<&str> {
    let begun = text.match_indices("<Rule>").map(|(at, _)| &text[at..]);
    begun
        .filter_map(|rest| {
            rest.find("</Rule>")
                .map(|end| &rest[..end + "</Rule>".len()])
        })
        .collect()
}

fn has_id(rule: &str, id: &str) -> bool {
    let named = |rest: &str| {
        rest.split("</ID>")
            .next()
            .is_some_and(|named| named.trim() == id)
    };
    rule.split("<ID>").nth(1).is_some_and(named)
}

fn without(text: &str, id: &str) -> String {
    let own = rules(text).into_iter().find(|rule| has_id(rule, id));
    own.map_or_else(|| text.to_owned(), |rule| text.replacen(rule, "", 1))
}

/// A text between tags.
fn xml_text(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

fn with(text: &str, rule: &LifecycleRule) -> String {
    let mut filter = "<Prefix></Prefix>".to_owned();
    let effect = match rule {
        LifecycleRule::AbortUploads { days } => format!(
            "<AbortIncompleteMultipartUpload><DaysAfterInitiation>{days}</DaysAfterInitiation></AbortIncompleteMultipartUpload>"
        ),
        LifecycleRule::ExpireVersions { days, keep } => {
            let newer = if *keep == 0 {
                String::new()
            } else {
                format!("<NewerNoncurrentVersions>{keep}</NewerNoncurrentVersions>")
            };
            format!(
                "<NoncurrentVersionExpiration><NoncurrentDays>{days}</NoncurrentDays>{newer}</NoncurrentVersionExpiration>"
            )
        }
        LifecycleRule::TierObjects(Tiering {
            days,
            class,
            prefix,
        }) => {
            // Stated, because the default of a configuration may also be to move objects of any
            // size.
            let size = format!(
                "<ObjectSizeGreaterThan>{}</ObjectSizeGreaterThan>",
                LEAST_BILLED_BYTES - 1
            );
            filter = if prefix.is_empty() {
                size
            } else {
                format!("<And><Prefix>{}</Prefix>{size}</And>", xml_text(prefix))
            };
            format!(
                "<Transition><Days>{days}</Days><StorageClass>{class}</StorageClass></Transition>"
            )
        }
    };

    let id = rule.id();
    let own = format!(
        "<Rule><ID>{id}</ID><Filter>{filter}</Filter><Status>Enabled</Status>{effect}</Rule>"
    );

    match text.rsplit_once("</LifecycleConfiguration>") {
        Some((before, _)) => format!("{before}{own}</LifecycleConfiguration>"),
        None => {
            format!("<LifecycleConfiguration xmlns=\"{NAMESPACE}\">{own}</LifecycleConfiguration>")
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use reeve_recommend::change::ColdClass;

    use super::*;

    const LOGS: &str = "<Rule><ID>logs</ID><Filter><Prefix>logs/</Prefix></Filter><Status>Enabled</Status>\
                        <Expiration><Days>30</Days></Expiration></Rule>";

    #[test]
    fn a_rule_is_added_beside_the_others_and_removed_without_a_trace() {
        let before = format!(
            "<LifecycleConfiguration xmlns=\"{NAMESPACE}\">{LOGS}</LifecycleConfiguration>"
        );
        let rule = LifecycleRule::AbortUploads { days: 7 };
        let after = with(&before, &rule);
        assert_eq!((rules(&after).len(), rules(&after)[0]), (2, LOGS));
        assert_eq!(observed(Some(&after)).own_rules, ["reeve-abort-uploads"]);
        assert_eq!(without(&after, rule.id()), before);
        assert_eq!(
            observed(Some(&without(&after, rule.id()))),
            observed(Some(&before))
        );
        assert_ne!(
            observed(Some(&after)).fingerprint,
            observed(Some(&before)).fingerprint
        );

        let alone = with("", &LifecycleRule::ExpireVersions { days: 90, keep: 2 });
        assert!(
            alone.contains("<NewerNoncurrentVersions>2</NewerNoncurrentVersions>"),
            "{alone}"
        );
        assert!(rules(&without(&alone, "reeve-expire-versions")).is_empty());
        assert_eq!(observed(None), Lifecycle::none());

        let tiering = Tiering {
            days: 90,
            class: ColdClass::GlacierInstant,
            prefix: "a&b/".to_owned(),
        };
        let moved = with(&before, &LifecycleRule::TierObjects(tiering));
        let filter = "<And><Prefix>a&amp;b/</Prefix><ObjectSizeGreaterThan>131071</ObjectSizeGreaterThan></And>";
        assert!(
            moved.contains(filter) && moved.contains("<StorageClass>GLACIER_IR</StorageClass>"),
            "{moved}"
        );
        assert_eq!(without(&moved, LifecycleRule::TIER_ID), before);
    }
}
