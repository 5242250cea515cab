-- Restores: entries of the cold tier that can be searched for some days.

CREATE TABLE log_restores (
    id            TEXT COLLATE "binary" NOT NULL PRIMARY KEY,
    version       BIGINT NOT NULL,
    created_at_ms BIGINT NOT NULL,
    document      TEXT NOT NULL
);
