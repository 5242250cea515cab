import { Anchor, SegmentedControl, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { ScoreChart } from '../../../charts/ScoreChart';
import { percent } from '../../../display/amounts';
import { Awaited } from '../../../display/Awaited';
import { DataTable, type Column } from '../../../display/DataTable';
import { EmptyState } from '../../../display/EmptyState';
import { Page } from '../../../display/Page';
import { Panel } from '../../../display/Panel';
import { ProblemAlert } from '../../../display/ProblemAlert';
import { Status } from '../../../display/Status';
import { Trail } from '../../../display/Trail';
import { controlsQuery, frameworksQuery, trendQuery, type Control } from './queries';
import { controlsLine, counted, STATES } from './standing';

const route = getRouteApi('/app/intelligence/compliance/$framework');
const TRAIL = (
  <Trail
    of={[
      ['Intelligence Automation', '/intelligence'],
      ['Compliance', '/intelligence/compliance'],
    ]}
  />
);
const ORDER: Control['state'][] = [
  'failed',
  'excepted',
  'unknown',
  'passed',
  'not_checked',
  'by_hand',
];

const COLUMNS: Column<Control>[] = [
  {
    id: 'control',
    header: 'Control',
    sortBy: (row) => row.number,
    cell: (row) => (
      <div style={{ minWidth: 200 }}>
        <Anchor
          size="sm"
          fw={550}
          renderRoot={(props) => (
            <Link to="/intelligence/compliance/controls/$id" params={{ id: row.id }} {...props} />
          )}
        >
          {row.number} {row.title}
        </Anchor>
        {row.by_hand && (
          <Text size="xs" className="muted">
            {row.by_hand}
          </Text>
        )}
      </div>
    ),
  },
  {
    id: 'state',
    header: 'State',
    sortBy: (row) => ORDER.indexOf(row.state),
    cell: (row) => (
      <Status of={row.state === 'passed' ? 'success' : row.state} label={STATES[row.state]} />
    ),
  },
  {
    id: 'results',
    header: 'Results',
    sortBy: (row) => row.results.fail - row.results.excepted,
    cell: (row) => (row.checks_total > 0 ? counted(row.results) : ''),
  },
  {
    id: 'checks',
    header: 'Checks',
    align: 'right',
    minor: true,
    sortBy: (row) => row.checks_total,
    cell: (row) => row.checks_total || '',
  },
];

/** The score at the end of each of the last ninety days. */
function Trend({ of: framework }: { of: string }) {
  const { data, error, refetch } = useQuery(trendQuery(framework));
  return (
    <Panel title="Score" note="At the end of each day">
      {error ? (
        <ProblemAlert error={error} onRetry={() => void refetch()} />
      ) : (
        <ScoreChart
          points={(data?.items ?? []).map(({ day, score }) => ({ day, score: score ?? null }))}
        />
      )}
    </Panel>
  );
}

/** The controls of a framework, those that fail first. */
export function FrameworkDetail() {
  const { framework: id } = route.useParams();
  const frameworks = useQuery(frameworksQuery);
  const controls = useQuery(controlsQuery(id));
  const [state, setState] = useState('all');
  const one = frameworks.data?.items.find((framework) => framework.id === id);
  const error = frameworks.error ?? controls.error;
  if (!one)
    return (
      <Awaited
        title="Framework"
        above={TRAIL}
        error={error}
        onRetry={() => void frameworks.refetch()}
      />
    );

  const all = controls.data?.items;
  const shown = all
    ?.filter((control) => state === 'all' || control.state === state)
    .sort((a, b) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state));
  const states = ['all', ...ORDER.filter((of) => all?.some((control) => control.state === of))];
  return (
    <Page
      title={one.title}
      browserTitle={[one.title, 'Compliance']}
      above={TRAIL}
      description={`${one.edition}. ${
        one.score == null
          ? 'Nothing was checked yet.'
          : `${percent(one.score)} of the results that passed or failed without an exception have passed: ${controlsLine(one.controls)}.`
      }`}
    >
      <Stack gap="md">
        {one.score != null && <Trend of={id} />}
        {controls.error && (
          <ProblemAlert error={controls.error} onRetry={() => void controls.refetch()} />
        )}
        <SegmentedControl
          aria-label="State of the controls"
          value={state}
          onChange={setState}
          data={states.map((value) => ({
            value,
            label: value === 'all' ? 'All' : STATES[value as Control['state']],
          }))}
          style={{ alignSelf: 'flex-start', maxWidth: '100%', overflowX: 'auto' }}
        />
        <DataTable
          label={`Controls of ${one.title}`}
          columns={COLUMNS}
          rows={shown}
          rowId={(row) => row.id}
          pageSize={50}
          empty={<EmptyState title="No control has this state" />}
        />
      </Stack>
    </Page>
  );
}
