-- Lists of indicators that operators supply: addresses, networks, user agents.

CREATE TABLE threat_lists (
    name          TEXT COLLATE "binary" NOT NULL PRIMARY KEY,
    updated_at_ms BIGINT NOT NULL,
    document      TEXT NOT NULL
);
