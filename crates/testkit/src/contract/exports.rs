//! Contract of every [`ExportStore`].

use std::sync::Arc;

use anyhow::Result;
use reeve_access::{AccessError, UserId};
use reeve_exports::{
    DestinationId, DestinationSecret, DestinationSettings, Estimate, Export, ExportDestination,
    ExportFailure, ExportFile, ExportFilter, ExportFormat, ExportId, ExportProgress, ExportState,
    ExportStore, FailureCode, FileRole, FormatOptions, Requester, ScheduleId, ScheduledExport,
    Selection,
};
use reeve_schedule::Schedule;

fn at(second: i64) -> jiff::Timestamp {
    jiff::Timestamp::from_second(1_800_000_000 + second).unwrap_or_default()
}

fn requester(user: &str) -> Requester {
    Requester {
        user: UserId(user.into()),
        email: format!("{user}@example.com"),
        token: Some("t-1".into()),
        ip_address: Some("192.0.2.7".into()),
        user_agent: Some("curl/8".into()),
    }
}

/// An export with something in every field.
#[must_use]
pub fn export(id: &str, user: &str, second: i64) -> Export {
    let options = FormatOptions {
        raw: true,
        framing: Some("octet_counting".into()),
        hostname: Some("reeve.example".into()),
        max_bytes: Some(4096),
        oversize: Some("skip".into()),
    };
    Export {
        id: ExportId(id.into()),
        name: format!("audit-logs-{id}"),
        selection: Selection {
            format: ExportFormat::Syslog,
            options,
            query: "actor.email:\"o'hara@example.com\"; DROP TABLE exports".into(),
            start: Some(at(-3600)),
            end: Some(at(0)),
        },
        destination: Some(DestinationId("d-1".into())),
        schedule: Some(ScheduleId("s-1".into())),
        from_sequence: 17,
        requester: requester(user),
        request_id: "r-1".into(),
        state: ExportState::Queued,
        estimate: Estimate {
            entries: 10,
            bytes: 12_000,
        },
        progress: ExportProgress {
            position: 30,
            end: 40,
            entries: 5,
            bytes: 6000,
            complete_files: 1,
            complete_entries: 2,
            complete_bytes: 2400,
            complete_position: 21,
            reduced: 1,
            skipped: 1,
            span: Some((17, 29)),
        },
        failure: Some(ExportFailure {
            code: FailureCode::DiskFull,
            message: "The disk is full.".into(),
        }),
        files: vec![ExportFile {
            name: "a.log".into(),
            role: FileRole::Entries,
            bytes: 6000,
            sha256: "ab".into(),
            entries: 5,
        }],
        delivered_to: Some("s3://bucket/a".into()),
        created_at: at(second),
        started_at: Some(at(second + 1)),
        finished_at: Some(at(second + 2)),
        expires_at: Some(at(second + 100)),
        version: 1,
    }
}

fn schedule(id: &str, name: &str) -> ScheduledExport {
    ScheduledExport {
        id: ScheduleId(id.into()),
        name: name.into(),
        format: ExportFormat::Parquet,
        options: FormatOptions::default(),
        query: "severity:high".into(),
        schedule: Schedule {
            pattern: "0 3 * * *".into(),
            time_zone: "Europe/Berlin".into(),
        },
        destination: None,
        enabled: true,
        owner: requester("ann"),
        covered_to: 99,
        last_run_at: at(5),
        last_export: Some(ExportId("e-1".into())),
        created_at: at(0),
        version: 1,
    }
}

fn destination(id: &str, name: &str, settings: DestinationSettings) -> ExportDestination {
    let prefix = "audit/2026".to_owned();
    ExportDestination {
        id: DestinationId(id.into()),
        name: name.into(),
        settings,
        prefix,
        created_at: at(0),
        version: 1,
    }
}

/// Runs the suite on an empty store.
///
/// # Errors
/// The store failed. A violated contract panics.
pub async fn run(store: Arc<dyn ExportStore>) -> Result<()> {
    jobs(&*store).await?;
    schedules(&*store).await?;
    destinations(&*store).await
}

