import { Anchor, Button, SegmentedControl, Stack, Text } from '@mantine/core';
import { IconPlus, IconShieldCheck } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay } from '../../../api/session';
import { count } from '../../../display/amounts';
import { DataTable, type Column } from '../../../display/DataTable';
import { EmptyState } from '../../../display/EmptyState';
import { lazyComponent } from '../../../display/lazy';
import { Panel } from '../../../display/Panel';
import { ProblemAlert } from '../../../display/ProblemAlert';
import { Status } from '../../../display/Status';
import { When } from '../../../display/When';
import { FILTERS, STATUSES, STATUS_COLOURS } from './labels';
import { incidentsQuery, type IncidentSummary } from './queries';

const CreateDialog = lazyComponent(() => import('./CreateDialog'), 'CreateDialog');

const COLUMNS: Column<IncidentSummary>[] = [
  {
    id: 'incident',
    header: 'Incident',
    sortBy: (row) => row.title,
    csv: {
      Incident: (row) => row.title,
      Sources: (row) => row.sources.join(' '),
      Techniques: (row) => row.techniques.join(' '),
    },
    cell: (row) => (
      <div style={{ minWidth: 200, maxWidth: 520 }}>
        <Anchor
          size="sm"
          fw={550}
          style={{ overflowWrap: 'anywhere' }}
          renderRoot={(props) => (
            <Link to="/intelligence/incidents/$id" params={{ id: row.id }} {...props} />
          )}
        >
          {row.title}
        </Anchor>
        <Text size="xs" className="muted">
          {[...row.sources, ...row.techniques].join(' · ')}
        </Text>
      </div>
    ),
  },
  { id: 'severity', header: 'Severity', cell: (row) => <Status of={row.severity} /> },
  {
    id: 'status',
    header: 'Status',
    sortBy: (row) => row.status,
    cell: (row) => <Status of={STATUS_COLOURS[row.status]} label={STATUSES[row.status]} />,
  },
  {
    id: 'findings',
    header: 'Findings',
    sortBy: (row) => row.findings,
    cell: (row) => count(row.findings),
  },
  {
    id: 'owner',
    header: 'Owner',
    sortBy: (row) => row.owner ?? '',
    csv: { Owner: (row) => row.owner },
    cell: (row) => row.owner ?? 'No one',
    minor: true,
  },
  {
    id: 'last',
    header: 'Last sign',
    sortBy: (row) => row.last_at,
    cell: (row) => <When at={row.last_at} />,
  },
];

/** Attacks, each told once however many findings it has. */
export function IncidentsPage() {
  const [filter, setFilter] = useState('active');
  const [creating, setCreating] = useState(false);
  const { data, error, refetch } = useQuery(incidentsQuery(FILTERS[filter]));
  const may = useMay();
  return (
    <Panel
      title="Incidents"
      flush
      actions={
        may('intelligence.triage') && (
          <Button
            variant="default"
            leftSection={<IconPlus size={16} />}
            onClick={() => setCreating(true)}
          >
            Open an incident
          </Button>
        )
      }
    >
      <Stack gap={0}>
        <SegmentedControl
          aria-label="Incidents to show"
          m="md"
          value={filter}
          onChange={setFilter}
          data={[
            { value: 'active', label: 'Active' },
            { value: 'over', label: 'Resolved and closed' },
            { value: 'all', label: 'All' },
          ]}
          style={{ alignSelf: 'flex-start', maxWidth: 'calc(100% - 32px)', overflowX: 'auto' }}
        />
        {error ? (
          <ProblemAlert error={error} onRetry={() => void refetch()} />
        ) : (
          <DataTable
            bare
            label="Security incidents"
            columns={COLUMNS}
            rows={data?.items}
            rowId={(row) => row.id}
            pageSize={25}
            empty={
              <EmptyState title="No incident" icon={<IconShieldCheck size={22} />}>
                Security anomalies, alerts and other findings that share an account, an address or a
                resource become one incident here.
              </EmptyState>
            }
          />
        )}
      </Stack>
      {creating && <CreateDialog onClose={() => setCreating(false)} />}
    </Panel>
  );
}
