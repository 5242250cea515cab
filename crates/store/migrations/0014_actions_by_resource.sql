-- What was done to a resource is found without reading every action. What was kept before this changed its recommendation's own
-- resource, but for tests and simulations, whose document alone says what they changed.
ALTER TABLE actions ADD COLUMN resource_id TEXT COLLATE "binary";
UPDATE actions SET resource_id = (SELECT resource_id FROM recommendations WHERE recommendations.id = actions.recommendation_id)
WHERE document LIKE '%"purpose":"apply"%';
CREATE INDEX actions_by_resource ON actions (resource_id, started_at_ms);
