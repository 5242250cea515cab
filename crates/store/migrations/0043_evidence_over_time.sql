-- Results of checks as of a time. A row of the history is in force from `at_ms` until `until_ms`, which is when another result took its place
-- or the resource was judged no more. `was` is the answer that it took the place of; null for the first one.

ALTER TABLE check_history ADD COLUMN until_ms BIGINT;
ALTER TABLE check_history ADD COLUMN answer TEXT NOT NULL DEFAULT '';
ALTER TABLE check_history ADD COLUMN was TEXT;
ALTER TABLE check_history ADD COLUMN account TEXT NOT NULL DEFAULT '';

UPDATE check_history SET answer = CASE
    WHEN document LIKE '%"answer":"pass"%' THEN 'pass'
    WHEN document LIKE '%"answer":"fail"%' THEN 'fail'
    WHEN document LIKE '%"answer":"unknown"%' THEN 'unknown'
    ELSE 'not_applicable' END;

UPDATE check_history SET until_ms = (SELECT MIN(later.at_ms) FROM check_history AS later
    WHERE later.connection_id = check_history.connection_id AND later.resource_id = check_history.resource_id
        AND later.check_id = check_history.check_id AND later.at_ms > check_history.at_ms);

UPDATE check_history SET was = (SELECT earlier.answer FROM check_history AS earlier
    WHERE earlier.connection_id = check_history.connection_id AND earlier.resource_id = check_history.resource_id
        AND earlier.check_id = check_history.check_id AND earlier.until_ms = check_history.at_ms);

-- When a result without a successor ended was not kept: it counts for no time after it was written.
UPDATE check_history SET until_ms = at_ms WHERE until_ms IS NULL AND NOT EXISTS (SELECT 1 FROM check_results AS current
    WHERE current.connection_id = check_history.connection_id AND current.resource_id = check_history.resource_id
        AND current.check_id = check_history.check_id);

UPDATE check_history SET account = COALESCE((SELECT current.account FROM check_results AS current
    WHERE current.connection_id = check_history.connection_id AND current.resource_id = check_history.resource_id
        AND current.check_id = check_history.check_id), '');

CREATE INDEX check_history_by_check ON check_history (check_id, answer, at_ms);
