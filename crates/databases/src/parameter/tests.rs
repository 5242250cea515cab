//! Parameters, with the arithmetic behind them.

use super::*;
use crate::testing::{observation, setting, statement, with_statements};

fn titles(observation: &Observation) -> Vec<String> {
    judge(observation)
        .0
        .into_iter()
        .map(|one| one.title)
        .collect()
}

fn postgresql() -> Observation {
    let mut observation = observation(Engine::Postgresql);
    observation.settings = vec![
        setting("shared_buffers", "134217728"),
        setting("work_mem", "4194304"),
        setting("effective_cache_size", "4294967296"),
        setting("max_wal_size", "1073741824"),
        setting("max_connections", "100"),
    ];
    observation.server.blocks_hit = Some(700_000.0);
    observation.server.blocks_read = Some(300_000.0);
    observation.server.size_bytes = Some(20.0 * GIB);
    observation
}

#[test]
fn a_buffer_grows_to_a_quarter_of_a_known_memory() {
    let unknown = postgresql();
    let (advice, unjudged) = judge(&unknown);
    assert!(advice.is_empty(), "{advice:?}");
    assert!(
        unjudged.iter().all(|one| one.remedy.contains("--memory")),
        "{unjudged:?}"
    );

    let mut known = postgresql();
    known.server.memory_bytes = Some(8.0 * GIB);
    let found = judge(&known).0;
    assert_eq!(
        found[0].title,
        "Set shared_buffers to 2 GiB instead of 128 MiB"
    );
    assert_eq!(
        found[0].statements[0],
        "ALTER SYSTEM SET shared_buffers = '2097152kB'"
    );
    assert_eq!(
        found[0].undo[0],
        "ALTER SYSTEM SET shared_buffers = '131072kB'"
    );
}

#[test]
fn a_buffer_that_holds_what_is_read_stays() {
    let mut observation = postgresql();
    observation.server.memory_bytes = Some(8.0 * GIB);
    observation.server.blocks_hit = Some(99_000_000.0);
    assert_eq!(titles(&observation), [""; 0]);
}

#[test]
fn work_mem_grows_within_the_budget_of_all_sessions() {
    let mut spilling = statement("1", "SELECT 1");
    // 100 blocks of 8 KiB for each of a thousand calls, and a few calls with much more.
    spilling.temporary_writes = 2_000_000.0;
    let mut observation = with_statements(postgresql(), vec![spilling]);
    assert_eq!(
        titles(&observation),
        ["Set work_mem to 64 MiB instead of 4 MiB"]
    );
    observation.server.memory_bytes = Some(8.0 * GIB);
    observation.activity.peak_connections = Some(70.0);
    let found = judge(&observation).0;
    let found = found.iter().find(|one| one.object == "work_mem");
    assert_eq!(found.map(|one| one.cost.after), Some(Some(29.0 * MIB)));
}

#[test]
fn checkpoints_before_their_time_ask_for_more_log() {
    let mut observation = postgresql();
    observation.server.checkpoints = Some((10.0, 40.0));
    assert_eq!(
        titles(&observation),
        ["Set max_wal_size to 2 GiB instead of 1 GiB"]
    );
    observation.server.checkpoints = Some((100.0, 4.0));
    assert_eq!(titles(&observation), [""; 0]);
}

#[test]
fn full_connections_ask_for_a_pooler_and_not_for_a_greater_limit() {
    let mut observation = postgresql();
    observation.activity.connections = Some(90.0);
    let found = judge(&observation).0;
    assert_eq!(
        found[0].title,
        "Put a connection pooler in front of the database"
    );
    assert_eq!(found[0].statements, [""; 0]);
}

#[test]
fn the_buffer_pool_leaves_room_for_sessions() {
    let mut observation = observation(Engine::Mariadb);
    observation.settings = vec![
        setting("innodb_buffer_pool_size", "134217728"),
        setting("max_connections", "151"),
        setting("sort_buffer_size", "2097152"),
    ];
    observation.server.blocks_hit = Some(800_000.0);
    observation.server.blocks_read = Some(200_000.0);
    observation.server.size_bytes = Some(50.0 * GIB);
    observation.server.memory_bytes = Some(8.0 * GIB);
    observation.activity.peak_connections = Some(100.0);
    let found = judge(&observation).0;
    assert_eq!(
        found[0].title,
        "Set innodb_buffer_pool_size to 6.1 GiB instead of 128 MiB"
    );
    assert!(
        found[0].reasons[1].contains("100 sessions x 2 MiB"),
        "{found:?}"
    );
}
