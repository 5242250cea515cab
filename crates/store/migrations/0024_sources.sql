-- Sources of metrics and bills beside the clouds' own interfaces.

CREATE TABLE metric_sources (
    id            TEXT COLLATE "binary" NOT NULL PRIMARY KEY,
    name          TEXT COLLATE "binary" NOT NULL UNIQUE,
    created_at_ms BIGINT NOT NULL,
    version       BIGINT NOT NULL,
    token_hash    TEXT COLLATE "binary" UNIQUE,
    secret        TEXT NOT NULL,
    document      TEXT NOT NULL,
    state         TEXT
);

CREATE TABLE bill_sources (
    id            TEXT COLLATE "binary" NOT NULL PRIMARY KEY,
    name          TEXT COLLATE "binary" NOT NULL UNIQUE,
    created_at_ms BIGINT NOT NULL,
    version       BIGINT NOT NULL,
    document      TEXT NOT NULL,
    state         TEXT
);
