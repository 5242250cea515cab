-- Retention of the log: policies, version by version, and legal holds.

CREATE TABLE retention_policies (
    version  BIGINT NOT NULL PRIMARY KEY,
    document TEXT NOT NULL
);

CREATE TABLE legal_holds (
    id            TEXT COLLATE "binary" NOT NULL PRIMARY KEY,
    version       BIGINT NOT NULL,
    created_at_ms BIGINT NOT NULL,
    document      TEXT NOT NULL
);
