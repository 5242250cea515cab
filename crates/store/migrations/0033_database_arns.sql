-- RDS instances are identified by their ARNs. Names are unique within an account and region alone, and of two of one name a connection
-- kept the one that was read later. What was kept under a name goes over to the ARN; plans keep their words and hashes.

CREATE TABLE database_arns (
    connection_id TEXT COLLATE "binary" NOT NULL,
    name          TEXT COLLATE "binary" NOT NULL,
    arn           TEXT COLLATE "binary" NOT NULL,
    PRIMARY KEY (connection_id, name)
);
INSERT INTO database_arns (connection_id, name, arn)
SELECT connection_id, id, 'arn:aws' || CASE WHEN region LIKE 'cn-%' THEN '-cn' WHEN region LIKE 'us-gov-%' THEN '-us-gov' ELSE '' END
    || ':rds:' || region || ':' || account || ':db:' || id
FROM resources WHERE provider = 'aws' AND service = 'rds' AND kind = 'database' AND id NOT LIKE 'arn:%';

-- An action names the resource of its recommendation, which says the region.
UPDATE actions SET
    document = REPLACE(document, '"resource":"' || resource_id || '","purpose":"apply"', '"resource":"' || (
        SELECT 'arn:aws' || CASE WHEN r.region LIKE 'cn-%' THEN '-cn' WHEN r.region LIKE 'us-gov-%' THEN '-us-gov' ELSE '' END
            || ':rds:' || r.region || ':' || r.account || ':db:' || r.resource_id
        FROM recommendations AS r WHERE r.id = actions.recommendation_id) || '","purpose":"apply"'),
    resource_id = (
        SELECT 'arn:aws' || CASE WHEN r.region LIKE 'cn-%' THEN '-cn' WHEN r.region LIKE 'us-gov-%' THEN '-us-gov' ELSE '' END
            || ':rds:' || r.region || ':' || r.account || ':db:' || r.resource_id
        FROM recommendations AS r WHERE r.id = actions.recommendation_id)
WHERE EXISTS (
    SELECT 1 FROM recommendations AS r WHERE r.id = actions.recommendation_id AND r.resource_id = actions.resource_id
        AND r.provider = 'aws' AND r.resource_id NOT LIKE 'arn:%'
        AND r.document LIKE '%"kind":"database","provider":"aws"%');
UPDATE recommendations SET
    document = REPLACE(document, '"id":"' || resource_id || '","name":',
        '"id":"arn:aws' || CASE WHEN region LIKE 'cn-%' THEN '-cn' WHEN region LIKE 'us-gov-%' THEN '-us-gov' ELSE '' END
            || ':rds:' || region || ':' || account || ':db:' || resource_id || '","name":'),
    resource_id = 'arn:aws' || CASE WHEN region LIKE 'cn-%' THEN '-cn' WHEN region LIKE 'us-gov-%' THEN '-us-gov' ELSE '' END
        || ':rds:' || region || ':' || account || ':db:' || resource_id
WHERE provider = 'aws' AND resource_id NOT LIKE 'arn:%' AND document LIKE '%"kind":"database","provider":"aws"%';

UPDATE resource_changes SET resource_id = (SELECT arn FROM database_arns AS d
    WHERE d.connection_id = resource_changes.connection_id AND d.name = resource_changes.resource_id)
WHERE EXISTS (SELECT 1 FROM database_arns AS d
    WHERE d.connection_id = resource_changes.connection_id AND d.name = resource_changes.resource_id);
UPDATE resource_versions SET resource_id = (SELECT arn FROM database_arns AS d
    WHERE d.connection_id = resource_versions.connection_id AND d.name = resource_versions.resource_id)
WHERE EXISTS (SELECT 1 FROM database_arns AS d
    WHERE d.connection_id = resource_versions.connection_id AND d.name = resource_versions.resource_id);
UPDATE resource_relations SET resource_id = (SELECT arn FROM database_arns AS d
    WHERE d.connection_id = resource_relations.connection_id AND d.name = resource_relations.resource_id)
WHERE EXISTS (SELECT 1 FROM database_arns AS d
    WHERE d.connection_id = resource_relations.connection_id AND d.name = resource_relations.resource_id);
UPDATE resource_relations SET target_id = (SELECT arn FROM database_arns AS d
    WHERE d.connection_id = resource_relations.connection_id AND d.name = resource_relations.target_id)
WHERE EXISTS (SELECT 1 FROM database_arns AS d
    WHERE d.connection_id = resource_relations.connection_id AND d.name = resource_relations.target_id);

UPDATE workloads SET
    document = REPLACE(document, '"resource":"' || resource_id || '","agent_id":', '"resource":"' || (SELECT arn FROM database_arns AS d
        WHERE d.connection_id = workloads.connection_id AND d.name = workloads.resource_id) || '","agent_id":'),
    resource_id = (SELECT arn FROM database_arns AS d
        WHERE d.connection_id = workloads.connection_id AND d.name = workloads.resource_id)
WHERE EXISTS (SELECT 1 FROM database_arns AS d
    WHERE d.connection_id = workloads.connection_id AND d.name = workloads.resource_id);
UPDATE workload_corrections SET
    document = REPLACE(document, '"resource":"' || resource_id || '","class":', '"resource":"' || (SELECT arn FROM database_arns AS d
        WHERE d.connection_id = workload_corrections.connection_id AND d.name = workload_corrections.resource_id) || '","class":'),
    resource_id = (SELECT arn FROM database_arns AS d
        WHERE d.connection_id = workload_corrections.connection_id AND d.name = workload_corrections.resource_id)
WHERE EXISTS (SELECT 1 FROM database_arns AS d
    WHERE d.connection_id = workload_corrections.connection_id AND d.name = workload_corrections.resource_id);

-- The name of a resource stands in its document after the identifier, and stays.
UPDATE resources SET
    document = REPLACE(document, '"id":"' || id || '","connection":', '"id":"' || (SELECT arn FROM database_arns AS d
        WHERE d.connection_id = resources.connection_id AND d.name = resources.id) || '","connection":'),
    search = LOWER((SELECT arn FROM database_arns AS d
        WHERE d.connection_id = resources.connection_id AND d.name = resources.id)) || '
' || search,
    id = (SELECT arn FROM database_arns AS d WHERE d.connection_id = resources.connection_id AND d.name = resources.id)
WHERE kind = 'database' AND EXISTS (SELECT 1 FROM database_arns AS d
    WHERE d.connection_id = resources.connection_id AND d.name = resources.id);
DROP TABLE database_arns;