async fn jobs(store: &dyn ExportStore) -> Result<()> {
    let (first, second) = (
        export("e-1", "ann", 10),
        Export {
            state: ExportState::Running,
            ..export("e-2", "bob", 20)
        },
    );

    store.export_insert(&first, 2).await?;
    store.export_insert(&second, 2).await?;
    let third = export("e-3", "ann", 30);
    assert!(
        matches!(
            store.export_insert(&third, 2).await,
            Err(AccessError::Conflict(_))
        ),
        "two wait or run"
    );

    assert_eq!(store.export_get(&first.id).await?, first);
    assert_eq!(
        store.export_next(&[]).await?.map(|export| export.id),
        Some(second.id.clone()),
        "one that runs goes on"
    );

    let skipped = store
        .export_next(std::slice::from_ref(&second.id))
        .await?
        .map(|export| export.id);
    assert_eq!(
        skipped,
        Some(first.id.clone()),
        "one that cannot continue blocks no other"
    );

    let done = Export {
        state: ExportState::Succeeded,
        version: 2,
        ..second.clone()
    };
    store.export_update(&done).await?;
    assert!(
        matches!(
            store.export_update(&done).await,
            Err(AccessError::Conflict(_))
        ),
        "version 2 is stored"
    );

    assert_eq!(
        store.export_next(&[]).await?.map(|export| export.id),
        Some(first.id.clone())
    );

    let all = ExportFilter {
        limit: 10,
        ..ExportFilter::default()
    };
    let (found, total) = store.export_list(&all).await?;
    assert_eq!(
        (found, total),
        (vec![done.clone(), first.clone()], 2),
        "the latest first"
    );

    let anns = ExportFilter {
        user: Some("ann".into()),
        state: Some(ExportState::Queued),
        ..all
    };
    assert_eq!(store.export_list(&anns).await?, (vec![first], 1));
    assert_eq!(store.export_expired(at(115)).await?.len(), 1);

    let kept = Export {
        expires_at: None,
        version: 3,
        ..done
    };
    store.export_update(&kept).await?;
    assert_eq!(
        store.export_expired(at(1000)).await?.len(),
        1,
        "what has no end does not expire"
    );

    assert!(matches!(
        store.export_get(&ExportId("e-9".into())).await,
        Err(AccessError::NotFound { .. })
    ));
    Ok(())
}

async fn schedules(store: &dyn ExportStore) -> Result<()> {
    let nightly = schedule("s-1", "Nightly");
    store.export_schedule_insert(&nightly, 2).await?;
    assert!(matches!(
        store
            .export_schedule_insert(&schedule("s-2", "Nightly"), 2)
            .await,
        Err(AccessError::Conflict(_))
    ));

    store
        .export_schedule_insert(&schedule("s-2", "Hourly"), 2)
        .await?;
    assert!(matches!(
        store
            .export_schedule_insert(&schedule("s-3", "More"), 2)
            .await,
        Err(AccessError::Conflict(_))
    ));

    let changed = ScheduledExport {
        enabled: false,
        version: 2,
        ..nightly
    };
    store.export_schedule_update(&changed).await?;
    assert!(matches!(
        store.export_schedule_update(&changed).await,
        Err(AccessError::Conflict(_))
    ));
    assert_eq!(store.export_schedule_get(&changed.id).await?, changed);

    let names: Vec<_> = store
        .export_schedule_list()
        .await?
        .into_iter()
        .map(|schedule| schedule.name)
        .collect();
    assert_eq!(names, ["Hourly", "Nightly"]);

    store.export_schedule_delete(&changed.id).await?;
    assert!(matches!(
        store.export_schedule_delete(&changed.id).await,
        Err(AccessError::NotFound { .. })
    ));
    Ok(())
}

async fn destinations(store: &dyn ExportStore) -> Result<()> {
    let endpoint = Some("https://storage.example".to_owned());
    let text = str::to_owned;
    let kinds = [
        DestinationSettings::S3 {
            bucket: text("b"),
            region: text("eu-central-1"),
            endpoint: endpoint.clone(),
            access_key_id: Some(text("AKIA")),
        },
        DestinationSettings::AzureBlob {
            account: text("a"),
            container: text("c"),
            endpoint: None,
        },
        DestinationSettings::Gcs {
            bucket: text("b"),
            endpoint,
        },
        DestinationSettings::Sftp {
            host: text("h"),
            port: 22,
            username: text("u"),
            host_key: Some(text("SHA256:x")),
        },
        DestinationSettings::Folder,
    ];

    let secret = |text: &str| DestinationSecret(text.into());
    for (number, settings) in kinds.into_iter().enumerate() {
        let given = destination(&format!("d-{number}"), &format!("Place {number}"), settings);
        store
            .destination_insert(&given, &secret(&format!("secret {number}")), 5)
            .await?;
        assert_eq!(store.destination_get(&given.id).await?, given);
        assert_eq!(
            store.destination_secret(&given.id).await?.0,
            format!("secret {number}")
        );
    }

    let sixth = destination("d-6", "Sixth", DestinationSettings::Folder);
    assert!(matches!(
        store.destination_insert(&sixth, &secret(""), 5).await,
        Err(AccessError::Conflict(_))
    ));

    let first = store.destination_list().await?.remove(0);
    let renamed = ExportDestination {
        name: "Renamed".into(),
        version: 2,
        ..first
    };
    store.destination_update(&renamed, None).await?;
    assert_eq!(
        store.destination_secret(&renamed.id).await?.0,
        "secret 0",
        "kept unless given"
    );

    let again = ExportDestination {
        version: 3,
        ..renamed
    };
    store
        .destination_update(&again, Some(&secret("another")))
        .await?;
    assert_eq!(store.destination_secret(&again.id).await?.0, "another");
    store.destination_delete(&again.id).await?;
    assert!(matches!(
        store.destination_get(&again.id).await,
        Err(AccessError::NotFound { .. })
    ));

    Ok(())
}
