//! Contract of every [`EstateStore`].

mod changes;
mod sums;

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::Result;
use jiff::Timestamp;
use reeve_estate::bucket::access::{AccessState, Amount};
use reeve_estate::{
    BucketAccess, BucketContents, Capacity, Connection, ConnectionCredentials, ConnectionId,
    ConnectionStatus, Denied, EstateStore, Money, Provider, PublicAddress, Purchase, Resource,
    ResourceFilter, ResourceId, ResourceKind, ResourceState, Specification, StoreError, SyncReport,
};

/// A connection with an access key.
///
/// # Errors
/// Never, as long as the times in it are times.
pub fn connection(id: &str, created_at_ms: i64) -> Result<Connection> {
    Ok(Connection {
        id: ConnectionId(id.into()),
        name: format!("name of {id}"),
        provider: Provider::Aws,
        account: "123456789012".into(),
        regions: vec!["eu-west-1".into(), "us-east-1".into()],
        credentials: ConnectionCredentials::AccessKey {
            access_key_id: "AKIDEXAMPLE".into(),
            secret_access_key: "a secret \u{1f511}".into(),
            session_token: None,
        },
        assume_role: None,
        external_id: None,
        endpoint: None,
        allow_actions: false,
        status: ConnectionStatus::New,
        last_sync: None,
        last_error: None,
        created_at: Timestamp::from_millisecond(created_at_ms)?,
    })
}

/// A machine that runs.
///
/// # Errors
/// Never, as long as the times in it are times.
pub fn resource(connection: &str, id: &str) -> Result<Resource> {
    Ok(Resource {
        id: ResourceId::new(id),
        connection: ConnectionId(connection.into()),
        provider: Provider::Aws,
        account: "123456789012".into(),
        region: "eu-west-1".into(),
        service: "ec2".into(),
        kind: ResourceKind::VirtualMachine,
        name: id.into(),
        state: ResourceState::Running,
        specification: Specification {
            instance_type: Some("m5.large".into()),
            ..Specification::default()
        },
        purchase: None,
        tags: BTreeMap::new(),
        group: None,
        attached_to: vec![],
        monthly_cost: None,
        created_at: None,
        observed_at: Timestamp::from_millisecond(1_700_000_000_000)?,
    })
}

/// A running resource of AWS in connection `c-1`; tests change the fields that they are about.
#[must_use]
pub fn running(id: &str, kind: ResourceKind, size: Option<&str>) -> Resource {
    let architecture = matches!(
        kind,
        ResourceKind::VirtualMachine | ResourceKind::ScalingGroup
    )
    .then(|| "x86_64".into());
    Resource {
        id: ResourceId::new(id),
        connection: ConnectionId("c-1".into()),
        provider: Provider::Aws,
        account: "111122223333".into(),
        region: "us-east-1".into(),
        service: "ec2".into(),
        kind,
        name: format!("{id}-name"),
        state: ResourceState::Running,
        specification: Specification {
            instance_type: size.map(str::to_owned),
            architecture,
            ..Specification::default()
        },
        purchase: None,
        tags: BTreeMap::new(),
        group: None,
        attached_to: Vec::new(),
        monthly_cost: None,
        created_at: None,
        observed_at: Timestamp::UNIX_EPOCH,
    }
}

fn is_missing<T>(result: Result<T, StoreError>, what: &str) -> bool {
    matches!(result, Err(StoreError::NotFound { what: found, .. }) if found == what)
}

fn is_conflict<T>(result: &Result<T, StoreError>) -> bool {
    matches!(result, Err(StoreError::Conflict(_)))
}

/// Runs the suite on an empty store.
///
/// # Errors
/// The store failed. A violated contract panics.
pub async fn run(store: Arc<dyn EstateStore>) -> Result<()> {
    connections(&*store).await?;
    resources_there_and_back(&*store).await?;
    inventories(&*store).await?;
    pages(&*store).await?;
    changes::run(&*store).await?;
    lists(&*store).await?;
    connections_go_with_their_inventory(&*store).await?;
    sums::run(&*store).await
}

