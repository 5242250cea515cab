-- Notices about spot capacity, and the queues that they come from.

-- An event is stored once. `at_ms` is the time of the event, Unix milliseconds.
CREATE TABLE spot_notices (
    connection_id TEXT COLLATE "binary" NOT NULL REFERENCES connections (id) ON DELETE CASCADE,
    event_id      TEXT COLLATE "binary" NOT NULL,
    resource_id   TEXT COLLATE "binary" NOT NULL,
    at_ms         BIGINT NOT NULL,
    document      TEXT NOT NULL,
    PRIMARY KEY (connection_id, event_id)
);
CREATE INDEX spot_notices_by_time ON spot_notices (at_ms);

CREATE TABLE spot_sources (
    connection_id TEXT COLLATE "binary" NOT NULL PRIMARY KEY REFERENCES connections (id) ON DELETE CASCADE,
    queue_url     TEXT COLLATE "binary" NOT NULL,
    document      TEXT NOT NULL
);
