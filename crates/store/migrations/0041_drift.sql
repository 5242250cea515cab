-- Baselines, the documents that they pin, and the drifts from them. Rows are JSON; columns beside it are what lists and
-- comparisons ask for.

-- `name_key` is the name in lower case.
CREATE TABLE baselines (
    id       TEXT COLLATE "binary" NOT NULL PRIMARY KEY,
    name_key TEXT COLLATE "binary" NOT NULL,
    revision BIGINT NOT NULL,
    document TEXT NOT NULL
);
CREATE UNIQUE INDEX baselines_by_name ON baselines (name_key);

-- The rows of a baseline's revision are its pinned documents; those of another one are being pinned, or were left by a program
-- that ended while it pinned. There is no reference to the baseline: documents are pinned before the baseline is there.
CREATE TABLE pinned_documents (
    baseline_id   TEXT COLLATE "binary" NOT NULL,
    revision      BIGINT NOT NULL,
    connection_id TEXT COLLATE "binary" NOT NULL REFERENCES connections (id) ON DELETE CASCADE,
    resource_id   TEXT COLLATE "binary" NOT NULL,
    hash          TEXT COLLATE "binary" NOT NULL,
    document      TEXT NOT NULL,
    PRIMARY KEY (baseline_id, revision, connection_id, resource_id)
);
CREATE INDEX pinned_documents_by_hash ON pinned_documents (hash);
CREATE INDEX pinned_documents_by_connection ON pinned_documents (connection_id);

CREATE TABLE drifts (
    id            TEXT COLLATE "binary" NOT NULL PRIMARY KEY,
    baseline_id   TEXT COLLATE "binary" NOT NULL REFERENCES baselines (id) ON DELETE CASCADE,
    connection_id TEXT COLLATE "binary" NOT NULL REFERENCES connections (id) ON DELETE CASCADE,
    resource_id   TEXT COLLATE "binary" NOT NULL,
    kind          TEXT NOT NULL,
    state         TEXT NOT NULL,
    changed_at_ms BIGINT NOT NULL,
    -- End of the acceptance; 0 unless the state is accepted.
    ends_at_ms    BIGINT NOT NULL,
    document      TEXT NOT NULL
);
CREATE UNIQUE INDEX drifts_unresolved ON drifts (baseline_id, connection_id, resource_id) WHERE state <> 'resolved';
CREATE INDEX drifts_by_change ON drifts (changed_at_ms, id);
CREATE INDEX drifts_by_resource ON drifts (connection_id, resource_id);
CREATE INDEX drifts_accepted ON drifts (ends_at_ms, id) WHERE state = 'accepted';

-- Documents that drifts show, so that none is removed while a drift needs it.
CREATE TABLE drift_documents (
    drift_id TEXT COLLATE "binary" NOT NULL REFERENCES drifts (id) ON DELETE CASCADE,
    hash     TEXT COLLATE "binary" NOT NULL,
    PRIMARY KEY (drift_id, hash)
);
CREATE INDEX drift_documents_by_hash ON drift_documents (hash);

-- Beginning of the last sync of a connection that was compared with the baselines.
CREATE TABLE drift_comparisons (
    connection_id TEXT COLLATE "binary" NOT NULL PRIMARY KEY REFERENCES connections (id) ON DELETE CASCADE,
    until_ms      BIGINT NOT NULL
);

-- Versions since a time, so that a comparison costs what changed.
CREATE INDEX resource_versions_recent ON resource_versions (connection_id, seen_at_ms, resource_id) WHERE is_current = 1;