async fn connections(store: &dyn EstateStore) -> Result<()> {
    assert!(
        store.connection_list().await?.is_empty(),
        "the suite needs an empty store"
    );

    let full = Connection {
        credentials: ConnectionCredentials::AccessKey {
            access_key_id: "ASIAEXAMPLE".into(),
            secret_access_key: "secret".into(),
            session_token: Some("token".into()),
        },
        assume_role: Some("arn:aws:iam::123456789012:role/reeve".into()),
        external_id: Some("x".into()),
        endpoint: Some("http://127.0.0.1:5000".into()),
        allow_actions: true,
        status: ConnectionStatus::Ready,
        last_sync: Some(SyncReport {
            started_at: "2026-11-20T10:00:00.123456789Z".parse()?,
            finished_at: "2026-11-20T10:00:05Z".parse()?,
            resources: 12,
            samples: u64::MAX,
            denied: vec![Denied {
                permission: "rds:DescribeDBInstances".into(),
                region: "eu-west-1".into(),
                message: "not authorised".into(),
            }],
            problems: vec!["timed out".into()],
        }),
        last_error: Some("yesterday's".into()),
        ..connection("c-2", 2_000)?
    };
    store.connection_insert(&full).await?;

    store.connection_insert(&connection("c-1", 1_000)?).await?;
    for credentials in [
        ConnectionCredentials::Ambient,
        ConnectionCredentials::Simulated,
    ] {
        let other = Connection {
            credentials,
            ..connection("c-3", 3_000)?
        };
        store.connection_insert(&other).await?;
        assert!(store.connection_get(&other.id).await? == other);
        store.connection_delete(&other.id).await?;
    }

    assert!(
        store.connection_get(&full.id).await? == full,
        "everything comes back, credentials too"
    );
    assert!(
        store.connection_list().await? == [connection("c-1", 1_000)?, full.clone()],
        "oldest first"
    );
    assert!(is_conflict(&store.connection_insert(&full).await));

    let changed = Connection {
        name: "renamed".into(),
        status: ConnectionStatus::Disabled,
        last_error: None,
        ..full
    };
    store.connection_update(&changed).await?;

    assert!(store.connection_get(&changed.id).await? == changed);
    assert!(is_missing(
        store.connection_update(&connection("c-none", 1)?).await,
        "connection"
    ));
    assert!(is_missing(
        store.connection_get(&ConnectionId("c-none".into())).await,
        "connection"
    ));
    assert!(is_missing(
        store
            .connection_delete(&ConnectionId("c-none".into()))
            .await,
        "connection"
    ));

    Ok(())
}

fn used_bucket() -> Result<BucketAccess> {
    let at: Timestamp = "2026-11-22T03:04:05Z".parse()?;
    let mut access = BucketAccess::empty(at, AccessState::Behind);
    access.of_key("logs/a").stored[5] = Amount {
        count: 1,
        bytes: u64::MAX,
    };
    access
        .of_key("logs/a")
        .read(365, at, Amount { count: 3, bytes: 4 });
    access
        .of_key("top")
        .read(60, at, Amount { count: 5, bytes: 6 });
    access.others.small_objects = 7;
    access.observe(at);
    (access.cursor, access.records, access.malformed) = ("logs/2026".to_owned(), 8, 1);

    Ok(access)
}

