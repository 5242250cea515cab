//! Migrations from nothing, again, at once, and of a database from the future.

use anyhow::Result;
use jiff::Timestamp;
use reeve_access::AccessStore as _;
use reeve_anomalies::threat::{ThreatList, ThreatStore as _};
use reeve_estate::{
    EstateStore as _, Resource, ResourceFilter, ResourceId, ResourceKind, Specification,
};
use reeve_recommend::action::{Action, ActionStatus, Purpose};
use reeve_recommend::ports::{AgentStore as _, RecommendationFilter};
use reeve_recommend::recommendation::lifecycle::Status;
use reeve_recommend::recommendation::{Recommendation, RecommendationId, RecommendationSubject};
use reeve_recommend::rollout::{Rollout, RolloutId, RolloutStore as _};
use reeve_store::{OpenError, Store};
use reeve_testkit::contract::access::user;
use reeve_testkit::contract::agents::{action, recommendation};
use reeve_testkit::contract::estate::{connection, resource};
use reeve_testkit::contract::rollouts::rollout;
use sqlx::Connection as _;

use crate::place::{Place, on_both, vault};

on_both!(
    opened_again_everything_is_there => super::opened_again_everything_is_there,
    opened_by_several_at_once => super::opened_by_several_at_once,
    newer_schema_is_refused => super::newer_schema_is_refused,
    altered_migration_is_refused => super::altered_migration_is_refused,
    lists_from_before_say_where_they_lie => super::lists_from_before_say_where_they_lie,
    rollouts_without_a_name_get_one_in_words => super::rollouts_without_a_name_get_one_in_words,
    actions_from_before_are_found_by_their_resource => super::actions_from_before_are_found_by_their_resource,
    rows_from_before_are_in_lists_and_sums => super::rows_from_before_are_in_lists_and_sums,
    databases_from_before_go_over_to_their_arns => super::databases_from_before_go_over_to_their_arns,
    readers_and_writers_at_once => super::readers_and_writers_at_once,
);

async fn opened_again_everything_is_there(place: &Place) -> Result<()> {
    let ann = user("u-1", "ann@example.com", &[]);
    let store = place.open().await?;
    store.user_insert(&ann).await?;
    store.close().await;

    for _ in 0..2 {
        let store = place.open().await?;
        store.ping().await?;
        assert_eq!(store.user_list().await?, std::slice::from_ref(&ann));
        store.close().await;
        assert!(store.user_list().await.is_err(), "closed is closed");
    }

    Ok(())
}

async fn opened_by_several_at_once(place: &Place) -> Result<()> {
    let opening: Vec<_> = (0..4)
        .map(|_| {
            let url = place.url.clone();
            tokio::spawn(async move { Store::open(&url, vault(1)).await })
        })
        .collect();

    for (index, store) in opening.into_iter().enumerate() {
        let store = store.await??;
        store
            .user_insert(&user(
                &format!("u-{index}"),
                &format!("{index}@example.com"),
                &[],
            ))
            .await?;
        store.close().await;
    }

    assert_eq!(place.open().await?.user_list().await?.len(), 4);
    Ok(())
}

