import { Button, Code, Group, Stack, Text } from '@mantine/core';
import { IconListDetails, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ValueList } from '../../../api/bodies';
import { useMay } from '../../../api/session';
import { count } from '../../../display/amounts';
import { DataTable, type Column } from '../../../display/DataTable';
import { EmptyState } from '../../../display/EmptyState';
import { lazyComponent } from '../../../display/lazy';
import { ProblemAlert } from '../../../display/ProblemAlert';
import { When } from '../../../display/When';
import { listsQuery } from './queries';

const ListDialog = lazyComponent(() => import('./ListDialog'), 'ListDialog');

const COLUMNS: Column<ValueList>[] = [
  {
    id: 'name',
    header: 'List',
    sortBy: (row) => row.name,
    cell: (row) => (
      <div style={{ maxWidth: 420 }}>
        <Text size="sm" fw={550}>
          {row.name}
        </Text>
        <Text size="xs" className="muted">
          {row.description}
        </Text>
      </div>
    ),
  },
  { id: 'query', header: 'In a query', cell: (row) => <Code>@{row.name}</Code> },
  {
    id: 'size',
    header: 'Values',
    align: 'right',
    sortBy: (row) => row.size,
    cell: (row) => count(row.size),
  },
  {
    id: 'updated',
    header: 'Updated',
    sortBy: (row) => row.updated_at,
    cell: (row) => <When at={row.updated_at} />,
  },
  { id: 'by', header: 'By', sortBy: (row) => row.updated_by, cell: (row) => row.updated_by },
];

/** Lists of values that searches and alert rules compare with. */
export function Lists() {
  const change = useMay()('audit.alerts');
  const [opened, setOpened] = useState<{ list?: ValueList } | null>(null);
  const { data, error, refetch } = useQuery(listsQuery);
  return (
    <Stack gap="md">
      <Group justify="space-between" gap="sm">
        <Text size="sm" className="muted" maw={720}>
          Addresses, networks and texts to compare with in searches and alert rules, such as{' '}
          <Code>NOT actor.ip_address:@known_addresses</Code>. A change takes effect at once.
        </Text>
        {change && (
          <Button leftSection={<IconPlus size={16} />} onClick={() => setOpened({})}>
            Add a list
          </Button>
        )}
      </Group>
      {error ? (
        <ProblemAlert error={error} onRetry={() => void refetch()} />
      ) : (
        <DataTable
          label="Lists"
          columns={COLUMNS}
          rows={data?.items}
          rowId={(row) => row.name}
          pageSize={25}
          onOpen={(list) => setOpened({ list })}
          empty={
            <EmptyState title="No list yet" icon={<IconListDetails size={22} />}>
              {change
                ? 'Add known addresses, important people or hosts under suspicion, one a line.'
                : 'Audit administrators can add one.'}
            </EmptyState>
          }
        />
      )}
      {opened && <ListDialog list={opened.list} locked={!change} onClose={() => setOpened(null)} />}
    </Stack>
  );
}
