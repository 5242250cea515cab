-- The members of a scaling group are found without reading every machine. A group's name may have the wildcards of LIKE.
ALTER TABLE resources ADD COLUMN group_id TEXT COLLATE "binary" NOT NULL DEFAULT '';
UPDATE resources SET group_id = COALESCE((
    SELECT MAX(g.id) FROM resources g
    WHERE g.connection_id = resources.connection_id AND g.kind = 'scaling_group'
        AND resources.document LIKE '%"group":"' || REPLACE(REPLACE(REPLACE(g.id, '!', '!!'), '_', '!_'), '%', '!%') || '"%' ESCAPE '!'
), '')
WHERE document LIKE '%"group":"%';
CREATE INDEX resources_by_group ON resources (connection_id, group_id);
