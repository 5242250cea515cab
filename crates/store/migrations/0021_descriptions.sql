-- Configuration documents of resources with their versions, relations, and accounts of readings by kind.

-- A document is kept once, however many resources and versions have it. `content` is its canonical JSON, compressed
-- with zstd, in base64; `hash` is the SHA-256 of the canonical JSON in hexadecimal.
CREATE TABLE resource_documents (
    hash    TEXT COLLATE "binary" NOT NULL PRIMARY KEY,
    bytes   BIGINT NOT NULL,
    content TEXT NOT NULL
);

-- `hash` is empty from the moment at which the resource was gone.
CREATE TABLE resource_versions (
    connection_id TEXT COLLATE "binary" NOT NULL REFERENCES connections (id) ON DELETE CASCADE,
    resource_id   TEXT COLLATE "binary" NOT NULL,
    seen_at_ms    BIGINT NOT NULL,
    hash          TEXT COLLATE "binary" NOT NULL,
    is_current    BIGINT NOT NULL,
    PRIMARY KEY (connection_id, resource_id, seen_at_ms)
);
CREATE UNIQUE INDEX resource_versions_current ON resource_versions (connection_id, resource_id) WHERE is_current = 1;
CREATE INDEX resource_versions_by_hash ON resource_versions (hash);
-- What expiry looks for.
CREATE INDEX resource_versions_ended ON resource_versions (seen_at_ms) WHERE is_current = 0;
CREATE INDEX resource_versions_gone ON resource_versions (seen_at_ms) WHERE is_current = 1 AND hash = '';

CREATE TABLE resource_relations (
    connection_id TEXT COLLATE "binary" NOT NULL REFERENCES connections (id) ON DELETE CASCADE,
    resource_id   TEXT COLLATE "binary" NOT NULL,
    relation      TEXT COLLATE "binary" NOT NULL,
    target_id     TEXT COLLATE "binary" NOT NULL,
    PRIMARY KEY (connection_id, resource_id, relation, target_id)
);
CREATE INDEX resource_relations_by_target ON resource_relations (connection_id, target_id);

CREATE TABLE resource_readings (
    connection_id  TEXT COLLATE "binary" NOT NULL REFERENCES connections (id) ON DELETE CASCADE,
    kind           TEXT COLLATE "binary" NOT NULL,
    region         TEXT COLLATE "binary" NOT NULL,
    outcome        TEXT NOT NULL,
    permission     TEXT NOT NULL,
    seen           BIGINT NOT NULL,
    message        TEXT NOT NULL,
    begun_at_ms    BIGINT NOT NULL,
    read_at_ms     BIGINT NOT NULL,
    complete_at_ms BIGINT,
    PRIMARY KEY (connection_id, kind, region)
);

-- Beginning of the last complete reading of a kind; an empty region is all of them. What it saw and did not find changed is
-- not written again: this is the time at which it was last seen.
CREATE TABLE resource_sightings (
    connection_id TEXT COLLATE "binary" NOT NULL REFERENCES connections (id) ON DELETE CASCADE,
    kind          TEXT COLLATE "binary" NOT NULL,
    region        TEXT COLLATE "binary" NOT NULL,
    seen_at_ms    BIGINT NOT NULL,
    PRIMARY KEY (connection_id, kind, region)
);

-- What a sync looks for to find what is gone, and walks over all resources and over those of a kind.
CREATE INDEX resources_by_connection_kind ON resources (connection_id, kind, id);
DROP INDEX resources_by_kind;
CREATE INDEX resources_by_kind ON resources (kind, id, connection_id);
DROP INDEX resources_by_id;
CREATE INDEX resources_by_id ON resources (id, connection_id);
