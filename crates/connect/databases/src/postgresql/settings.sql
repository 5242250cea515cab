SELECT name,
       CASE WHEN setting = '-1' OR unit IS NULL THEN setting
            WHEN unit = '8kB' THEN (setting::numeric * 8192)::text
            WHEN unit = 'kB' THEN (setting::numeric * 1024)::text
            WHEN unit = 'MB' THEN (setting::numeric * 1048576)::text
            WHEN unit = 's' THEN (setting::numeric * 1000)::text
            WHEN unit = 'min' THEN (setting::numeric * 60000)::text
            ELSE setting END AS value,
       context = 'postmaster' AS needs_restart
FROM pg_catalog.pg_settings
WHERE name IN ('shared_buffers', 'work_mem', 'maintenance_work_mem', 'effective_cache_size',
               'max_connections', 'max_wal_size', 'checkpoint_timeout', 'random_page_cost',
               'fsync', 'full_page_writes', 'synchronous_commit', 'autovacuum',
               'autovacuum_vacuum_scale_factor', 'track_io_timing', 'jit')
