SELECT n.nspname AS schema, t.relname AS table, c.relname AS name, m.amname AS method,
       (SELECT json_agg(coalesce(a.attname::text, pg_catalog.pg_get_indexdef(i.indexrelid, k.position::int, true)) ORDER BY k.position)
        FROM unnest(i.indkey::int2[]) WITH ORDINALITY k(number, position)
        LEFT JOIN pg_catalog.pg_attribute a
               ON a.attrelid = i.indrelid AND a.attnum = k.number AND k.number <> 0
        WHERE k.position <= i.indnkeyatts) AS columns,
       (SELECT coalesce(json_agg(a.attname ORDER BY k.position), '[]'::json)
        FROM unnest(i.indkey::int2[]) WITH ORDINALITY k(number, position)
        JOIN pg_catalog.pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.number
        WHERE k.position > i.indnkeyatts) AS included,
       pg_catalog.pg_get_expr(i.indpred, i.indrelid, true) AS predicate,
       (SELECT json_agg(i.indclass[g]::text || ':' || i.indcollation[g]::text || ':' || i.indoption[g]::text ORDER BY g)
        FROM generate_series(0, i.indnkeyatts - 1) g) AS key_options,
       i.indexprs IS NOT NULL AS has_expressions,
       s.idx_scan::float8 AS scans, pg_catalog.pg_relation_size(c.oid)::float8 AS size_bytes,
       pg_catalog.pg_get_indexdef(i.indexrelid) AS definition, i.indisunique AS is_unique,
       i.indisvalid OR EXISTS (SELECT FROM pg_catalog.pg_stat_progress_create_index p
                               WHERE p.index_relid = i.indexrelid) AS is_valid,
       array_remove(ARRAY[
           CASE WHEN i.indisprimary THEN 'primary_key' END,
           CASE WHEN i.indisexclusion THEN 'exclusion' END,
           CASE WHEN i.indisunique AND EXISTS (SELECT FROM pg_catalog.pg_constraint f
                                               WHERE f.conindid = i.indexrelid) THEN 'unique' END,
           CASE WHEN i.indisreplident THEN 'replica_identity' END,
           CASE WHEN i.indisclustered THEN 'clustered' END,
           CASE WHEN c.relispartition THEN 'partition' END,
           CASE WHEN EXISTS (SELECT FROM pg_catalog.pg_constraint f
                             WHERE f.contype = 'f' AND f.conrelid = i.indrelid
                               AND f.conkey[1] = i.indkey[0]) THEN 'foreign_key' END], NULL) AS constraints
FROM pg_catalog.pg_index i
JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid
JOIN pg_catalog.pg_class t ON t.oid = i.indrelid
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
JOIN pg_catalog.pg_am m ON m.oid = c.relam
JOIN pg_catalog.pg_stat_user_indexes s ON s.indexrelid = i.indexrelid
WHERE c.relkind = 'i' AND c.relpersistence <> 't'
ORDER BY n.nspname, c.relname
LIMIT 5000
