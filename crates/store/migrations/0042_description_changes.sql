-- Changes of configuration documents and relations, numbered by connection: runs over changes continue from a number.

-- Last number of each connection. It stays when changes are removed, so that none is given twice.
CREATE TABLE description_revisions (
    connection_id TEXT COLLATE "binary" NOT NULL PRIMARY KEY REFERENCES connections (id) ON DELETE CASCADE,
    revision      BIGINT NOT NULL
);

-- Number of the last write that changed the document or the relations of a resource, or removed a relation that pointed at it.
CREATE TABLE description_changes (
    connection_id TEXT COLLATE "binary" NOT NULL REFERENCES connections (id) ON DELETE CASCADE,
    resource_id   TEXT COLLATE "binary" NOT NULL,
    revision      BIGINT NOT NULL,
    PRIMARY KEY (connection_id, resource_id)
);
CREATE INDEX description_changes_by_revision ON description_changes (connection_id, revision, resource_id);
