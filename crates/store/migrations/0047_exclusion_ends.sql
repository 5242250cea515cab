-- The end of an exclusion, until it is recorded in the log. Exclusions of earlier releases have none:
-- their ends were not recorded.

ALTER TABLE exclusions ADD COLUMN until_ms BIGINT;
CREATE INDEX exclusions_by_end ON exclusions (until_ms);
