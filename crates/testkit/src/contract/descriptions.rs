//! Contract of every [`DescriptionStore`].

use anyhow::Result;
use jiff::Timestamp;
use reeve_estate::{
    ConnectionId, Described, DescriptionChange, DescriptionReading, DescriptionStore, Document,
    EstateStore, KnownDescription, ReadOutcome, Relation, RelationKind, Resource, ResourceId,
    ResourceKind, ResourceState, StoreError,
};
use serde_json::{Value, json};

use super::estate::{connection, resource};

fn at(minute: i64) -> Result<Timestamp> {
    Ok(Timestamp::from_second(1_800_000_000 + minute * 60)?)
}

fn group(id: &str, description: Value, relations: &[(RelationKind, &str)]) -> Result<Described> {
    let mut relations: Vec<Relation> = relations
        .iter()
        .map(|(kind, to)| Relation::to(*kind, *to))
        .collect();
    relations.sort();
    Ok(Described {
        resource: Resource {
            kind: ResourceKind::SecurityGroup,
            ..resource("d-1", id)?
        },
        document: Document::new(description),
        relations,
    })
}

async fn known(store: &impl DescriptionStore, id: &str) -> Result<Option<KnownDescription>> {
    Ok(store
        .description_known(&ConnectionId("d-1".into()), &[ResourceId::new(id)])
        .await?
        .pop())
}

/// Runs the suite on an empty store.
///
/// # Errors
/// The store's error; a broken promise panics.
pub async fn run(store: &(impl DescriptionStore + EstateStore)) -> Result<()> {
    store.connection_insert(&connection("d-1", 1_000)?).await?;
    versions(store).await?;
    relations(store).await?;
    gone(store).await?;
    kinds_of_the_inventory(store).await?;
    later_kinds(store).await?;
    readings(store).await?;
    retired(store).await?;
    expiry(store).await?;
    changes(store).await
}

async fn versions(store: &impl DescriptionStore) -> Result<()> {
    let here = ConnectionId("d-1".into());
    let id = ResourceId::new("sg-1");
    let first = group("sg-1", json!({ "open": [22], "UserData": "secret" }), &[])?;
    let second = group("sg-1", json!({ "open": [22, 443] }), &[])?;
    assert_eq!(store.document_at(&here, &id, at(9)?).await?, None);
    store
        .description_put(&here, std::slice::from_ref(&first), at(10)?)
        .await?;
    store
        .description_put(&here, std::slice::from_ref(&first), at(11)?)
        .await?;
    assert_eq!(
        store.versions(&here, &id).await?.len(),
        1,
        "an equal document is no new version"
    );

    store
        .description_put(&here, std::slice::from_ref(&second), at(20)?)
        .await?;
    store
        .description_put(&here, std::slice::from_ref(&first), at(30)?)
        .await?;

    let found = store.versions(&here, &id).await?;
    let spans: Vec<_> = found
        .iter()
        .map(|version| (version.hash.clone(), version.seen_at, version.until))
        .collect();
    let (one, other) = (Some(first.document.hash()), Some(second.document.hash()));
    let expected = [
        (one.clone(), at(30)?, None),
        (other, at(20)?, Some(at(30)?)),
        (one, at(10)?, Some(at(20)?)),
    ];
    assert_eq!(spans, expected, "newest first");

    for (minute, document) in [
        (10, &first),
        (19, &first),
        (20, &second),
        (29, &second),
        (30, &first),
        (999, &first),
    ] {
        let (version, found) = store
            .document_at(&here, &id, at(minute)?)
            .await?
            .unwrap_or_else(|| panic!("{minute}"));
        assert_eq!(
            (&found, version.hash),
            (&document.document, Some(found.hash())),
            "{minute}"
        );
    }

    assert_eq!(
        store.document_at(&here, &id, at(9)?).await?,
        None,
        "not before it was seen"
    );

    let stored = known(store, "sg-1")
        .await?
        .unwrap_or_else(|| panic!("it is known"));
    assert_eq!(
        (stored.hash, stored.seen_at),
        (Some(first.document.hash()), Some(at(30)?))
    );

    let mut documents = store
        .documents(&[
            first.document.hash(),
            "not stored".into(),
            second.document.hash(),
        ])
        .await?;
    documents.sort_by_key(Document::hash);

    let mut expected = vec![first.document.clone(), second.document.clone()];
    expected.sort_by_key(Document::hash);
    assert_eq!(documents, expected);
    assert_eq!(stored.resource, Some(first.resource));

    let stray = Described {
        resource: resource("d-9", "sg-1")?,
        ..second.clone()
    };
    assert!(matches!(
        store.description_put(&here, &[stray], at(31)?).await,
        Err(StoreError::Conflict(_))
    ));

    let missing = ConnectionId("d-9".into());
    let stray = Described {
        resource: Resource {
            connection: missing.clone(),
            ..second.resource
        },
        ..second
    };

    assert!(matches!(
        store.description_put(&missing, &[stray], at(31)?).await,
        Err(StoreError::NotFound { .. })
    ));
    Ok(())
}