/// The schema as the version before sums and narrow lists left it.
const BEFORE_SUMS: &str = "DROP TABLE recommendation_totals; DROP TABLE resource_revisions;
    DROP INDEX recommendations_ranked; DROP INDEX recommendations_by_status; DROP INDEX recommendations_by_agent;
    DROP INDEX recommendations_by_kind; DROP INDEX recommendations_open; DROP INDEX recommendations_due;
    DROP INDEX recommendations_open_by_cause; DROP INDEX recommendations_by_closing;
    DROP INDEX recommendations_open_savings; DROP INDEX recommendations_outcomes; DROP INDEX recommendations_saved; DROP INDEX recommendations_dismissed;
    DROP INDEX recommendations_standing_savings; ALTER TABLE recommendations DROP COLUMN saving_ended_at_ms;
    DROP INDEX actions_by_start; DROP INDEX actions_by_run; DROP INDEX approvals_newest; DROP INDEX approvals_pending;
    DROP INDEX resources_summed; DROP INDEX deliveries_ended;
    CREATE INDEX recommendations_by_status ON recommendations (status);
    CREATE INDEX recommendations_by_agent ON recommendations (agent_id);
    CREATE INDEX actions_by_start ON actions (started_at_ms);
    ALTER TABLE recommendations DROP COLUMN resource_kind; ALTER TABLE recommendations DROP COLUMN service;
    ALTER TABLE recommendations DROP COLUMN instance_type; ALTER TABLE recommendations DROP COLUMN target_type;
    ALTER TABLE recommendations DROP COLUMN cause; ALTER TABLE recommendations DROP COLUMN closing;
    ALTER TABLE recommendations DROP COLUMN taken_back; ALTER TABLE recommendations DROP COLUMN by_hand;
    ALTER TABLE recommendations DROP COLUMN expected_savings; ALTER TABLE recommendations DROP COLUMN monthly_cost;
    ALTER TABLE recommendations DROP COLUMN realised; ALTER TABLE recommendations DROP COLUMN updated_at_ms;
    ALTER TABLE recommendations DROP COLUMN due_at_ms;
    ALTER TABLE actions DROP COLUMN purpose; ALTER TABLE actions DROP COLUMN agent_id; ALTER TABLE actions DROP COLUMN run_id;
    DELETE FROM schema_versions WHERE version IN (23, 25, 35)";

/// Runs a statement beside the store.
async fn execute(place: &Place, sql: &'static str) -> Result<()> {
    sqlx::any::install_default_drivers();
    let mut connection = sqlx::AnyConnection::connect(&place.url).await?;
    sqlx::raw_sql(sql).execute(&mut connection).await?;
    Ok(connection.close().await?)
}

async fn lists_from_before_say_where_they_lie(place: &Place) -> Result<()> {
    let store = place.open().await?;
    for (name, from_file) in [("by-hand", false), ("feed.txt", true)] {
        let text = r#"10.0.0.0/8 # "from_file":true"#.to_owned();
        let (name, by, updated_at) = (
            name.to_owned(),
            "ann".to_owned(),
            "2026-11-20T12:00:00Z".parse()?,
        );
        store
            .threat_list_put(&ThreatList {
                name,
                from_file,
                updated_at,
                by,
                text,
                indicators: 1,
            })
            .await?;
    }

    store.close().await;
    // As the version before it left them.
    execute(place, "ALTER TABLE threat_lists DROP COLUMN from_file").await?;
    execute(place, "DELETE FROM schema_versions WHERE version = 11").await?;
    let said: Vec<bool> = place
        .open()
        .await?
        .threat_list_state()
        .await?
        .iter()
        .map(|list| list.from_file)
        .collect();
    assert_eq!(said, [false, true]);

    Ok(())
}

async fn rollouts_without_a_name_get_one_in_words(place: &Place) -> Result<()> {
    let cases = [
        (
            "right_size of Cost \"A\" on 12 resources",
            "Right size of Cost \"A\" on 12 resources",
        ),
        (
            "right_size of Costs on 1 resources",
            "Right size of Costs on 1 resource",
        ),
        ("right_size of the web tier", "right_size of the web tier"),
        ("Smaller web tier", "Smaller web tier"),
    ];

    let store = place.open().await?;
    for (number, (before, _)) in cases.iter().enumerate() {
        let agent = format!("a-{number}");
        let kept = Rollout {
            name: (*before).to_owned(),
            ..rollout(&format!("ro-{number}"), &agent, 1_000)?
        };
        store.rollout_insert(&kept).await?;
    }

    store.close().await;
    execute(place, "DELETE FROM schema_versions WHERE version = 12").await?;
    let store = place.open().await?;

    for (number, (before, expect)) in cases.iter().enumerate() {
        let found = store
            .rollout_get(&RolloutId(format!("ro-{number}")))
            .await?;
        assert_eq!(found.name, *expect, "{before}");
        assert_eq!(
            found.members,
            rollout("ro", "a", 1_000)?.members,
            "the rest is left as it is"
        );
    }

    Ok(())
}

