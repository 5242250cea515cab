-- End of a measured saving: a database that started again, or a newer change of the same kind on the same resource. What has ended is
-- in no sum of present savings, and leaves the history of savings on that day.
ALTER TABLE recommendations ADD COLUMN saving_ended_at_ms BIGINT;
CREATE INDEX recommendations_standing_savings ON recommendations (updated_at_ms, id)
    WHERE status = 'succeeded' AND saving_ended_at_ms IS NULL;
