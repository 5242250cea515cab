-- The first schema, for SQLite and PostgreSQL alike.
--
-- Times are milliseconds since the epoch, money is millionths of a dollar, yes and no are 1 and 0. Columns hold what is
-- filtered, sorted or kept unique; everything else stands in `document`, a versioned JSON text. Texts that are sorted
-- carry COLLATE "binary", so that both databases order them by their bytes.

CREATE TABLE users (
    id            TEXT COLLATE "binary" NOT NULL PRIMARY KEY,
    email         TEXT COLLATE "binary" NOT NULL UNIQUE,
    name          TEXT NOT NULL,
    active        BIGINT NOT NULL,
    created_at_ms BIGINT NOT NULL,
    document      TEXT NOT NULL
);

CREATE TABLE teams (
    id            TEXT COLLATE "binary" NOT NULL PRIMARY KEY,
    name          TEXT COLLATE "binary" NOT NULL UNIQUE,
    created_at_ms BIGINT NOT NULL
);

CREATE TABLE memberships (
    user_id  TEXT COLLATE "binary" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    team_id  TEXT COLLATE "binary" NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
    position BIGINT NOT NULL,
    PRIMARY KEY (user_id, team_id)
);
CREATE INDEX memberships_by_team ON memberships (team_id);

CREATE TABLE tokens (
    id              TEXT COLLATE "binary" NOT NULL PRIMARY KEY,
    user_id         TEXT COLLATE "binary" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    hash            TEXT COLLATE "binary" NOT NULL UNIQUE,
    created_at_ms   BIGINT NOT NULL,
    expires_at_ms   BIGINT,
    last_used_at_ms BIGINT,
    document        TEXT NOT NULL
);
CREATE INDEX tokens_by_user ON tokens (user_id);

CREATE TABLE sessions (
    id            TEXT COLLATE "binary" NOT NULL PRIMARY KEY,
    user_id       TEXT COLLATE "binary" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    hash          TEXT COLLATE "binary" NOT NULL UNIQUE,
    created_at_ms BIGINT NOT NULL,
    expires_at_ms BIGINT NOT NULL,
    document      TEXT NOT NULL
);
CREATE INDEX sessions_by_user ON sessions (user_id);
CREATE INDEX sessions_by_end ON sessions (expires_at_ms);

-- `secret` is the sealed credentials (src/vault.rs), never plain text.
CREATE TABLE connections (
    id            TEXT COLLATE "binary" NOT NULL PRIMARY KEY,
    name          TEXT COLLATE "binary" NOT NULL,
    provider      TEXT NOT NULL,
    account       TEXT NOT NULL,
    status        TEXT NOT NULL,
    created_at_ms BIGINT NOT NULL,
    document      TEXT NOT NULL,
    secret        TEXT NOT NULL
);

-- `search` is id, name and tag values in lower case, one a line.
CREATE TABLE resources (
    connection_id  TEXT COLLATE "binary" NOT NULL REFERENCES connections (id) ON DELETE CASCADE,
    id             TEXT COLLATE "binary" NOT NULL,
    provider       TEXT NOT NULL,
    account        TEXT NOT NULL,
    region         TEXT NOT NULL,
    service        TEXT NOT NULL,
    kind           TEXT NOT NULL,
    state          TEXT NOT NULL,
    monthly_cost   BIGINT,
    observed_at_ms BIGINT NOT NULL,
    search         TEXT NOT NULL,
    document       TEXT NOT NULL,
    PRIMARY KEY (connection_id, id)
);
CREATE INDEX resources_by_id ON resources (id);
CREATE INDEX resources_by_kind ON resources (kind);

CREATE TABLE agents (
    id            TEXT COLLATE "binary" NOT NULL PRIMARY KEY,
    agent_type    TEXT NOT NULL,
    name          TEXT NOT NULL,
    mode          TEXT NOT NULL,
    created_at_ms BIGINT NOT NULL,
    version       BIGINT NOT NULL,
    document      TEXT NOT NULL
);

-- `is_open` is 1 until the recommendation has ended; `priority` is 0 for critical, 3 for low.
CREATE TABLE recommendations (
    id              TEXT COLLATE "binary" NOT NULL PRIMARY KEY,
    agent_id        TEXT COLLATE "binary" NOT NULL,
    agent_type      TEXT NOT NULL,
    kind            TEXT NOT NULL,
    status          TEXT NOT NULL,
    is_open         BIGINT NOT NULL,
    priority        BIGINT NOT NULL,
    confidence      DOUBLE PRECISION NOT NULL,
    savings         BIGINT NOT NULL,
    connection_id   TEXT COLLATE "binary" NOT NULL,
    provider        TEXT NOT NULL,
    account         TEXT NOT NULL,
    region          TEXT NOT NULL,
    resource_id     TEXT COLLATE "binary" NOT NULL,
    created_at_ms   BIGINT NOT NULL,
    version         BIGINT NOT NULL,
    document        TEXT NOT NULL
);
-- Account and region stand in it because a database or bucket name is unique only there; the connection does not,
-- because two connections may see the same account.
CREATE UNIQUE INDEX recommendations_one_open
    ON recommendations (provider, account, region, resource_id, kind) WHERE is_open = 1;
CREATE INDEX recommendations_by_status ON recommendations (status);
CREATE INDEX recommendations_by_agent ON recommendations (agent_id);
CREATE INDEX recommendations_by_resource ON recommendations (resource_id);

CREATE TABLE approvals (
    id                TEXT COLLATE "binary" NOT NULL PRIMARY KEY,
    recommendation_id TEXT COLLATE "binary" NOT NULL,
    status            TEXT NOT NULL,
    requested_at_ms   BIGINT NOT NULL,
    version           BIGINT NOT NULL,
    document          TEXT NOT NULL
);
CREATE INDEX approvals_by_recommendation ON approvals (recommendation_id);

CREATE TABLE actions (
    id                TEXT COLLATE "binary" NOT NULL PRIMARY KEY,
    recommendation_id TEXT COLLATE "binary" NOT NULL,
    status            TEXT NOT NULL,
    started_at_ms     BIGINT NOT NULL,
    version           BIGINT NOT NULL,
    document          TEXT NOT NULL
);
CREATE INDEX actions_by_recommendation ON actions (recommendation_id);
CREATE INDEX actions_by_start ON actions (started_at_ms);

CREATE TABLE feedback (
    id                TEXT COLLATE "binary" NOT NULL PRIMARY KEY,
    recommendation_id TEXT COLLATE "binary" NOT NULL,
    at_ms             BIGINT NOT NULL,
    document          TEXT NOT NULL
);
CREATE INDEX feedback_by_recommendation ON feedback (recommendation_id);

-- One row, with id 1.
CREATE TABLE guardrails (
    id       BIGINT NOT NULL PRIMARY KEY CHECK (id = 1),
    version  BIGINT NOT NULL,
    document TEXT NOT NULL
);

CREATE TABLE settings (
    name     TEXT COLLATE "binary" NOT NULL PRIMARY KEY,
    document TEXT NOT NULL
);

CREATE TABLE leases (
    name          TEXT COLLATE "binary" NOT NULL PRIMARY KEY,
    owner         TEXT NOT NULL,
    expires_at_ms BIGINT NOT NULL
);
