-- Findings that people do not want, with a reason and an end.

CREATE TABLE exclusions (
    id       TEXT COLLATE "binary" NOT NULL PRIMARY KEY,
    at_ms    BIGINT NOT NULL,
    document TEXT NOT NULL
);
