import { Alert, Anchor, Button, Group, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { DataTable, type Column } from '../../../display/DataTable';
import { EmptyState } from '../../../display/EmptyState';
import { lazyComponent } from '../../../display/lazy';
import { Panel } from '../../../display/Panel';
import { ProblemAlert } from '../../../display/ProblemAlert';
import { Remove } from '../../../display/Remove';
import { KINDS } from './kinds';
import {
  destinationsQuery,
  removeDestination,
  testDestination,
  useChange,
  type Destination,
} from './queries';

const DestinationForm = lazyComponent(() => import('./DestinationForm'), 'DestinationForm');

/** Destinations that exports are carried to. */
export function Destinations() {
  const { data, error, refetch } = useQuery(destinationsQuery);
  const [adding, setAdding] = useState(false);
  const test = useChange(testDestination);
  const columns: Column<Destination>[] = [
    {
      id: 'name',
      header: 'Destination',
      lead: true,
      sortBy: (row) => row.name,
      cell: (row) => (
        <Text size="sm" fw={550}>
          {row.name}
        </Text>
      ),
    },
    {
      id: 'kind',
      header: 'Type',
      cell: (row) => KINDS.find(({ value }) => value === row.type)?.label ?? row.type,
    },
    {
      id: 'place',
      header: 'Place',
      cell: (row) =>
        [row.settings.bucket ?? row.settings.container ?? row.settings.host, row.prefix]
          .filter(Boolean)
          .join('/') || 'Top folder',
    },
    {
      id: 'actions',
      header: '',
      cell: (row) => (
        <Group gap="md">
          <Anchor
            component="button"
            size="sm"
            aria-label={`Test connection to ${row.name}`}
            onClick={() => test.mutate(row.id)}
          >
            {test.isPending && test.variables === row.id ? 'Testing' : 'Test connection'}
          </Anchor>
          <Remove
            room="exports"
            what={row.name}
            explain="Exports are no longer delivered to it. Files that it has stay."
            remove={() => removeDestination(row.id)}
          />
        </Group>
      ),
    },
  ];
  return (
    <Panel
      title="Destinations"
      flush
      actions={
        <Button
          variant="default"
          leftSection={<IconPlus size={16} />}
          onClick={() => setAdding(true)}
        >
          Add destination
        </Button>
      }
    >
      {error ? (
        <ProblemAlert error={error} onRetry={() => void refetch()} />
      ) : (
        <DataTable
          bare
          label="Destinations"
          columns={columns}
          rows={data?.items}
          rowId={(row) => row.id}
          pageSize={10}
          empty={
            <EmptyState title="No destinations">
              Exports can be downloaded. Add a bucket to have them delivered.
            </EmptyState>
          }
        />
      )}
      {test.data && (
        <Alert
          m="md"
          color={test.data.reachable ? 'green' : 'red'}
          title={test.data.reachable ? 'Reachable' : 'Not reachable'}
        >
          {test.data.reachable
            ? `A small file was written to ${test.data.address}`
            : test.data.error}
        </Alert>
      )}
      <ProblemAlert error={test.error} />
      {adding && <DestinationForm onClose={() => setAdding(false)} />}
    </Panel>
  );
}
