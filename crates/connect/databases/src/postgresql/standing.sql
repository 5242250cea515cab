SELECT i.indisunique OR i.indisprimary OR i.indisexclusion OR i.indisreplident
           OR EXISTS (SELECT FROM pg_catalog.pg_constraint f WHERE f.conindid = i.indexrelid),
       EXISTS (SELECT FROM pg_catalog.pg_stat_progress_create_index p WHERE p.index_relid = i.indexrelid),
       i.indisvalid
FROM pg_catalog.pg_index i
JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = $1 AND c.relname = $2
