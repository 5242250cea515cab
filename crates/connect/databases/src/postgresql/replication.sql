SELECT (SELECT count(*) FROM pg_catalog.pg_stat_replication) AS replicas,
       (SELECT max(extract(epoch FROM replay_lag))::float8 FROM pg_catalog.pg_stat_replication) AS lag_s,
       (SELECT coalesce(json_agg(json_build_array(slot_name, coalesce(pg_catalog.pg_wal_lsn_diff(
                   CASE WHEN pg_catalog.pg_is_in_recovery() THEN pg_catalog.pg_last_wal_replay_lsn()
                        ELSE pg_catalog.pg_current_wal_lsn() END, restart_lsn), 0))), '[]'::json)
        FROM pg_catalog.pg_replication_slots WHERE NOT active) AS inactive_slots