async fn resources_there_and_back(store: &dyn EstateStore) -> Result<()> {
    let full = Resource {
        specification: Specification {
            instance_type: Some("db.r6g.xlarge".into()),
            platform: Some("postgres".into()),
            architecture: Some("arm64".into()),
            storage_gib: Some(0.1 + 0.2),
            storage_type: Some("gp3".into()),
            iops: Some(12_000),
            throughput_mibps: Some(500),
            multi_az: Some(true),
            tenancy: Some("dedicated".into()),
            zone: Some("us-east-1a".into()),
            standby_zone: Some("us-east-1b".into()),
            replicas: vec!["orders-2".into()],
            capacity: Some(Capacity {
                min: 1,
                desired: 2,
                max: 4,
            }),
            security_groups: vec!["sg-1".into(), "sg-2".into()],
            isolated: true,
            public_address: PublicAddress::Kept,
            local_disks: Some(true),
            cluster: Some("orders-cluster".into()),
            contents: Some(BucketContents {
                measured_at: "2026-11-22T00:00:00Z".parse()?,
                objects: Some(u64::from(u32::MAX)),
                gib: BTreeMap::from([("StandardStorage".into(), 0.1 + 0.2)]),
            }),
            access: Some(used_bucket()?),
            lifecycle: None,
            template: None,
            document: None,
            group_use: None,
            successor: None,
            database: None,
        },
        kind: ResourceKind::Database,
        purchase: Some(Purchase::Reserved),
        tags: BTreeMap::from([
            ("Name".into(), "nul \0 and \u{1f980}".into()),
            (String::new(), String::new()),
        ]),
        group: Some(ResourceId::new("asg-1")),
        attached_to: vec![ResourceId::new("i-1"), ResourceId::new("i-2")],
        monthly_cost: Some(Money::from_micros(-1)),
        created_at: Some("1999-12-31T23:59:59.999999999Z".parse()?),
        ..resource("c-1", "db-full")?
    };
    store.resource_put(&full).await?;

    assert_eq!(store.resource_get(&full.id).await?, full);

    let stopped = Resource {
        state: ResourceState::Stopped,
        monthly_cost: None,
        ..full
    };
    store.resource_put(&stopped).await?;
    assert_eq!(
        store.resource_get(&stopped.id).await?,
        stopped,
        "written over"
    );

    assert!(is_missing(
        store.resource_get(&ResourceId::new("i-none")).await,
        "resource"
    ));
    assert!(is_missing(
        store.resource_put(&resource("c-none", "i-1")?).await,
        "connection"
    ));
    Ok(())
}

async fn inventories(store: &dyn EstateStore) -> Result<()> {
    let machines = [ResourceKind::VirtualMachine];
    let first = ConnectionId("c-1".into());
    let ids = async |connection: &ConnectionId| -> Result<Vec<String>> {
        let filter = ResourceFilter {
            connection: Some(connection.clone()),
            ..ResourceFilter::default()
        };
        Ok(store
            .resource_list(&filter)
            .await?
            .0
            .into_iter()
            .map(|resource| resource.id.0)
            .collect())
    };

    let volume = Resource {
        kind: ResourceKind::Volume,
        ..resource("c-1", "vol-1")?
    };
    store
        .resource_sync(
            &first,
            &[resource("c-1", "i-1")?, resource("c-1", "i-2")?, volume],
            &machines,
        )
        .await?;

    assert_eq!(ids(&first).await?, ["db-full", "i-1", "i-2", "vol-1"]);

    store
        .resource_sync(
            &first,
            &[resource("c-1", "i-2")?, resource("c-1", "i-3")?],
            &machines,
        )
        .await?;

    assert_eq!(
        ids(&first).await?,
        ["db-full", "i-2", "i-3", "vol-1"],
        "gone of a complete kind, and of no other"
    );

    assert_eq!(
        store.resource_get(&ResourceId::new("i-1")).await?.state,
        ResourceState::Deleted,
        "kept for the record"
    );
    store.resource_sync(&first, &[], &[]).await?;
    assert_eq!(
        ids(&first).await?,
        ["db-full", "i-2", "i-3", "vol-1"],
        "a partial inventory removes nothing"
    );

    store
        .resource_sync(&first, &[resource("c-1", "i-1")?], &[])
        .await?;
    assert_eq!(
        ids(&first).await?,
        ["db-full", "i-1", "i-2", "i-3", "vol-1"],
        "what comes back is back"
    );

    let second = ConnectionId("c-2".into());
    store.resource_sync(&second, &[], &machines).await?;
    assert_eq!(
        ids(&first).await?.len(),
        5,
        "connections do not touch each other"
    );

    let newer = Resource {
        observed_at: "2026-11-20T00:00:00Z".parse()?,
        ..resource("c-2", "i-2")?
    };
    store
        .resource_sync(&second, std::slice::from_ref(&newer), &machines)
        .await?;
    assert_eq!(
        store.resource_get(&newer.id).await?,
        newer,
        "of two connections the newest view"
    );

    let stray = [resource("c-1", "i-8")?, resource("c-2", "i-9")?];
    assert!(is_conflict(
        &store.resource_sync(&first, &stray, &machines).await
    ));
    assert_eq!(
        ids(&first).await?.len(),
        5,
        "a refused inventory changes nothing"
    );

    assert!(is_missing(
        store
            .resource_sync(&ConnectionId("c-none".into()), &[], &[])
            .await,
        "connection"
    ));

    Ok(())
}

