-- Rollouts, and what recommendations are listed by: the dollars a month that each is expected to be worth.

ALTER TABLE recommendations ADD COLUMN expected_value DOUBLE PRECISION NOT NULL DEFAULT 0;

CREATE TABLE rollouts (
    id            TEXT COLLATE "binary" NOT NULL PRIMARY KEY,
    agent_id      TEXT COLLATE "binary" NOT NULL,
    kind          TEXT NOT NULL,
    status        TEXT NOT NULL,
    is_open       BIGINT NOT NULL,
    created_at_ms BIGINT NOT NULL,
    version       BIGINT NOT NULL,
    document      TEXT NOT NULL
);
-- Two of one agent and kind would walk over each other.
CREATE UNIQUE INDEX rollouts_one_open ON rollouts (agent_id, kind) WHERE is_open = 1;
CREATE INDEX rollouts_by_start ON rollouts (created_at_ms);
