import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { IconCircleOff, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Exclusion } from '../../../api/bodies';
import { useMay } from '../../../api/session';
import { DataTable, type Column } from '../../../display/DataTable';
import { EmptyState } from '../../../display/EmptyState';
import { lazyComponent } from '../../../display/lazy';
import { ProblemAlert } from '../../../display/ProblemAlert';
import { Remove } from '../../../display/Remove';
import { Status } from '../../../display/Status';
import { When } from '../../../display/When';
import { words } from '../../../display/wording';
import { endExclusion, exclusionsQuery } from './queries';

const ExclusionForm = lazyComponent(() => import('./ExclusionForm'), 'ExclusionForm');

function What({ of: one, linked }: { of: Exclusion; linked: boolean }) {
  const { resource, account, type } = one;
  return (
    <div style={{ minWidth: 180, maxWidth: 340 }}>
      <Text size="sm" fw={550} style={{ overflowWrap: 'anywhere' }}>
        {resource &&
          (linked ? (
            <Anchor
              inherit
              c="inherit"
              renderRoot={(props) => (
                <Link to="/estate/resources/$id" params={{ id: resource }} {...props} />
              )}
            >
              {resource}
            </Anchor>
          ) : (
            resource
          ))}
        {!resource && (type ? words(type) : `Account ${account ?? ''}`)}
      </Text>
      <Text size="xs" className="muted">
        {[
          resource && (type ? words(type) : 'All types'),
          !resource && 'All resources',
          account && (resource || type) && `in account ${account}`,
        ]
          .filter(Boolean)
          .join(' · ')}
      </Text>
    </div>
  );
}

/** What people do not want to be recommended, and until when. */
export function Exclusions() {
  const may = useMay();
  const { data, error, refetch } = useQuery(exclusionsQuery);
  const [adding, setAdding] = useState(false);
  const operate = may('intelligence.operate');
  const add = operate ? (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setAdding(true)}>
      Exclude
    </Button>
  ) : undefined;
  const columns: Column<Exclusion>[] = [
    {
      id: 'what',
      header: 'Not recommended',
      sortBy: (row) => row.resource ?? row.account ?? row.type ?? '',
      cell: (row) => <What of={row} linked={may('estate.view')} />,
    },
    {
      id: 'reason',
      header: 'Reason',
      cell: (row) => (
        <div style={{ minWidth: 160, maxWidth: 320 }}>
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            {row.reason}
          </Text>
        </div>
      ),
    },
    {
      id: 'holds',
      header: 'Status',
      sortBy: (row) => Number(row.holds),
      cell: (row) => (
        <Status of={row.holds ? 'active' : 'expired'} label={row.holds ? 'Holds' : 'Ended'} />
      ),
    },
    {
      id: 'until',
      header: 'Ends',
      sortBy: (row) => row.until ?? '9',
      cell: (row) =>
        row.until ? (
          <When at={row.until} form="full" />
        ) : (
          <Text span size="sm" className="muted">
            no end
          </Text>
        ),
    },
    {
      id: 'by',
      header: 'Created by',
      sortBy: (row) => row.by,
      cell: (row) => (
        <div>
          <Text size="sm">{row.by}</Text>
          <Text size="xs" className="muted">
            <When at={row.at} />
          </Text>
        </div>
      ),
    },
    ...(operate
      ? [
          {
            id: 'do',
            header: '',
            align: 'right' as const,
            cell: (row: Exclusion) => (
              <Remove
                room="intelligence"
                verb={row.holds ? 'End' : 'Remove'}
                what="exclusion"
                explain={
                  row.holds
                    ? 'Recommendations can be created again at the next run. The audit log keeps a record.'
                    : 'Already ended. Removes it from the list.'
                }
                remove={() => endExclusion(row.id)}
              />
            ),
          },
        ]
      : []),
  ];
  return (
    <Stack gap="md">
      {error ? (
        <ProblemAlert error={error} onRetry={() => void refetch()} />
      ) : (
        <>
          {data && data.items.length > 0 && (
            <Group justify="space-between">
              <Text size="sm" className="muted" maw={640}>
                Each exclusion has a reason, an owner and usually an end.
              </Text>
              {add}
            </Group>
          )}
          <DataTable
            label="Exclusions"
            columns={columns}
            rows={data && [...data.items].reverse()}
            rowId={(row) => row.id}
            pageSize={25}
            empty={
              <EmptyState
                title="No exclusions"
                icon={<IconCircleOff size={22} />}
                action={add && <div style={{ marginTop: 12 }}>{add}</div>}
              >
                {add
                  ? 'Exclude resources, accounts or types that should get no recommendations. You can also exclude from any recommendation.'
                  : 'Operators and administrators can exclude resources, accounts or types of recommendations.'}
              </EmptyState>
            }
          />
        </>
      )}
      {adding && <ExclusionForm onClose={() => setAdding(false)} />}
    </Stack>
  );
}