async fn relations(store: &impl DescriptionStore) -> Result<()> {
    let here = ConnectionId("d-1".into());
    let id = ResourceId::new("sg-2");
    let located = (RelationKind::LocatedIn, "vpc-1");
    let both = group(
        "sg-2",
        json!({}),
        &[located, (RelationKind::RoutesTo, "sg-1"), located],
    )?;
    let network = group("vpc-1", json!({}), &[])?;
    store
        .description_put(&here, &[both.clone(), network], at(40)?)
        .await?;
    assert_eq!(
        known(store, "sg-2")
            .await?
            .map(|known| known.relations.len()),
        Some(2),
        "none twice"
    );

    let (found, total) = store.neighbours(&here, &id, 10).await?;
    let words = |found: &[reeve_estate::Neighbour]| -> Vec<(String, bool, String, bool)> {
        let one = |n: &reeve_estate::Neighbour| {
            (
                n.kind.to_string(),
                n.is_incoming,
                n.id.0.clone(),
                n.resource.is_some(),
            )
        };
        found.iter().map(one).collect()
    };

    let out = |kind: &str, id: &str| (kind.to_owned(), false, id.to_owned(), true);
    assert_eq!(
        (words(&found), total),
        (
            vec![out("located_in", "vpc-1"), out("routes_to", "sg-1")],
            2
        )
    );

    let (found, _) = store
        .neighbours(&here, &ResourceId::new("vpc-1"), 10)
        .await?;
    assert_eq!(
        words(&found),
        [("located_in".to_owned(), true, "sg-2".to_owned(), true)]
    );
    assert_eq!(store.neighbours(&here, &id, 1).await?.0.len(), 1);

    // A machine names its instance profile, and so does its role: they are neighbours all the same.
    let machine = group(
        "sg-2",
        json!({}),
        &[(RelationKind::MayAssume, "profile/web")],
    )?;

    let role = group(
        "vpc-1",
        json!({}),
        &[(RelationKind::AttachedTo, "profile/web")],
    )?;

    store
        .description_put(&here, &[machine, role], at(41)?)
        .await?;
    let (found, _) = store.neighbours(&here, &id, 10).await?;
    let profile = |kind: &str| (kind.to_owned(), false, "profile/web".to_owned(), false);
    assert_eq!(
        words(&found),
        [profile("may_assume"), out("may_assume", "vpc-1")]
    );

    let (found, _) = store
        .neighbours(&here, &ResourceId::new("vpc-1"), 10)
        .await?;
    let assumed = ("may_assume".to_owned(), true, "sg-2".to_owned(), true);
    assert_eq!(words(&found), [profile("attached_to"), assumed]);

    let none = Described {
        relations: Vec::new(),
        ..both
    };
    let network = group("vpc-1", json!({}), &[])?;
    store
        .description_put(&here, &[none, network], at(42)?)
        .await?;
    assert_eq!(
        store.neighbours(&here, &id, 10).await?.1,
        0,
        "relations are those of the newest description"
    );

    Ok(())
}

