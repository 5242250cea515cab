-- Price files that administrators import, with their content compressed as the configurations of resources are.

CREATE TABLE price_files (
    provider TEXT COLLATE "binary" NOT NULL,
    kind     TEXT COLLATE "binary" NOT NULL,
    document TEXT NOT NULL,
    content  TEXT NOT NULL,
    PRIMARY KEY (provider, kind)
);