async fn actions_from_before_are_found_by_their_resource(place: &Place) -> Result<()> {
    let store = place.open().await?;
    store
        .recommendation_insert(&recommendation("rec-1", "i-1")?)
        .await?;
    store
        .action_insert(&action("ac-1", "rec-1", 1_000)?)
        .await?;
    let twin = ResourceId::new("i-twin");
    let test = Action {
        resource: twin.clone(),
        purpose: Purpose::Test,
        ..action("ac-2", "rec-1", 2_000)?
    };
    store.action_insert(&test).await?;
    store.close().await;

    // As the version before it left them.
    execute(place, BEFORE_SUMS).await?;
    execute(place, "DROP INDEX actions_by_resource").await?;
    execute(place, "ALTER TABLE actions DROP COLUMN resource_id").await?;
    execute(place, "DELETE FROM schema_versions WHERE version = 14").await?;
    let store = place.open().await?;

    for (resource, expect) in [(ResourceId::new("i-1"), "ac-1"), (twin, "ac-2")] {
        let found = store.action_on(&resource, Timestamp::UNIX_EPOCH).await?;
        assert_eq!(
            found
                .iter()
                .map(|action| action.id.0.as_str())
                .collect::<Vec<_>>(),
            [expect]
        );
    }

    Ok(())
}

async fn rows_from_before_are_in_lists_and_sums(place: &Place) -> Result<()> {
    let store = place.open().await?;
    for (n, status) in [Status::Open, Status::Succeeded, Status::Dismissed]
        .into_iter()
        .enumerate()
    {
        let made = recommendation(&format!("rec-{n}"), &format!("i-{n}"))?;
        store
            .recommendation_insert(&Recommendation { status, ..made })
            .await?;
    }

    store
        .action_insert(&Action {
            status: ActionStatus::Succeeded,
            ..action("ac-1", "rec-1", 1_000)?
        })
        .await?;

    let after = Timestamp::UNIX_EPOCH;
    let (totals, counts) = (
        store.recommendation_totals().await?,
        store.action_counts(after).await?,
    );
    assert_eq!((totals.len(), counts.begun), (3, 1));
    assert!(
        totals.iter().any(|total| total.measured == 1),
        "the saving of one is measured"
    );
    store.close().await;
    execute(place, BEFORE_SUMS).await?;
    let store = place.open().await?;
    assert_eq!(store.recommendation_totals().await?, totals);
    assert_eq!(store.action_counts(after).await?, counts);

    let due = RecommendationFilter {
        due_by: Some(Timestamp::MAX),
        ..RecommendationFilter::default()
    };
    let (due, _) = store.recommendation_list(&due).await?;
    assert_eq!(
        due.iter().map(|one| one.id.0.as_str()).collect::<Vec<_>>(),
        ["rec-0"]
    );

    Ok(())
}