async fn gone(store: &(impl DescriptionStore + EstateStore)) -> Result<()> {
    let here = ConnectionId("d-1".into());
    let id = ResourceId::new("sg-3");
    let third = group(
        "sg-3",
        json!({ "a": 1 }),
        &[(RelationKind::LocatedIn, "vpc-1")],
    )?;

    store
        .description_put(&here, std::slice::from_ref(&third), at(50)?)
        .await?;
    let all = store
        .description_ids(&here, ResourceKind::SecurityGroup, "", None)
        .await?;
    assert_eq!(
        all.iter().map(ResourceId::as_str).collect::<Vec<_>>(),
        ["sg-1", "sg-2", "sg-3", "vpc-1"]
    );

    let after = store
        .description_ids(
            &here,
            ResourceKind::SecurityGroup,
            "eu-west-1",
            Some(&all[1]),
        )
        .await?;
    assert_eq!(after, all[2..]);

    assert_eq!(
        store
            .description_ids(&here, ResourceKind::SecurityGroup, "us-east-1", None)
            .await?,
        []
    );

    store
        .description_remove(&here, std::slice::from_ref(&id), at(60)?)
        .await?;
    assert_eq!(
        store.resource_get(&id).await?.state,
        ResourceState::Deleted,
        "kept for the record"
    );

    assert_eq!(
        store
            .description_ids(&here, ResourceKind::SecurityGroup, "", None)
            .await?
            .len(),
        3
    );

    assert_eq!(known(store, "sg-3").await?, None);
    assert_eq!(store.document_at(&here, &id, at(61)?).await?, None, "gone");
    assert!(
        store.document_at(&here, &id, at(59)?).await?.is_some(),
        "as it was before"
    );
    assert_eq!(store.versions(&here, &id).await?[0].hash, None);
    assert_eq!(store.neighbours(&here, &id, 9).await?.1, 0);
    store.description_put(&here, &[third], at(70)?).await?;
    assert_eq!(
        store.versions(&here, &id).await?.len(),
        3,
        "what comes back is back"
    );

    Ok(())
}

/// The inventory writes the resource of its kinds; descriptions add to it, and end with it.
async fn kinds_of_the_inventory(store: &(impl DescriptionStore + EstateStore)) -> Result<()> {
    let here = ConnectionId("d-1".into());
    let machine = resource("d-1", "i-1")?;
    let described = Described {
        resource: Resource {
            name: "not this".into(),
            ..machine.clone()
        },
        document: Document::new(json!({ "InstanceId": "i-1" })),
        relations: Vec::new(),
    };

    store
        .resource_sync(
            &here,
            std::slice::from_ref(&machine),
            &[ResourceKind::VirtualMachine],
        )
        .await?;

    store.description_put(&here, &[described], at(80)?).await?;
    assert_eq!(
        store.resource_get(&machine.id).await?,
        machine,
        "the inventory knows it better"
    );

    let other = Resource {
        observed_at: at(90)?,
        ..resource("d-1", "i-2")?
    };
    store
        .resource_sync(&here, &[other], &[ResourceKind::VirtualMachine])
        .await?;
    assert_eq!(
        store.document_at(&here, &machine.id, at(91)?).await?,
        None,
        "gone with the machine"
    );

    assert!(
        store
            .document_at(&here, &machine.id, at(89)?)
            .await?
            .is_some()
    );

    Ok(())
}

/// A kind that this program does not know is read, listed and kept without loss.
async fn later_kinds(store: &(impl DescriptionStore + EstateStore)) -> Result<()> {
    let kind = ResourceKind::named("kind_of_a_later_version").unwrap_or(ResourceKind::Bucket);
    let later = Resource {
        kind,
        ..resource("d-1", "later-1")?
    };
    store.resource_put(&later).await?;
    let read = store.resource_get(&later.id).await?;
    assert_eq!(
        (read.kind.as_str(), &read),
        ("kind_of_a_later_version", &later)
    );

    Ok(())
}

