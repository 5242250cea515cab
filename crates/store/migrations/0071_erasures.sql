-- Requests to erase a person's entries of the log.

CREATE TABLE erasure_requests (
    id              TEXT COLLATE "binary" NOT NULL PRIMARY KEY,
    version         BIGINT NOT NULL,
    requested_at_ms BIGINT NOT NULL,
    document        TEXT NOT NULL
);
