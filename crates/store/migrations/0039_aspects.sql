-- Aspect of the resource that a recommendation is about (a check, an index), where there can be several of one type; empty for the
-- resource as a whole.

ALTER TABLE recommendations ADD COLUMN aspect TEXT NOT NULL DEFAULT '';
DROP INDEX recommendations_one_open;
CREATE UNIQUE INDEX recommendations_one_open
    ON recommendations (provider, account, region, resource_id, kind, aspect) WHERE is_open = 1;
