-- Lists, totals, guardrails and what is due are answered from columns, sums and indexes, never by reading every record.
-- The columns of recommendations and actions follow from their documents; those of rows from before are filled by
-- src/derived.rs, which the migration runs afterwards.

ALTER TABLE recommendations ADD COLUMN resource_kind TEXT NOT NULL DEFAULT '';
ALTER TABLE recommendations ADD COLUMN service TEXT NOT NULL DEFAULT '';
ALTER TABLE recommendations ADD COLUMN instance_type TEXT;
ALTER TABLE recommendations ADD COLUMN target_type TEXT;
-- `run`, or the kind of cause and its identifier: `anomaly:<id>`.
ALTER TABLE recommendations ADD COLUMN cause TEXT NOT NULL DEFAULT 'run';
ALTER TABLE recommendations ADD COLUMN closing TEXT;
ALTER TABLE recommendations ADD COLUMN taken_back BIGINT NOT NULL DEFAULT 0;
-- 1 where a person has to finish by hand what the plan begins.
ALTER TABLE recommendations ADD COLUMN by_hand BIGINT NOT NULL DEFAULT 0;
-- NULL where no price is known. `realised` is NULL until the saving was measured.
ALTER TABLE recommendations ADD COLUMN expected_savings BIGINT;
ALTER TABLE recommendations ADD COLUMN monthly_cost BIGINT;
ALTER TABLE recommendations ADD COLUMN realised BIGINT;
ALTER TABLE recommendations ADD COLUMN updated_at_ms BIGINT NOT NULL DEFAULT 0;
-- The time at which the scheduler has to look at it; NULL for never.
ALTER TABLE recommendations ADD COLUMN due_at_ms BIGINT;

-- Sums over recommendations, kept in the transactions that write them.
CREATE TABLE recommendation_totals (
    agent_id          TEXT COLLATE "binary" NOT NULL,
    agent_type        TEXT COLLATE "binary" NOT NULL,
    kind              TEXT COLLATE "binary" NOT NULL,
    status            TEXT COLLATE "binary" NOT NULL,
    priority          BIGINT NOT NULL,
    connection_id     TEXT COLLATE "binary" NOT NULL,
    account           TEXT COLLATE "binary" NOT NULL,
    by_hand           BIGINT NOT NULL,
    taken_back        BIGINT NOT NULL,
    recommendations   BIGINT NOT NULL,
    unpriced          BIGINT NOT NULL,
    expected          BIGINT NOT NULL,
    measured          BIGINT NOT NULL,
    measured_expected BIGINT NOT NULL,
    realised          BIGINT NOT NULL,
    PRIMARY KEY (agent_id, agent_type, kind, status, priority, connection_id, account, by_hand, taken_back)
);

DROP INDEX recommendations_by_status;
DROP INDEX recommendations_by_agent;
-- The order of lists, of all, of a status, of an agent and of a kind.
CREATE INDEX recommendations_ranked
    ON recommendations (expected_value DESC, priority, savings DESC, created_at_ms, id);
CREATE INDEX recommendations_by_status
    ON recommendations (status, expected_value DESC, priority, savings DESC, created_at_ms, id);
CREATE INDEX recommendations_by_agent
    ON recommendations (agent_id, expected_value DESC, priority, savings DESC, created_at_ms, id);
CREATE INDEX recommendations_by_kind
    ON recommendations (kind, expected_value DESC, priority, savings DESC, created_at_ms, id);
CREATE INDEX recommendations_open
    ON recommendations (expected_value DESC, priority, savings DESC, created_at_ms, id) WHERE is_open = 1;
CREATE INDEX recommendations_due ON recommendations (due_at_ms) WHERE is_open = 1;
CREATE INDEX recommendations_open_by_cause ON recommendations (cause, id) WHERE is_open = 1;
CREATE INDEX recommendations_by_closing ON recommendations (closing, agent_id, updated_at_ms) WHERE closing IS NOT NULL;
-- Savings of what is open, resource by resource.
CREATE INDEX recommendations_open_savings
    ON recommendations (provider, account, region, resource_id, kind, expected_savings, monthly_cost, status, agent_id,
        agent_type, priority, confidence, connection_id, id, is_open) WHERE is_open = 1;
-- Changes of a size whose outcome is known, savings by the day, and what people dismissed. The expression keeps databases without
-- statistics from taking the index of states instead.
CREATE INDEX recommendations_outcomes
    ON recommendations (kind, status, instance_type, target_type, taken_back, id)
    WHERE COALESCE(status, '') IN ('succeeded', 'rolled_back', 'failed');
CREATE INDEX recommendations_saved
    ON recommendations (updated_at_ms, expected_savings, realised, status, by_hand)
    WHERE COALESCE(status, '') = 'succeeded' AND by_hand = 0;
CREATE INDEX recommendations_dismissed
    ON recommendations (kind, provider, resource_kind, service, updated_at_ms, closing, id, status)
    WHERE COALESCE(status, '') = 'dismissed';

ALTER TABLE actions ADD COLUMN purpose TEXT NOT NULL DEFAULT 'apply';
ALTER TABLE actions ADD COLUMN agent_id TEXT;
ALTER TABLE actions ADD COLUMN run_id TEXT;
DROP INDEX actions_by_start;
CREATE INDEX actions_by_start ON actions (started_at_ms DESC, id DESC, purpose, status, agent_id, run_id);
CREATE INDEX actions_by_run ON actions (run_id) WHERE run_id IS NOT NULL;

CREATE INDEX approvals_newest ON approvals (requested_at_ms DESC, id DESC);
CREATE INDEX approvals_pending ON approvals (requested_at_ms DESC, id DESC) WHERE status = 'pending';

-- Grows with every write to a connection's inventory: sums over it that were read before hold while it stays the same. Each kind of
-- writer has a row of its own, so that an inventory that is being taken over keeps no other writer waiting.
CREATE TABLE resource_revisions (
    connection_id TEXT COLLATE "binary" NOT NULL REFERENCES connections (id) ON DELETE CASCADE,
    writer        TEXT COLLATE "binary" NOT NULL,
    revision      BIGINT NOT NULL,
    PRIMARY KEY (connection_id, writer)
);
CREATE INDEX resources_summed
    ON resources (connection_id, state, provider, account, region, service, kind, monthly_cost);

-- What ended long ago is found without reading the rest.
CREATE INDEX deliveries_ended ON deliveries (finished_at_ms) WHERE finished_at_ms IS NOT NULL;
