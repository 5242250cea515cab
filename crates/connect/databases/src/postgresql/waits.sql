SELECT coalesce(wait_event_type || ':' || wait_event, 'CPU') AS wait, count(*) AS sessions
FROM pg_catalog.pg_stat_activity
WHERE state = 'active' AND backend_type IN ('client backend', 'parallel worker')
  AND datname = pg_catalog.current_database() AND pid <> pg_catalog.pg_backend_pid()
GROUP BY 1
