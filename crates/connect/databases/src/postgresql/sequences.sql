SELECT q.schemaname || '.' || q.sequencename AS name, q.last_value::float8 AS last_value,
       least(q.max_value::float8,
             coalesce((SELECT min(CASE format_type(a.atttypid, NULL) WHEN 'integer' THEN 2147483647.0
                                       WHEN 'smallint' THEN 32767.0 ELSE 9223372036854775807.0 END)
                       FROM pg_catalog.pg_depend p
                       JOIN pg_catalog.pg_attribute a ON a.attrelid = p.refobjid AND a.attnum = p.refobjsubid
                       WHERE p.objid = format('%I.%I', q.schemaname, q.sequencename)::regclass
                         AND p.deptype IN ('a', 'i')), 9223372036854775807.0))::float8 AS max_value
FROM pg_catalog.pg_sequences q
WHERE q.last_value IS NOT NULL AND q.increment_by > 0
