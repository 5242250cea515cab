-- What agents have learned: one row a version, its state apart, and what recommendations were judged by.

CREATE TABLE models (
    id            TEXT COLLATE "binary" NOT NULL PRIMARY KEY,
    agent_id      TEXT COLLATE "binary" NOT NULL,
    name          TEXT COLLATE "binary" NOT NULL,
    model_type    TEXT NOT NULL,
    version       BIGINT NOT NULL,
    status        TEXT NOT NULL,
    trained_at_ms BIGINT NOT NULL,
    revision      BIGINT NOT NULL,
    document      TEXT NOT NULL,
    UNIQUE (agent_id, name, version)
);
-- Two never serve.
CREATE UNIQUE INDEX models_one_serving ON models (agent_id, name) WHERE status = 'serving';

CREATE TABLE model_states (
    model_id TEXT COLLATE "binary" NOT NULL PRIMARY KEY REFERENCES models (id) ON DELETE CASCADE,
    state    TEXT NOT NULL
);

CREATE TABLE trust_notes (
    recommendation_id TEXT COLLATE "binary" NOT NULL PRIMARY KEY,
    at_ms             BIGINT NOT NULL,
    document          TEXT NOT NULL
);
CREATE INDEX trust_notes_by_time ON trust_notes (at_ms);
