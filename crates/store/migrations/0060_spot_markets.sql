-- Markets of spot capacity: prices and placement scores of a connection in a region, as the last
-- reading left them.
CREATE TABLE spot_markets (
    connection_id TEXT COLLATE "binary" NOT NULL REFERENCES connections (id) ON DELETE CASCADE,
    region        TEXT COLLATE "binary" NOT NULL,
    document      TEXT NOT NULL,
    PRIMARY KEY (connection_id, region)
);
