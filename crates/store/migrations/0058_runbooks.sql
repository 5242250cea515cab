-- Runbooks of people, applications of all runbooks, and their circuit breakers.

CREATE TABLE runbooks (
    name     TEXT COLLATE "binary" NOT NULL PRIMARY KEY,
    version  BIGINT NOT NULL,
    document TEXT NOT NULL
);

-- One application is one action. `started_at_ms` is Unix milliseconds.
CREATE TABLE runbook_applications (
    action_id     TEXT COLLATE "binary" NOT NULL PRIMARY KEY,
    runbook       TEXT COLLATE "binary" NOT NULL,
    started_at_ms BIGINT NOT NULL,
    document      TEXT NOT NULL
);
CREATE INDEX runbook_applications_by_time ON runbook_applications (started_at_ms);

-- An empty connection and resource are those of the breaker of a runbook on all resources.
CREATE TABLE runbook_breakers (
    runbook       TEXT COLLATE "binary" NOT NULL,
    connection_id TEXT COLLATE "binary" NOT NULL,
    resource_id   TEXT COLLATE "binary" NOT NULL,
    document      TEXT NOT NULL,
    PRIMARY KEY (runbook, connection_id, resource_id)
);