async fn databases_from_before_go_over_to_their_arns(place: &Place) -> Result<()> {
    let store = place.open().await?;
    let connection = connection("c-1", 1_000)?;
    store.connection_insert(&connection).await?;
    let small = Specification {
        instance_type: Some("db.m5.large".into()),
        ..Specification::default()
    };
    let database = |id: &str| -> Result<Resource> {
        let (kind, service, region) = (
            ResourceKind::Database,
            "rds".to_owned(),
            "eu-west-1".to_owned(),
        );
        Ok(Resource {
            kind,
            service,
            region,
            name: "orders".to_owned(),
            ..resource("c-1", id)?
        })
    };
    let (before, machine) = (database("orders")?, resource("c-1", "i-1")?);

    store
        .resource_sync(&connection.id, &[before.clone(), machine.clone()], &[])
        .await?;
    let changed = Resource {
        specification: small,
        observed_at: before.observed_at,
        ..before.clone()
    };

    store
        .resource_sync(&connection.id, std::slice::from_ref(&changed), &[])
        .await?;
    let subject = RecommendationSubject {
        connection: connection.id.clone(),
        id: before.id.clone(),
        name: before.name.clone(),
        kind: before.kind,
        account: before.account.clone(),
        region: before.region.clone(),
        service: before.service.clone(),
        ..recommendation("rec-1", "orders")?.subject
    };

    let found = Recommendation {
        subject,
        ..recommendation("rec-1", "orders")?
    };
    store.recommendation_insert(&found).await?;
    store
        .recommendation_insert(&recommendation("rec-2", "i-1")?)
        .await?;
    let done = Action {
        resource: before.id.clone(),
        purpose: Purpose::Apply,
        ..action("ac-1", "rec-1", 1_000)?
    };
    store.action_insert(&done).await?;
    let seen = store
        .resource_changes(
            &connection.id,
            std::slice::from_ref(&before.id),
            Timestamp::UNIX_EPOCH,
        )
        .await?;

    store.close().await;
    execute(place, "DELETE FROM schema_versions WHERE version = 33").await?;

    let store = place.open().await?;
    let arn = ResourceId::new(format!(
        "arn:aws:rds:eu-west-1:{}:db:orders",
        before.account
    ));
    let kept = store.resource_get(&arn).await?;
    assert_eq!(
        kept,
        Resource {
            id: arn.clone(),
            ..changed
        }
    );

    assert_eq!(
        store.resource_get(&machine.id).await?,
        machine,
        "the rest is left as it is"
    );

    let one = ResourceFilter {
        text: Some("db:orders".to_owned()),
        ..ResourceFilter::default()
    };
    assert_eq!(
        store.resource_list(&one).await?.1,
        1,
        "a search finds it by its ARN"
    );

    let ids = std::slice::from_ref(&arn);
    let changes = store
        .resource_changes(&connection.id, ids, Timestamp::UNIX_EPOCH)
        .await?;
    assert_eq!(
        (changes.len(), changes[0].attribute),
        (seen.len(), seen[0].attribute)
    );

    let moved = store.recommendation_get(&found.id).await?;
    let expect = Recommendation {
        subject: RecommendationSubject {
            id: arn.clone(),
            ..found.subject.clone()
        },
        ..found
    };
    assert_eq!(moved, expect, "with its plan and its hash");

    assert_eq!(
        store
            .recommendation_get(&RecommendationId("rec-2".to_owned()))
            .await?
            .subject
            .id,
        machine.id
    );

    assert_eq!(
        store.action_on(&arn, Timestamp::UNIX_EPOCH).await?,
        [Action {
            resource: arn.clone(),
            ..done
        }]
    );

    Ok(())
}

async fn newer_schema_is_refused(place: &Place) -> Result<()> {
    place.open().await?.close().await;
    execute(
        place,
        "INSERT INTO schema_versions (version, checksum, applied_at_ms) VALUES (9000, 'x', 0)",
    )
    .await?;
    let error = Store::open(&place.url, vault(1)).await.unwrap_err();
    assert!(
        matches!(error, OpenError::Newer { found: 9000, .. }),
        "{error}"
    );
    assert!(
        error.to_string().contains("written by a newer version"),
        "{error}"
    );
    execute(place, "DELETE FROM schema_versions WHERE version = 9000").await?;
    place.open().await?.ping().await?;

    Ok(())
}

async fn altered_migration_is_refused(place: &Place) -> Result<()> {
    place.open().await?.close().await;
    execute(
        place,
        "UPDATE schema_versions SET checksum = 'another' WHERE version = 1",
    )
    .await?;
    let error = Store::open(&place.url, vault(1)).await.unwrap_err();
    assert!(
        matches!(error, OpenError::Altered { version: 1 }),
        "{error}"
    );

    Ok(())
}

async fn readers_and_writers_at_once(place: &Place) -> Result<()> {
    let store = place.open().await?;
    let tasks: Vec<_> = (0..6)
        .map(|task| {
            let store = store.clone();
            tokio::spawn(async move {
                for index in 0..15 {
                    let made = user(
                        &format!("u-{task}-{index}"),
                        &format!("{task}-{index}@example.com"),
                        &[],
                    );
                    store.user_insert(&made).await?;
                    assert_eq!(
                        store.user_get(&made.id).await?,
                        made,
                        "what was written is read"
                    );
                }
                anyhow::Ok(())
            })
        })
        .collect();

    for task in tasks {
        task.await??;
    }

    assert_eq!(store.user_list().await?.len(), 90);
    store.close().await;
    Ok(())
}