async fn readings(store: &impl DescriptionStore) -> Result<()> {
    let here = ConnectionId("d-1".into());
    let complete = DescriptionReading {
        kind: ResourceKind::SecurityGroup,
        region: "eu-west-1".into(),
        outcome: ReadOutcome::Complete,
        permission: "ec2:DescribeSecurityGroups".into(),
        seen: 3,
        message: String::new(),
        begun_at: at(10)?,
        read_at: at(10)?,
        complete_at: Some(at(10)?),
    };
    store.reading_put(&here, &complete).await?;

    assert_eq!(
        store.readings(&here).await?,
        std::slice::from_ref(&complete)
    );

    let denied = DescriptionReading {
        outcome: ReadOutcome::Denied,
        message: "not \0 allowed".into(),
        begun_at: at(20)?,
        read_at: at(20)?,
        complete_at: None,
        ..complete.clone()
    };
    store.reading_put(&here, &denied).await?;

    let found = store.readings(&here).await?;
    let expected = DescriptionReading {
        message: "not  allowed".into(),
        complete_at: Some(at(10)?),
        ..denied
    };
    assert_eq!(found, [expected], "the last complete reading is remembered");

    Ok(())
}

/// Resources no longer read leave the inventory, kind by kind and region by region; their history
/// stays.
async fn retired(store: &(impl DescriptionStore + EstateStore)) -> Result<()> {
    let here = ConnectionId("d-2".into());
    store.connection_insert(&connection("d-2", 2_000)?).await?;
    let described = |id: &str, region: &str, kind: ResourceKind| -> Result<Described> {
        let resource = Resource {
            kind,
            region: region.into(),
            ..resource("d-2", id)?
        };
        Ok(Described {
            resource,
            document: Document::new(json!({ "id": id })),
            relations: Vec::new(),
        })
    };

    let image = ResourceKind::parse("image").unwrap_or(ResourceKind::SecurityGroup);
    let group = ResourceKind::SecurityGroup;
    let all = [
        ("sg-8", "eu-west-1", group),
        ("sg-9", "us-east-1", group),
        ("ami-1", "us-east-1", image),
    ];

    for (id, region, kind) in all {
        store
            .description_put(&here, &[described(id, region, kind)?], at(10)?)
            .await?;
        let reading = DescriptionReading {
            kind,
            region: region.into(),
            outcome: ReadOutcome::Complete,
            permission: "ec2:Describe".into(),
            seen: 1,
            message: String::new(),
            begun_at: at(19)?,
            read_at: at(20)?,
            complete_at: Some(at(20)?),
        };
        store.reading_put(&here, &reading).await?;
    }

    assert_eq!(
        store
            .resource_get(&ResourceId::new("sg-9"))
            .await?
            .observed_at,
        at(19)?,
        "when its reading began"
    );

    assert_eq!(
        store
            .description_retire(&here, Some((group, "us-east-1")), at(30)?)
            .await?,
        1
    );

    assert_eq!(
        store.resource_get(&ResourceId::new("sg-9")).await?.state,
        ResourceState::Deleted
    );
    assert_eq!(
        store
            .document_at(&here, &ResourceId::new("sg-9"), at(31)?)
            .await?,
        None
    );

    assert!(
        store
            .document_at(&here, &ResourceId::new("sg-9"), at(29)?)
            .await?
            .is_some(),
        "its history stays"
    );

    let left: Vec<_> = store
        .readings(&here)
        .await?
        .into_iter()
        .map(|one| (one.kind, one.region))
        .collect();

    assert_eq!(
        left,
        [
            (image, "us-east-1".to_owned()),
            (group, "eu-west-1".to_owned())
        ]
    );

    assert_eq!(
        store.description_retire(&here, None, at(40)?).await?,
        2,
        "a connection that is switched off"
    );
    assert_eq!(store.readings(&here).await?, []);
    assert_eq!(store.description_retire(&here, None, at(50)?).await?, 0);
    store.connection_delete(&here).await?;

    Ok(())
}

