//! Access logs are read on from where the last reading ended, and joined with the objects that are
//! there.

use jiff::{SignedDuration, Timestamp};
use reeve_estate::bucket::access::AccessState;
use reeve_estate::{BucketAccess, Observe as _, Resource};
use reeve_testkit::moto::Moto;

use crate::{by_id, connection, emulators, hasty, key, open};
use reeve_connect_aws::{AwsConnection, Tuning};

const REGION: &str = "us-east-1";

/// A line of a log, so many days ago.
fn line(days: i64, operation: &str, key: &str, bytes: u64) -> (Timestamp, String) {
    let at = Timestamp::now() - SignedDuration::from_hours(24 * days);
    let time = jiff::fmt::strtime::format(
        "%d/%b/%Y:%H:%M:%S +0000",
        &at.to_zoned(jiff::tz::TimeZone::UTC),
    )
    .unwrap();

    let text = format!(
        "owner images [{time}] 192.0.2.3 arn:aws:iam::1:user/ada 3E57427F3EXAMPLE {operation} {key} \
         \"GET /images/{key} HTTP/1.1\" 200 - {bytes} {bytes} 10 9 \"-\" \"curl/8 \"x\"\" - Y= SigV4 - AuthHeader h TLSv1.3 - - new\n"
    );
    (at, text)
}

/// Puts lines into a log object of the first line's day. moto logs each call as well, in a form
/// that is not S3's.
async fn log(moto: &Moto, lines: &[(Timestamp, String)]) {
    log_on(moto, &lines[0].0.to_string()[..10], lines).await;
}

async fn log_on(moto: &Moto, day: &str, lines: &[(Timestamp, String)]) {
    let name = format!("logs/images/{day}-00-00-00-ABCDEF");
    let text: String = lines.iter().map(|(_, text)| text.as_str()).collect();
    moto.object(REGION, &name, text.into_bytes()).await.unwrap();
}

async fn read(aws: &AwsConnection, bucket: &mut Resource) -> BucketAccess {
    let batch = aws.access(std::slice::from_ref(bucket)).await;
    assert!(
        batch.denied.is_empty() && batch.problems.is_empty(),
        "{batch:?}"
    );

    let access = batch.read.into_iter().next().unwrap().1;
    bucket.specification.access = Some(access.clone());
    access
}

#[tokio::test]
async fn logs_are_read_on_and_joined_with_the_objects() {
    let moto = Moto::aged(200).await.unwrap();
    for name in ["images", "logs", "bare"] {
        moto.bucket(REGION, name, &[]).await.unwrap();
    }

    moto.logged(REGION, "images", "logs", "images/")
        .await
        .unwrap();
    for key in ["photos/a", "photos/b", "top"] {
        moto.object(REGION, &format!("images/{key}"), vec![1; 256 * 1024])
            .await
            .unwrap();
    }

    moto.object(REGION, "images/photos/small", b"x".to_vec())
        .await
        .unwrap();
    log(&moto, &[line(70, "REST.GET.OBJECT", "photos/a", 5)]).await;
    log(
        &moto,
        &[
            line(40, "REST.GET.OBJECT", "photos/a", 262_144),
            line(40, "REST.PUT.OBJECT", "photos/b", 7),
        ],
    )
    .await;

    let other = line(39, "REST.GET.OBJECT", "photos/a", 9);
    log(
        &moto,
        &[
            (other.0, other.1.replace("owner images", "owner others")),
            (other.0, "no record\n".to_owned()),
        ],
    )
    .await;

    let opened = async |every: i64| {
        let tuning = Tuning {
            access_every: SignedDuration::from_secs(every),
            ..hasty(moto.endpoint())
        };
        AwsConnection::open_with(
            &connection(moto.endpoint(), &[REGION]),
            &emulators(),
            tuning,
        )
        .await
        .unwrap()
    };
    let aws = opened(0).await;
    let seen = aws.inventory().await.unwrap();
    let mut images = by_id(&seen, "images").clone();
    let access = read(&aws, &mut images).await;
    let photos = &access.prefixes["photos/"];

    assert_eq!(access.state, AccessState::Complete);
    assert_eq!(
        access.records, 2,
        "70 days ago is before the first reading: {access:?}"
    );
    assert!(access.malformed > 1, "ours, and those of moto");
    assert_eq!(
        photos.bands().map(|band| (band.objects, band.reads)),
        [(0, 0), (0, 0), (0, 0), (0, 1), (2, 0), (0, 0)]
    );
    assert_eq!(
        (photos.bands()[4].bytes, photos.bands()[3].read_bytes),
        (512 * 1024, 262_144),
        "160 days old when it was read"
    );

    assert_eq!(
        (photos.small_objects, access.prefixes[""].bands()[4].objects),
        (1, 1)
    );

    // Behind everything that moto has logged meanwhile.
    let more = [
        line(5, "REST.GET.OBJECT", "photos/b", 10),
        line(5, "REST.GET.OBJECT", "photos/gone", 10),
    ];
    log_on(&moto, "2099-01-01", &more).await;
    let access = read(&aws, &mut images).await;
    let bands = access.prefixes["photos/"].bands();
    assert_eq!(
        (access.records, bands[4].reads, bands[5].reads),
        (4, 1, 1),
        "read on, and nothing twice"
    );
    assert_eq!(bands[4].objects, 2, "what is stored is counted anew");
    assert!(
        (access.window_days() - 35.0).abs() < 0.1,
        "{}",
        access.window_days()
    );

    assert!(
        opened(3600).await.access(&[images]).await.read.is_empty(),
        "once a day is enough"
    );

    let bare = read(&aws, &mut by_id(&seen, "bare").clone()).await;
    assert_eq!(bare.state, AccessState::NotLogged);
}

#[tokio::test]
async fn denied_logs_are_said_by_their_permission() {
    let moto = Moto::start().await.unwrap();
    for name in ["images", "logs"] {
        moto.bucket(REGION, name, &[]).await.unwrap();
    }

    moto.logged(REGION, "images", "logs", "images/")
        .await
        .unwrap();
    let policy = r#"{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":["sts:*","ec2:*","rds:*","cloudwatch:*",
        "elasticloadbalancing:*","autoscaling:*","s3:ListAllMyBuckets","s3:GetBucketLocation","s3:GetBucketTagging",
        "s3:GetBucketLogging"],"Resource":"*"}]}"#;
    let (id, secret) = moto.user("reader", policy).await.unwrap();
    moto.enforce_keys().await.unwrap();
    let mut connection = connection(moto.endpoint(), &[REGION]);
    connection.credentials = key(&id, &secret);
    let aws = open(&connection).await;
    let seen = aws.inventory().await.unwrap();
    let batch = aws.access(&[by_id(&seen, "images").clone()]).await;
    assert!(batch.read.is_empty(), "what is known stays: {batch:?}");

    let denied: Vec<_> = batch
        .denied
        .iter()
        .map(|denied| denied.permission.as_str())
        .collect();
    assert_eq!(denied, ["s3:ListBucket"], "{batch:?}");
}
