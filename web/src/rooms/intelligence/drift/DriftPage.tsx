import { Anchor, Button, SegmentedControl, Stack, Text } from '@mantine/core';
import { IconPinned } from '@tabler/icons-react';
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
import { Select } from '../../../display/Select';
import { Status } from '../../../display/Status';
import { When } from '../../../display/When';
import { words } from '../../../display/wording';
import { Baselines } from './Baselines';
import { COLOURS, FORMS, STATES } from './forms';
import { baselinesQuery, driftsQuery, type Drift, type DriftState } from './queries';

const PinDialog = lazyComponent(() => import('./PinDialog'), 'PinDialog');

const COLUMNS: Column<Drift>[] = [
  {
    id: 'resource',
    header: 'Resource',
    sortBy: (row) => row.resource_name,
    csv: {
      Resource: (row) => row.resource_name,
      'Resource identifier': (row) => row.resource_id,
      Kind: (row) => row.kind,
      Account: (row) => row.account,
      Region: (row) => row.region,
    },
    cell: (row) => (
      <div style={{ minWidth: 180, maxWidth: 360 }}>
        <Anchor
          size="sm"
          fw={550}
          style={{ overflowWrap: 'anywhere' }}
          renderRoot={(props) => (
            <Link to="/intelligence/drift/$id" params={{ id: row.id }} {...props} />
          )}
        >
          {row.resource_name || row.resource_id}
        </Anchor>
        <Text size="xs" className="muted">
          {[words(row.kind), row.account, row.region].filter(Boolean).join(' · ')}
        </Text>
      </div>
    ),
  },
  { id: 'form', header: 'Drift', sortBy: (row) => row.form, cell: (row) => FORMS[row.form] },
  {
    id: 'state',
    header: 'State',
    sortBy: (row) => row.state,
    csv: { State: (row) => row.state, 'Accepted until': (row) => row.acceptance?.ends_at },
    cell: (row) => (
      <div>
        <Status of={COLOURS[row.state]} label={STATES[row.state]} />
        {row.state === 'accepted' && row.acceptance && (
          <Text size="xs" className="muted">
            until <When at={row.acceptance.ends_at} />
          </Text>
        )}
      </div>
    ),
  },
  {
    id: 'baseline',
    header: 'Baseline',
    sortBy: (row) => row.baseline_name,
    cell: (row) => row.baseline_name,
    minor: true,
  },
  {
    id: 'changed',
    header: 'Since',
    sortBy: (row) => row.changed_at,
    cell: (row) => <When at={row.changed_at} />,
  },
];

/** Baselines, and the resources that differ from them. */
export function DriftPage() {
  const baselines = useQuery(baselinesQuery);
  const [state, setState] = useState<DriftState | 'all'>('open');
  const [baseline, setBaseline] = useState<string | null>(null);
  const [pinning, setPinning] = useState(false);
  const drifts = useQuery(driftsQuery(state === 'all' ? undefined : state, baseline ?? undefined));
  const may = useMay();
  if (baselines.error)
    return <ProblemAlert error={baselines.error} onRetry={() => void baselines.refetch()} />;

  const pin = may('intelligence.configure') ? (
    <Button leftSection={<IconPinned size={16} />} onClick={() => setPinning(true)}>
      Pin a baseline
    </Button>
  ) : undefined;
  const dialog = pinning && <PinDialog onClose={() => setPinning(false)} />;
  const all = baselines.data?.items;
  if (all?.length === 0)
    return (
      <Panel>
        <EmptyState title="No baseline yet" icon={<IconPinned size={22} />} action={pin}>
          A baseline pins the configuration of resources as it is now. After each sync, what differs
          from it is listed here, with who changed it.
        </EmptyState>
        {dialog}
      </Panel>
    );

  const counts = drifts.data?.counts;
  const label = (of: DriftState) => (counts ? `${STATES[of]} (${count(counts[of])})` : STATES[of]);
  return (
    <Stack gap="lg">
      <Baselines of={all} pin={pin} />
      <Panel
        title="Drifts"
        flush
        actions={
          (all?.length ?? 0) > 1 && (
            <Select
              aria-label="Baseline"
              w={200}
              clearable
              placeholder="All baselines"
              data={all?.map(({ id, name }) => ({ value: id, label: name })) ?? []}
              value={baseline}
              onChange={setBaseline}
            />
          )
        }
      >
        <Stack gap={0}>
          <SegmentedControl
            aria-label="State of the drifts"
            m="md"
            value={state}
            onChange={(value) => setState(value as DriftState | 'all')}
            data={[
              { value: 'open', label: label('open') },
              { value: 'accepted', label: label('accepted') },
              { value: 'resolved', label: label('resolved') },
              { value: 'all', label: 'All' },
            ]}
            style={{ alignSelf: 'flex-start', maxWidth: 'calc(100% - 32px)', overflowX: 'auto' }}
          />
          {drifts.error ? (
            <ProblemAlert error={drifts.error} onRetry={() => void drifts.refetch()} />
          ) : (
            <DataTable
              bare
              label="Drifts from baselines"
              columns={COLUMNS}
              rows={drifts.data?.items}
              rowId={(row) => row.id}
              pageSize={25}
              empty={
                <EmptyState
                  title={
                    state === 'open'
                      ? 'Nothing differs from the baselines'
                      : 'No drift in this state'
                  }
                >
                  {state === 'open'
                    ? 'The next sync compares what changed.'
                    : 'Choose another state to see other drifts.'}
                </EmptyState>
              }
            />
          )}
        </Stack>
      </Panel>
      {dialog}
    </Stack>
  );
}
