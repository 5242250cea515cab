SELECT extract(epoch FROM now() - coalesce(d.stats_reset, pg_catalog.pg_postmaster_start_time()))::float8
           AS counted_s,
       pg_catalog.pg_is_in_recovery() AS is_standby,
       d.blks_hit::float8 AS blocks_hit, d.blks_read::float8 AS blocks_read,
       NULL::float8 AS read_statements, NULL::float8 AS write_statements,
       (SELECT json_build_array({timed}, {requested}) FROM {checkpoints}) AS checkpoints,
       d.temp_bytes::float8 AS temporary_bytes,
       pg_catalog.pg_database_size(d.datname)::float8 AS size_bytes,
       NULL::float8 AS memory_bytes,
       (SELECT max(pg_catalog.age(datfrozenxid))::float8 FROM pg_catalog.pg_database WHERE datallowconn)
           AS transaction_age
FROM pg_catalog.pg_stat_database d
WHERE d.datname = pg_catalog.current_database()
