-- Attack chains. Rows are JSON; the time beside it is what lists ask for.

CREATE TABLE attack_chains (
    id         TEXT COLLATE "binary" NOT NULL PRIMARY KEY,
    last_at_ms BIGINT NOT NULL,
    document   TEXT NOT NULL
);
CREATE INDEX attack_chains_by_last ON attack_chains (last_at_ms, id);
