//! Cutting machines off on moto: the group is made once a network, closed before a machine gets it,
//! and given back exactly.

use reeve_connect_aws::AwsConnection;
use reeve_estate::{Act, ActErrorKind, Mutation, Observe, QUARANTINE, Resource};
use reeve_testkit::moto::Moto;

use crate::{by_id, connection, open};

const REGION: &str = "us-east-1";

async fn groups(aws: &AwsConnection, machine: &Resource) -> (Vec<String>, bool) {
    let spec = aws.observe(machine).await.unwrap().resource.specification;
    (spec.security_groups, spec.isolated)
}

fn give(groups: &[String]) -> Mutation {
    Mutation::SetGroups {
        groups: groups.to_vec(),
    }
}

async fn refused(
    aws: &AwsConnection,
    machine: &Resource,
    mutation: &Mutation,
) -> (ActErrorKind, String) {
    let error = aws.apply(machine, mutation).await.unwrap_err();
    (error.kind, error.message)
}

#[tokio::test]
async fn machines_are_cut_off_by_one_group_and_let_back() {
    let moto = Moto::start().await.unwrap();
    let ids = moto.machines(REGION, "m5.large", 2, &[]).await.unwrap();
    let (network, _) = moto.network(REGION).await.unwrap();
    let mut own = vec![
        moto.security_group(REGION, &network, "web").await.unwrap(),
        moto.security_group(REGION, &network, "team").await.unwrap(),
    ];
    own.sort();
    let aws = open(&connection(moto.endpoint(), &[REGION])).await;
    let seen = aws.inventory().await.unwrap();
    let (web, other) = (by_id(&seen, &ids[0]), by_id(&seen, &ids[1]));
    aws.apply(web, &give(&own)).await.unwrap();
    assert_eq!(groups(&aws, web).await, (own.clone(), false));

    aws.apply(web, &Mutation::Isolate).await.unwrap();
    let (cut_off, isolated) = groups(&aws, web).await;
    assert!(
        isolated && cut_off.len() == 1 && !own.contains(&cut_off[0]),
        "{cut_off:?}"
    );
    assert!(
        by_id(&aws.inventory().await.unwrap(), &ids[0])
            .specification
            .isolated
    );
    aws.apply(web, &Mutation::Isolate).await.unwrap();
    aws.apply(other, &Mutation::Isolate).await.unwrap();
    assert_eq!(
        groups(&aws, other).await,
        (cut_off.clone(), true),
        "one group a network"
    );

    aws.apply(web, &give(&own)).await.unwrap();
    assert_eq!(groups(&aws, web).await, (own, false));

    // Somebody opens the group: it isolates nothing any more, and nothing else is put into it.
    moto.open_group(REGION, &cut_off[0]).await.unwrap();
    assert_eq!(groups(&aws, other).await, (cut_off, false));

    let (kind, message) = refused(&aws, web, &Mutation::Isolate).await;
    assert!(
        kind == ActErrorKind::Other && message.contains("in from 0.0.0.0/0"),
        "{message}"
    );
}

#[tokio::test]
async fn a_group_that_was_left_half_made_is_closed_where_reeve_made_it() {
    let moto = Moto::start().await.unwrap();
    let id = moto
        .machines(REGION, "m5.large", 1, &[])
        .await
        .unwrap()
        .remove(0);
    let (network, _) = moto.network(REGION).await.unwrap();
    let aws = open(&connection(moto.endpoint(), &[REGION])).await;
    let seen = aws.inventory().await.unwrap();
    let machine = by_id(&seen, &id);
    let before = groups(&aws, machine).await;

    // Of that name, but somebody else's, and it lets everything out.
    let half = moto
        .security_group(REGION, &network, QUARANTINE)
        .await
        .unwrap();
    let (kind, message) = refused(&aws, machine, &Mutation::Isolate).await;
    assert!(
        kind == ActErrorKind::Other && message.contains("out to 0.0.0.0/0"),
        "{message}"
    );
    assert_eq!(groups(&aws, machine).await, before);
    moto.tag(REGION, &half, "reeve:created-by", "reeve")
        .await
        .unwrap();
    aws.apply(machine, &Mutation::Isolate).await.unwrap();
    assert_eq!(groups(&aws, machine).await, (vec![half], true));
}

#[tokio::test]
async fn groups_that_do_not_fit_are_refused() {
    let moto = Moto::start().await.unwrap();
    let id = moto
        .machines(REGION, "m5.large", 1, &[])
        .await
        .unwrap()
        .remove(0);
    let elsewhere = moto.further_network(REGION).await.unwrap();
    let foreign = moto
        .security_group(REGION, &elsewhere, "elsewhere")
        .await
        .unwrap();
    moto.database(REGION, "orders", "db.m5.large", "postgres", &[])
        .await
        .unwrap();
    let aws = open(&connection(moto.endpoint(), &[REGION])).await;
    let seen = aws.inventory().await.unwrap();
    let machine = by_id(&seen, &id);
    let own = moto
        .security_group(REGION, &moto.network(REGION).await.unwrap().0, "web")
        .await
        .unwrap();
    aws.apply(machine, &give(&[own])).await.unwrap();
    let before = groups(&aws, machine).await;
    let unknown = ["sg-0123456789abcdef0".to_owned()];
    assert_eq!(
        refused(&aws, machine, &give(&unknown)).await.0,
        ActErrorKind::NotFound
    );

    let (kind, message) = refused(&aws, machine, &give(&[foreign])).await;
    assert!(
        kind == ActErrorKind::Other && message.contains("another network"),
        "{message}"
    );
    assert_eq!(
        refused(&aws, machine, &give(&[])).await.0,
        ActErrorKind::Other
    );
    assert_eq!(
        refused(&aws, by_id(&seen, "orders"), &Mutation::Isolate)
            .await
            .0,
        ActErrorKind::Other
    );

    let mut switched_off = connection(moto.endpoint(), &[REGION]);
    switched_off.allow_actions = false;
    assert_eq!(
        refused(&open(&switched_off).await, machine, &Mutation::Isolate)
            .await
            .0,
        ActErrorKind::Denied
    );

    assert_eq!(groups(&aws, machine).await, before);
}
