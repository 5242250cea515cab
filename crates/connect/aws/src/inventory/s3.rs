//! S3: buckets of the connection's regions, with their tags and the sizes that S3 counts once a day
//! in CloudWatch (`contents`).

use std::collections::BTreeMap;

use aws_sdk_s3::Client;
use aws_sdk_s3::error::ProvideErrorMetadata;
use aws_sdk_s3::types::Bucket;
use futures::future::BoxFuture;
use futures::stream::{self, StreamExt};
use reeve_connect_aws_ec2::place::timestamp;
use reeve_connect_aws_ec2::{At, AwsEc2Fault, Cursor, Listing, Place, retries};
use reeve_estate::{Resource, ResourceKind};

use super::contents;
use crate::session::AwsConnection;

/// Buckets in a page.
const PAGE: i32 = 1000;

/// Every bucket that lies in one of the connection's regions.
pub(super) async fn buckets(connection: &AwsConnection, account: &str) -> Listing {
    let mut listing = Listing::new(ResourceKind::Bucket);
    let home = connection.place(
        account,
        connection
            .regions
            .first()
            .map_or("us-east-1", String::as_str),
    );
    let outcome = names(&client(connection, &home.region), &home).await;

    let found = match outcome {
        Ok(found) => found,
        Err(fault) => {
            listing.end(Err(fault));
            return listing;
        }
    };

    listing.complete = true;
    let mut work: Vec<BoxFuture<'_, (Option<Resource>, Vec<AwsEc2Fault>)>> = Vec::new();
    for bucket in &found {
        work.push(Box::pin(describe(connection, &home, bucket)));
    }

    let described: Vec<_> = stream::iter(work)
        .buffer_unordered(connection.tuning.parallel)
        .collect()
        .await;
    for (resource, faults) in described {
        // A bucket whose region cannot be told may be one of ours: then the listing is not
        // complete.
        listing.complete &= resource.is_some() || faults.is_empty();
        listing.resources.extend(resource);
        listing.faults.extend(faults);
    }

    // A bucket without a size is a bucket all the same: the listing stays complete.
    listing
        .faults
        .extend(contents::count(connection, account, &mut listing.resources).await);
    listing
}

pub(crate) fn client(connection: &AwsConnection, region: &str) -> Client {
    let config = aws_sdk_s3::config::Builder::from(&connection.config(region))
        // An overridden endpoint has no name for every bucket.
        .force_path_style(connection.endpoint.is_some())
        .retry_partition(retries(&connection.id.0, "s3"));
    Client::from_conf(config.build())
}

async fn names(client: &Client, home: &Place) -> Result<Vec<Bucket>, AwsEc2Fault> {
    let call = home.call("s3:ListAllMyBuckets");
    let mut cursor = Cursor::new();
    let mut found = Vec::new();

    loop {
        let page = client
            .list_buckets()
            .max_buckets(PAGE)
            .set_continuation_token(cursor.token())
            .send()
            .await
            .at(call)?;
        found.extend_from_slice(page.buckets());
        if !cursor.advance(call, page.continuation_token())? {
            return Ok(found);
        }
    }
}

/// Returns a bucket with its tags; `None` if it is outside the connection's regions or its region
/// is unknown.
async fn describe(
    connection: &AwsConnection,
    home: &Place,
    bucket: &Bucket,
) -> (Option<Resource>, Vec<AwsEc2Fault>) {
    let Some(name) = bucket.name() else {
        return (None, Vec::new());
    };

    let region = match bucket.bucket_region() {
        Some(region) => region.to_owned(),
        None => match location(&client(connection, &home.region), home, name).await {
            Ok(region) => region,
            Err(fault) => return (None, vec![fault]),
        },
    };

    if !connection.regions.contains(&region) {
        return (None, Vec::new());
    }

    let place = connection.place(&home.account, &region);
    let (tags, fault) = match tags(&client(connection, &region), &place, name).await {
        Ok(tags) => (tags, None),
        Err(fault) => (BTreeMap::new(), Some(fault)),
    };
    let mut resource = place.resource(ResourceKind::Bucket, "s3", name, tags);
    resource.name = name.to_owned();
    resource.created_at = bucket.creation_date().and_then(timestamp);

    (Some(resource), fault.into_iter().collect())
}

/// One bucket as it was known, with its present tags.
pub(crate) async fn bucket(
    connection: &AwsConnection,
    place: &Place,
    known: &Resource,
) -> Result<Resource, AwsEc2Fault> {
    let tags = tags(&client(connection, &place.region), place, known.id.as_str()).await?;
    let (name, created_at) = (known.name.clone(), known.created_at);
    let mut bucket = place.resource(ResourceKind::Bucket, "s3", known.id.as_str(), tags);

    // Counted once a day, so that what the sync read stays true.
    bucket
        .specification
        .contents
        .clone_from(&known.specification.contents);
    bucket
        .specification
        .access
        .clone_from(&known.specification.access);
    Ok(Resource {
        name,
        created_at,
        ..bucket
    })
}

/// The region by S3's old names: none is us-east-1, `EU` is eu-west-1.
async fn location(client: &Client, home: &Place, bucket: &str) -> Result<String, AwsEc2Fault> {
    let answer = client
        .get_bucket_location()
        .bucket(bucket)
        .send()
        .await
        .at(home.call("s3:GetBucketLocation"))?;
    Ok(
        match answer.location_constraint().map_or("", |l| l.as_str()) {
            "" => "us-east-1".to_owned(),
            "EU" => "eu-west-1".to_owned(),
            region => region.to_owned(),
        },
    )
}

async fn tags(
    client: &Client,
    place: &Place,
    bucket: &str,
) -> Result<BTreeMap<String, String>, AwsEc2Fault> {
    match client.get_bucket_tagging().bucket(bucket).send().await {
        Err(error) if error.code() == Some("NoSuchTagSet") => Ok(BTreeMap::new()),
        answer => {
            let answer = answer.at(place.call("s3:GetBucketTagging"))?;
            Ok(answer
                .tag_set()
                .iter()
                .map(|t| (t.key().to_owned(), t.value().to_owned()))
                .collect())
        }
    }
}