/// An inventory that is taken over page by page ends what it has not seen with its end.
async fn pages(store: &dyn EstateStore) -> Result<()> {
    let made = connection("c-page", 8_000)?;
    store.connection_insert(&made).await?;
    let id = made.id.clone();
    let filter = ResourceFilter {
        connection: Some(id.clone()),
        ..ResourceFilter::default()
    };
    let ids = async || -> Result<Vec<String>> {
        Ok(store
            .resource_list(&filter)
            .await?
            .0
            .into_iter()
            .map(|resource| resource.id.0)
            .collect())
    };

    let seen_at = |resource: Resource, at: &str| -> Result<Resource> {
        Ok(Resource {
            observed_at: at.parse()?,
            ..resource
        })
    };

    let volume = Resource {
        kind: ResourceKind::Volume,
        ..resource("c-page", "p-vol")?
    };
    for page in [
        vec![resource("c-page", "p-1")?, resource("c-page", "p-2")?],
        vec![volume, resource("c-page", "p-3")?],
    ] {
        store.resource_sync(&id, &page, &[]).await?;
    }

    assert_eq!(ids().await?, ["p-1", "p-2", "p-3", "p-vol"]);

    let again = seen_at(resource("c-page", "p-1")?, "2026-12-01T00:00:00Z")?;
    store
        .resource_sync(&id, std::slice::from_ref(&again), &[])
        .await?;
    assert_eq!(ids().await?.len(), 4, "a page ends nothing");

    let is_seen = |kind: ResourceKind, id: &ResourceId| {
        kind == ResourceKind::VirtualMachine && id.as_str() != "p-2"
    };

    let span = (
        "2026-12-01T00:00:00Z".parse()?,
        "2026-12-01T00:05:00Z".parse()?,
    );
    store
        .resource_end(&id, &[ResourceKind::VirtualMachine], &is_seen, span)
        .await?;
    assert_eq!(
        ids().await?,
        ["p-1", "p-3", "p-vol"],
        "gone of a complete kind, and of no other"
    );

    assert_eq!(
        store
            .resource_get(&ResourceId::new("p-3"))
            .await?
            .observed_at,
        span.0,
        "seen, though not written again"
    );

    assert!(is_missing(
        store
            .resource_end(&ConnectionId("c-none".into()), &[], &is_seen, span)
            .await,
        "connection"
    ));

    store.connection_delete(&id).await.map_err(Into::into)
}

