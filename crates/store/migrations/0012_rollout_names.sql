-- Rollouts that nobody named were called by their kind as it is written here (`right_size of Costs on 1 resources`); new ones have a name in
-- words, and the old ones get theirs: `Right size of Costs on 1 resource`. A quote inside a name is escaped, so that only the
-- document's own member reads like this.

UPDATE rollouts SET document = REPLACE(REPLACE(document,
    '"name":"' || kind || ' of ', '"name":"' || UPPER(SUBSTR(kind, 1, 1)) || REPLACE(SUBSTR(kind, 2), '_', ' ') || ' of '),
    ' on 1 resources","agent_id":', ' on 1 resource","agent_id":')
WHERE document LIKE '%"name":"' || kind || ' of % resources","agent_id":%';
