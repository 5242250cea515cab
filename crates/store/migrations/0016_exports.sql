-- Exports, scheduled exports and destinations.

CREATE TABLE exports (
    id            TEXT COLLATE "binary" NOT NULL PRIMARY KEY,
    user_id       TEXT COLLATE "binary" NOT NULL,
    schedule_id   TEXT COLLATE "binary",
    state         TEXT NOT NULL,
    created_at_ms BIGINT NOT NULL,
    expires_at_ms BIGINT,
    version       BIGINT NOT NULL,
    document      TEXT NOT NULL
);
CREATE INDEX exports_created ON exports (created_at_ms, id);
CREATE INDEX exports_waiting ON exports (created_at_ms) WHERE state IN ('queued', 'running');
CREATE INDEX exports_expiring ON exports (expires_at_ms) WHERE expires_at_ms IS NOT NULL;

CREATE TABLE export_schedules (
    id       TEXT COLLATE "binary" NOT NULL PRIMARY KEY,
    name     TEXT COLLATE "binary" NOT NULL UNIQUE,
    version  BIGINT NOT NULL,
    document TEXT NOT NULL
);

CREATE TABLE export_destinations (
    id       TEXT COLLATE "binary" NOT NULL PRIMARY KEY,
    name     TEXT COLLATE "binary" NOT NULL UNIQUE,
    version  BIGINT NOT NULL,
    document TEXT NOT NULL,
    secret   TEXT NOT NULL
);
