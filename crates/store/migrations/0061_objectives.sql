-- Objectives that people set for services, and how each stands.

CREATE TABLE objectives (
    id       TEXT COLLATE "binary" NOT NULL PRIMARY KEY,
    name     TEXT COLLATE "binary" NOT NULL UNIQUE,
    version  BIGINT NOT NULL,
    document TEXT NOT NULL,
    -- Nothing until the objective was measured since its last change.
    standing TEXT
);
