SELECT s.queryid::text AS id, s.query AS text,
       sum(s.calls)::float8 AS calls, sum(s.total_exec_time)::float8 AS total_ms,
       max(s.stddev_exec_time)::float8 AS deviation_ms, sum(s.rows)::float8 AS rows,
       NULL::float8 AS rows_examined,
       sum(s.shared_blks_hit)::float8 AS blocks_hit, sum(s.shared_blks_read)::float8 AS blocks_read,
       sum(s.temp_blks_written)::float8 AS temporary_writes,
       NULL::float8 AS lock_ms, NULL::float8 AS calls_without_index
FROM {schema}.pg_stat_statements s
JOIN pg_catalog.pg_database d ON d.oid = s.dbid
WHERE d.datname = pg_catalog.current_database() AND s.queryid IS NOT NULL
  AND s.query NOT LIKE '%pg_catalog.%' AND s.query <> '<insufficient privilege>'
GROUP BY s.queryid, s.query
ORDER BY sum(s.total_exec_time) DESC
LIMIT 500
