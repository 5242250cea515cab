-- Sources of entries, and their events that could not become entries.

CREATE TABLE log_sources (
    id            TEXT COLLATE "binary" NOT NULL PRIMARY KEY,
    name          TEXT COLLATE "binary" NOT NULL UNIQUE,
    created_at_ms BIGINT NOT NULL,
    version       BIGINT NOT NULL,
    token_hash    TEXT COLLATE "binary" NOT NULL UNIQUE,
    document      TEXT NOT NULL,
    progress      TEXT
);

CREATE TABLE log_source_quarantine (
    id             TEXT COLLATE "binary" NOT NULL PRIMARY KEY,
    source_id      TEXT COLLATE "binary" NOT NULL,
    received_at_ms BIGINT NOT NULL,
    field          TEXT NOT NULL,
    message        TEXT NOT NULL,
    -- The event in base64: it may be any bytes.
    raw            TEXT NOT NULL,
    is_whole       BIGINT  NOT NULL,
    attempts       BIGINT NOT NULL
);
CREATE INDEX log_source_quarantine_of_source ON log_source_quarantine (source_id, received_at_ms, id);
