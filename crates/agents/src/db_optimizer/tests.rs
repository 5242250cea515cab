//! The judgement of a reading: findings by object, settings that leave areas out, and readings that
//! refute nothing.
#![allow(clippy::unwrap_used)]

use reeve_databases::{DatabaseReading, Observation};
use reeve_estate::{PriceCatalogue, ResourceKind};
use reeve_recommend::agent::settings::{AgentSettings, SettingValue};
use reeve_recommend::guardrail::Guardrails;
use reeve_recommend::judgement::open_facts::OpenFacts;
use reeve_recommend::judgement::{Facts, Judgement, RelationIndex};
use reeve_recommend::models::LearnedModels;
use serde_json::json;

use super::judgement::{KIND, judged};
use crate::cost_optimizer::tests::estate::{now, resource};

/// A server without statements, whose table has two equal indexes and no key.
fn observation() -> Observation {
    let index = |name: &str| {
        json!({
            "schema": "public", "table": "orders", "name": name, "method": "btree", "columns": ["status"],
            "included": [], "predicate": null, "key_options": ["1:0:0"], "has_expressions": false,
            "scans": 9.0, "size_bytes": 1e6, "definition": "CREATE INDEX i ON orders (status)",
            "is_unique": false, "is_valid": true, "constraints": [],
        })
    };
    serde_json::from_value(json!({
        "engine": "postgresql", "version": "15.8", "database": "shop", "observed_at": "2026-01-01T00:00:00Z",
        "server": {
            "counted_s": 3e6, "is_standby": false, "blocks_hit": 8e5, "blocks_read": 2e5,
            "read_statements": null, "write_statements": null, "checkpoints": null, "temporary_bytes": null,
            "size_bytes": 5e10, "memory_bytes": null, "transaction_age": null,
        },
        "statements": { "state": "read", "statements": [], "counted_s": 3e6, "evicted": 0 },
        "tables": [{
            "schema": "public", "name": "orders", "live_rows": 5000.0, "dead_rows": 0.0, "size_bytes": 1e6,
            "sequential_scans": null, "sequential_rows": null, "inserts": null, "updates": null,
            "updates_without_index": null, "deletes": null, "last_vacuum": null, "last_analyze": null,
            "has_primary_key": false, "columns": [],
        }],
        "indexes": [index("one"), index("two")],
        "settings": [
            { "name": "shared_buffers", "value": "134217728", "needs_restart": true },
            { "name": "max_connections", "value": "100", "needs_restart": true },
        ],
        "activity": { "connections": 5.0, "active": 1.0, "peak_connections": null, "long_transactions": [], "waiting": [] },
        "replication": { "replicas": 0, "lag_s": null, "inactive_slots": [] },
        "sequences": [], "extensions": [], "refused": [],
    }))
    .unwrap()
}

fn judgement(reading: Option<DatabaseReading>, settings: &[(&str, SettingValue)]) -> Judgement {
    let database = resource("shop", ResourceKind::Database, "postgresql", None);
    let settings = settings.iter().cloned();
    let settings = AgentSettings(
        settings
            .map(|(path, value)| (path.to_owned(), value))
            .collect(),
    );
    let open = match reading {
        Some(reading) => OpenFacts::default().with(reading),
        None => OpenFacts::default(),
    };
    judged(&Facts {
        resource: &database,
        series: &[],
        maxima: &[],
        charges: &[],
        document: None,
        relations: RelationIndex::none(),
        volumes: &[],
        catalogue: PriceCatalogue::builtin(),
        settings: &settings,
        guardrails: &Guardrails::default(),
        open: &open,
        models: LearnedModels::none(),
        attachment_changed_at: None,
        unchanged_since: None,
        now: now(),
    })
}

fn read(observation: Observation) -> Option<DatabaseReading> {
    Some(DatabaseReading::Read {
        observation: Box::new(observation),
        trials: Vec::new(),
    })
}

fn aspects(judgement: &Judgement) -> Vec<&str> {
    let proposals = judgement.proposals.iter();
    proposals
        .filter_map(|one| one.subject.aspect.as_deref())
        .collect()
}

#[test]
fn each_object_is_a_finding_of_its_own() {
    let judgement = judgement(read(observation()), &[]);
    assert_eq!(
        aspects(&judgement),
        [
            "health:missing_primary_key:public.orders",
            "index:duplicate_index:public.one"
        ]
    );
    let duplicate = &judgement.proposals[1];
    assert_eq!(duplicate.rule, "remove_unused_indexes");
    assert!(duplicate.plan.is_none(), "nothing is executed");
    // Without the memory the buffer is not judged, and what was found of it earlier stays. What was
    // judged and not found is refuted.
    let about = |aspect: &'static str| {
        let all = judgement.abstentions.iter();
        let about = all.filter(move |one| one.is_about(KIND, Some(aspect)));
        about.map(|one| (one.aspect.is_some(), one.decisive))
    };
    let buffer: Vec<_> = about("parameter:tune_shared_buffers:shared_buffers").collect();
    assert!(buffer.contains(&(true, false)), "{buffer:?}");
    let table: Vec<_> = about("health:missing_primary_key:public.visits").collect();
    assert_eq!(table, [(false, true)]);
}

#[test]
fn a_known_memory_completes_the_judgement() {
    let memory = ("parameter_tuning.memory", SettingValue::Count(16));
    let judgement = judgement(read(observation()), &[memory]);
    let found = aspects(&judgement);
    assert!(
        found.contains(&"parameter:tune_shared_buffers:shared_buffers"),
        "{found:?}"
    );
    assert!(
        judgement.abstentions.iter().any(|one| one.decisive),
        "{:?}",
        judgement.abstentions
    );
}

#[test]
fn settings_leave_areas_out() {
    let off = |path| (path, SettingValue::Flag(false));
    let memory = ("parameter_tuning.memory", SettingValue::Count(16));
    let all = judgement(
        read(observation()),
        &[memory.clone(), off("index_recommendations.enabled")],
    );
    assert!(
        !aspects(&all).iter().any(|one| one.contains("index")),
        "{:?}",
        aspects(&all)
    );
    let all = judgement(
        read(observation()),
        &[memory, off("adjust_buffer_pool.enabled")],
    );
    assert!(
        !aspects(&all).iter().any(|one| one.contains("buffers")),
        "{:?}",
        aspects(&all)
    );
}

#[test]
fn what_could_not_be_read_refutes_nothing() {
    let failed = DatabaseReading::Failed("the server cannot be reached".to_owned());
    for (reading, code) in [(None, "no_login"), (Some(failed), "not_read")] {
        let judgement = judgement(reading, &[]);
        assert!(judgement.proposals.is_empty());
        let one = &judgement.abstentions[0];
        assert_eq!((one.code, one.decisive), (code, false));
    }
}
