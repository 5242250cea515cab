-- What somebody still has to look after is found without reading every action: those that work or are watched by a flag, those
-- undone lately by their end. Actions kept before this had their flag in the document alone.
ALTER TABLE actions ADD COLUMN unsettled BIGINT NOT NULL DEFAULT 0;
ALTER TABLE actions ADD COLUMN finished_at_ms BIGINT;
UPDATE actions SET unsettled = 1
WHERE status IN ('running', 'rolling_back')
   OR (status = 'succeeded' AND document LIKE '%"verdict":"watching"%');
CREATE INDEX actions_unsettled ON actions (unsettled);
CREATE INDEX actions_by_end ON actions (finished_at_ms);
