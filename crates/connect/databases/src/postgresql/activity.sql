SELECT count(*)::float8 AS connections, count(*) FILTER (WHERE state = 'active')::float8 AS active,
       NULL::float8 AS peak_connections,
       coalesce(json_agg(json_build_object('id', pid::text, 'user', usename, 'state', state,
                    'age_s', extract(epoch FROM now() - xact_start)) ORDER BY xact_start)
                FILTER (WHERE xact_start < now() - interval '1 minute'), '[]'::json) AS long_transactions,
       coalesce(json_agg(json_build_object('id', pid::text, 'user', usename, 'state', state,
                    'age_s', extract(epoch FROM now() - state_change),
                    'blocked_by', (pg_catalog.pg_blocking_pids(pid))[1]::text))
                FILTER (WHERE wait_event_type = 'Lock'), '[]'::json) AS waiting
FROM pg_catalog.pg_stat_activity
WHERE backend_type = 'client backend' AND pid <> pg_catalog.pg_backend_pid()
