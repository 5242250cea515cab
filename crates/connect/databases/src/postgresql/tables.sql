SELECT n.nspname AS schema, c.relname AS name,
       greatest(c.reltuples, s.n_live_tup, 0)::float8 AS live_rows, s.n_dead_tup::float8 AS dead_rows,
       pg_catalog.pg_relation_size(c.oid)::float8 AS size_bytes,
       s.seq_scan::float8 AS sequential_scans, s.seq_tup_read::float8 AS sequential_rows,
       s.n_tup_ins::float8 AS inserts, s.n_tup_upd::float8 AS updates,
       s.n_tup_hot_upd::float8 AS updates_without_index, s.n_tup_del::float8 AS deletes,
       greatest(s.last_vacuum, s.last_autovacuum) AS last_vacuum,
       greatest(s.last_analyze, s.last_autoanalyze) AS last_analyze,
       EXISTS (SELECT FROM pg_catalog.pg_index k WHERE k.indrelid = c.oid AND k.indisprimary)
           AS has_primary_key,
       (SELECT coalesce(json_agg(json_build_object(
                   'name', a.attname, 'data_type', pg_catalog.format_type(a.atttypid, NULL),
                   'distinct_values', CASE WHEN v.n_distinct >= 0 THEN v.n_distinct
                                           ELSE -v.n_distinct * greatest(c.reltuples, 0) END,
                   'width_bytes', v.avg_width) ORDER BY a.attnum), '[]'::json)
        FROM pg_catalog.pg_attribute a
        LEFT JOIN pg_catalog.pg_stats v
               ON v.schemaname = n.nspname AND v.tablename = c.relname AND v.attname = a.attname
              AND NOT v.inherited
        WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped) AS columns
FROM pg_catalog.pg_class c
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
JOIN pg_catalog.pg_stat_user_tables s ON s.relid = c.oid
WHERE c.relkind = 'r' AND c.relpersistence <> 't'
ORDER BY c.relpages DESC
LIMIT 2000