async fn lists(store: &dyn EstateStore) -> Result<()> {
    let third = Connection {
        provider: Provider::Gcp,
        account: "project-1".into(),
        ..connection("c-3", 9_000)?
    };
    store.connection_insert(&third).await?;
    let machine = |id: &str, name: &str, tag: &str| -> Result<Resource> {
        Ok(Resource {
            provider: Provider::Gcp,
            account: "project-1".into(),
            service: "compute".into(),
            name: name.into(),
            tags: BTreeMap::from([("Team".into(), tag.into())]),
            ..resource("c-3", id)?
        })
    };

    let bucket = Resource {
        kind: ResourceKind::Bucket,
        service: "s3".into(),
        ..machine("B-0", "100%_x", "")?
    };
    // The tag repeats the member of the document that the filter reads.
    let quoted = machine("b-1", "Élan", "Search")?;
    let tags = BTreeMap::from([
        ("Team".to_owned(), "Search".to_owned()),
        ("t".to_owned(), "\"attached_to\":[\"a-1\"]".to_owned()),
    ]);
    let attached = Resource {
        attached_to: vec![ResourceId::new("a-9"), ResourceId::new("a-1")],
        ..machine("b-2", "x", "a!b")?
    };
    let seen = [
        machine("a-1", "Web", "payments")?,
        Resource { tags, ..quoted },
        attached,
        bucket,
    ];
    store.resource_sync(&third.id, &seen, &[]).await?;

    let only = ResourceFilter {
        connection: Some(third.id.clone()),
        ..ResourceFilter::default()
    };

    let cases: &[(ResourceFilter, &[&str], u64)] = &[
        (only.clone(), &["B-0", "a-1", "b-1", "b-2"], 4),
        (
            ResourceFilter {
                limit: 2,
                ..only.clone()
            },
            &["B-0", "a-1"],
            4,
        ),
        (
            ResourceFilter {
                limit: 2,
                offset: 3,
                ..only.clone()
            },
            &["b-2"],
            4,
        ),
        (
            ResourceFilter {
                offset: 9,
                ..only.clone()
            },
            &[],
            4,
        ),
        (
            ResourceFilter {
                limit: u64::MAX,
                offset: u64::MAX,
                ..only.clone()
            },
            &[],
            4,
        ),
        (
            ResourceFilter {
                provider: Some(Provider::Gcp),
                ..ResourceFilter::default()
            },
            &["B-0", "a-1", "b-1", "b-2"],
            4,
        ),
        (
            ResourceFilter {
                provider: Some(Provider::Azure),
                ..ResourceFilter::default()
            },
            &[],
            0,
        ),
        (
            ResourceFilter {
                account: Some("project-1".into()),
                limit: 1,
                ..ResourceFilter::default()
            },
            &["B-0"],
            4,
        ),
        (
            ResourceFilter {
                account: Some("name of c-3".into()),
                limit: 1,
                ..ResourceFilter::default()
            },
            &["B-0"],
            4,
        ),
        (
            ResourceFilter {
                kind: Some(ResourceKind::Bucket),
                ..only.clone()
            },
            &["B-0"],
            1,
        ),
        (
            ResourceFilter {
                service: Some("compute".into()),
                ..only.clone()
            },
            &["a-1", "b-1", "b-2"],
            3,
        ),
        (
            ResourceFilter {
                attached_to: Some(ResourceId::new("a-1")),
                ..only.clone()
            },
            &["b-2"],
            1,
        ),
        (
            ResourceFilter {
                attached_to: Some(ResourceId::new("a_9")),
                ..only.clone()
            },
            &[],
            0,
        ),
        (
            ResourceFilter {
                text: Some("WEB".into()),
                ..only.clone()
            },
            &["a-1"],
            1,
        ),
        (
            ResourceFilter {
                text: Some("éLAN".into()),
                ..only.clone()
            },
            &["b-1"],
            1,
        ),
        (
            ResourceFilter {
                text: Some("B-".into()),
                ..only.clone()
            },
            &["B-0", "b-1", "b-2"],
            3,
        ),
        (
            ResourceFilter {
                text: Some("search".into()),
                ..only.clone()
            },
            &["b-1"],
            1,
        ),
        (
            ResourceFilter {
                text: Some("100%_".into()),
                ..only.clone()
            },
            &["B-0"],
            1,
        ),
        (
            ResourceFilter {
                text: Some("a!b".into()),
                ..only.clone()
            },
            &["b-2"],
            1,
        ),
        (
            ResourceFilter {
                text: Some("%".into()),
                ..only.clone()
            },
            &["B-0"],
            1,
        ),
        (
            ResourceFilter {
                text: Some("team".into()),
                ..only.clone()
            },
            &[],
            0,
        ),
        (
            ResourceFilter {
                text: Some("' OR 1=1 --".into()),
                ..only
            },
            &[],
            0,
        ),
    ];

    for (filter, expected, total) in cases {
        let (found, found_total) = store.resource_list(filter).await?;
        let ids: Vec<_> = found.iter().map(|resource| resource.id.as_str()).collect();
        assert_eq!(
            (ids.as_slice(), found_total),
            (*expected, *total),
            "{filter:?}"
        );
    }

    Ok(())
}

async fn connections_go_with_their_inventory(store: &dyn EstateStore) -> Result<()> {
    let third = ConnectionId("c-3".into());
    store.connection_delete(&third).await?;
    let filter = ResourceFilter {
        connection: Some(third.clone()),
        ..ResourceFilter::default()
    };
    assert_eq!(store.resource_list(&filter).await?, (vec![], 0));
    assert!(is_missing(
        store.resource_get(&ResourceId::new("a-1")).await,
        "resource"
    ));
    assert_eq!(
        store
            .resource_get(&ResourceId::new("i-1"))
            .await?
            .connection,
        ConnectionId("c-1".into())
    );

    Ok(())
}
