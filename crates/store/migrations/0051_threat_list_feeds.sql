-- Addresses that threat lists are read from, and how the last reading ended.

CREATE TABLE threat_list_feeds (
    name       TEXT COLLATE "binary" NOT NULL PRIMARY KEY,
    due_at_ms  BIGINT NOT NULL,
    document   TEXT NOT NULL
);
