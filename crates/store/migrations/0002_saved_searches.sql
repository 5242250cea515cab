-- Searches that people keep; the question alone, never what it found.

CREATE TABLE saved_searches (
    id            TEXT COLLATE "binary" NOT NULL PRIMARY KEY,
    owner_id      TEXT COLLATE "binary" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    name          TEXT COLLATE "binary" NOT NULL,
    shared_with   TEXT NOT NULL,
    created_at_ms BIGINT NOT NULL,
    updated_at_ms BIGINT NOT NULL,
    version       BIGINT NOT NULL,
    document      TEXT NOT NULL,
    UNIQUE (owner_id, name)
);
CREATE INDEX saved_searches_shared ON saved_searches (shared_with);
