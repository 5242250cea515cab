import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Prediction, Rule } from '../../../api/bodies';
import { DataTable, type Column } from '../../../display/DataTable';
import { Panel } from '../../../display/Panel';
import { ProblemAlert } from '../../../display/ProblemAlert';
import { When } from '../../../display/When';
import { Against, Likely } from './Decisions';
import { ThenWhat } from './Forecasts';
import { predictionsQuery } from './queries';

const COLUMNS: Column<Prediction>[] = [
  {
    id: 'resource',
    header: 'Resource',
    lead: true,
    sortBy: (row) => row.resource_name,
    cell: (row) => (
      <Text size="sm" fw={550}>
        {row.resource_name}
      </Text>
    ),
  },
  { id: 'at', header: 'Expected', sortBy: (row) => row.at, cell: (row) => <When at={row.at} /> },
  {
    id: 'likely',
    header: 'Probability',
    sortBy: (row) => row.probability ?? -1,
    cell: (row) => <Likely of={row} />,
  },
  { id: 'value', header: 'Then', cell: (row) => <Against of={row} /> },
  {
    id: 'led',
    header: 'Result',
    cell: (row) => (
      <div style={{ minWidth: 140, maxWidth: 320 }}>
        <ThenWhat of={row} />
      </div>
    ),
  },
];

/** Each time it foresaw something, and what came of it. */
export function FiredRules({ of: rule }: { of: Rule }) {
  const { data, error } = useQuery(
    predictionsQuery({ rule: rule.id, outcome: 'foreseen', limit: 200 }, rule.evaluated_at),
  );
  const none = data?.total === 0;
  return (
    <Panel
      title="Predictions"
      note={data && !none ? `The newest ${data.items.length} of ${data.total}` : undefined}
      flush={!none}
    >
      {error && <ProblemAlert error={error} />}
      {none ? (
        <Text size="sm" className="muted">
          Nothing yet: no forecast has reached {rule.condition.probability} % within its horizon.
        </Text>
      ) : (
        !error && (
          <DataTable
            bare
            label="Predictions"
            columns={COLUMNS}
            rows={data?.items}
            rowId={(row) => row.id}
            pageSize={10}
            empty={null}
          />
        )
      )}
    </Panel>
  );
}