/// Changed descriptions are found by their revision, each once, and so are the resources that a
/// relation no longer points at.
async fn changes(store: &(impl DescriptionStore + EstateStore)) -> Result<()> {
    let here = ConnectionId("d-3".into());
    store.connection_insert(&connection("d-3", 3_000)?).await?;
    assert_eq!(store.description_revision(&here).await?, 0);

    let located = |id: &str, content: i64, network: &str| -> Result<Described> {
        let one = group(
            id,
            json!({ "a": content }),
            &[(RelationKind::LocatedIn, network)],
        )?;
        Ok(Described {
            resource: Resource {
                connection: here.clone(),
                ..one.resource
            },
            ..one
        })
    };
    let put = async |described: &[Described]| -> Result<u64> {
        store.description_put(&here, described, at(10)?).await?;
        Ok(store.description_revision(&here).await?)
    };
    let since = async |revision: u64| -> Result<Vec<String>> {
        let found = store.changed_since(&here, revision, None, 100).await?;
        Ok(found.into_iter().map(|change| change.id.0).collect())
    };

    let both = [located("sg-a", 1, "vpc-a")?, located("sg-b", 1, "vpc-a")?];
    let first = put(&both).await?;
    assert_eq!(since(0).await?, ["sg-a", "sg-b"]);
    assert_eq!(since(first).await?, Vec::<String>::new());
    assert_eq!(
        put(&both).await?,
        first,
        "an equal description is no change"
    );

    // The time of the observation does not matter: what is written later is later.
    let second = put(&[located("sg-a", 2, "vpc-a")?]).await?;
    assert!(second > first);
    assert_eq!(since(first).await?, ["sg-a"]);
    assert_eq!(since(0).await?, ["sg-b", "sg-a"], "by their last change");

    let third = put(&[located("sg-b", 1, "vpc-b")?]).await?;
    assert_eq!(
        since(second).await?,
        ["sg-b", "vpc-a"],
        "nothing leads to the network that it left"
    );

    let page =
        async |after: Option<&DescriptionChange>| store.changed_since(&here, first, after, 1).await;
    let mut pages = page(None).await?;
    while let Some(next) = page(pages.last()).await?.pop() {
        pages.push(next);
    }
    let pages: Vec<(&str, u64)> = pages
        .iter()
        .map(|change| (change.id.as_str(), change.revision))
        .collect();
    assert_eq!(pages, [("sg-a", second), ("sg-b", third), ("vpc-a", third)]);

    let targets = ["vpc-a", "vpc-b", "vpc-c"].map(ResourceId::new);
    let found = store.relations_to(&here, &targets).await?;
    let found: Vec<(&str, &str)> = found
        .iter()
        .map(|one| (one.source.as_str(), one.relation.target.as_str()))
        .collect();
    assert_eq!(found, [("sg-a", "vpc-a"), ("sg-b", "vpc-b")]);

    store
        .description_remove(&here, &[ResourceId::new("sg-a")], at(20)?)
        .await?;
    assert_eq!(
        since(third).await?,
        ["sg-a", "vpc-a"],
        "it is gone, and points at nothing"
    );

    // What has no version any more is forgotten, and its revision is not given again.
    let fourth = store.description_revision(&here).await?;
    store.versions_expire(at(21)?).await?;
    assert_eq!(since(0).await?, ["sg-b"]);
    assert_eq!(store.description_revision(&here).await?, fourth);
    store.connection_delete(&here).await?;
    assert_eq!(store.description_revision(&here).await?, 0);

    Ok(())
}

async fn expiry(store: &(impl DescriptionStore + EstateStore)) -> Result<()> {
    let here = ConnectionId("d-1".into());
    let id = ResourceId::new("sg-1");
    assert_eq!(store.versions(&here, &id).await?.len(), 3);

    let removed = store.versions_expire(at(25)?).await?;
    assert_eq!(
        (removed, store.versions(&here, &id).await?.len()),
        (1, 2),
        "what had ended before"
    );

    assert!(
        store.document_at(&here, &id, at(25)?).await?.is_some(),
        "what it was then is still known"
    );
    assert_eq!(store.document_at(&here, &id, at(15)?).await?, None);
    store.connection_delete(&here).await?;
    assert_eq!(store.versions(&here, &id).await?, []);
    assert_eq!(store.versions_expire(at(25)?).await?, 0);

    Ok(())
}
