import { Anchor, Button, SegmentedControl, SimpleGrid, Stack, Text } from '@mantine/core';
import { IconWorldSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay } from '../../../api/session';
import { count } from '../../../display/amounts';
import { DataTable, type Column } from '../../../display/DataTable';
import { EmptyState } from '../../../display/EmptyState';
import { Modal } from '../../../display/Modal';
import { Panel } from '../../../display/Panel';
import { ProblemAlert } from '../../../display/ProblemAlert';
import { Status } from '../../../display/Status';
import { Tile } from '../../../display/Tile';
import { words } from '../../../display/wording';
import { proofColumns, resourceColumn } from '../evidence-columns';
import { AttackChains } from './AttackChains';
import { ExposurePath } from './ExposurePath';
import { Principals } from './Principals';
import { byOutsider, grade, gravity, outsider } from './outsiders';
import { exposuresQuery, exposuresTotalQuery, type Exposure, type ExposureResult } from './queries';

const RESULTS: [ExposureResult, string][] = [
  ['fail', 'Exposed'],
  ['pass', 'Not exposed'],
  ['unknown', 'Not known'],
];

/** Resources that outsiders reach, each with its path. */
export function ExposurePage() {
  const [result, setResult] = useState<ExposureResult>('fail');
  const [opened, setOpened] = useState<Exposure>();
  const exposed = useQuery(exposuresQuery('fail'));
  const safe = useQuery(exposuresTotalQuery('pass'));
  const unknown = useQuery(exposuresTotalQuery('unknown'));
  const shown = useQuery(exposuresQuery(result));
  const may = useMay();
  if (shown.error) return <ProblemAlert error={shown.error} onRetry={() => void shown.refetch()} />;

  const totals = [exposed.data?.total, safe.data, unknown.data];
  if (totals.every((total) => total === 0))
    return (
      <Stack gap="lg">
        <AttackChains />
        <Panel>
          <EmptyState
            title="No exposure was judged yet"
            icon={<IconWorldSearch size={22} />}
            action={
              may('intelligence.configure') ? (
                <Button
                  mt={12}
                  renderRoot={(props) => <Link to="/intelligence/agents" {...props} />}
                >
                  Create an agent
                </Button>
              ) : undefined
            }
          >
            An agent of the type Security intelligence follows routes, firewalls, addresses,
            listeners and policies after each sync, and lists here what the internet and other
            accounts reach.
          </EmptyState>
        </Panel>
      </Stack>
    );

  return (
    <Stack gap="lg">
      <SimpleGrid cols={{ base: 2, md: 4 }}>
        {byOutsider(exposed.data?.items ?? [])
          .slice(0, 2)
          .map(([from, number]) => (
            <Tile key={from} label={`${outsider(from)} reaches`} value={count(number)} />
          ))}
        <Tile label="Not exposed" value={count(totals[1] ?? 0)} loading={safe.isLoading} />
        <Tile label="Not known" value={count(totals[2] ?? 0)} loading={unknown.isLoading} />
      </SimpleGrid>
      <AttackChains />
      <Panel title="Resources" flush>
        <Stack gap={0}>
          <SegmentedControl
            aria-label="Resources to show"
            m="md"
            value={result}
            onChange={(value) => setResult(value as ExposureResult)}
            data={RESULTS.map(([value, label], at) => ({
              value,
              label: totals[at] === undefined ? label : `${label} (${count(totals[at])})`,
            }))}
            style={{ alignSelf: 'flex-start', maxWidth: 'calc(100% - 32px)', overflowX: 'auto' }}
          />
          <DataTable
            bare
            label="Resources and the outsiders that reach them"
            columns={columns(setOpened, may('estate.view'))}
            rows={shown.data?.items}
            rowId={(row) => `${row.connection_id} ${row.resource_id}`}
            pageSize={25}
            empty={<EmptyState title="No resource of this kind" />}
          />
        </Stack>
      </Panel>
      <Principals />
      {opened && (
        <Modal opened size="lg" title={opened.resource_name} onClose={() => setOpened(undefined)}>
          <Stack gap="md">
            <Text size="sm">{opened.why}</Text>
            <ExposurePath
              label={`Path to ${opened.resource_name}`}
              from={opened.stopped_by ? 'Outside' : outsider(opened.reachable_from)}
              path={opened.path}
              stop={opened.stopped_by}
              to={opened.resource_name}
              note={[words(opened.kind), ...opened.access].join(' · ')}
            />
          </Stack>
        </Modal>
      )}
    </Stack>
  );
}

function columns(open: (one: Exposure) => void, linked: boolean): Column<Exposure>[] {
  return [
    resourceColumn(linked),
    {
      id: 'from',
      header: 'Reached by',
      sortBy: (row) => row.reachable_from,
      cell: (row) => (
        <div>
          <Status of={gravity(row)} label={outsider(row.reachable_from)} />
          <Text size="xs" className="muted">
            {grade(row.grade)}
          </Text>
        </div>
      ),
    },
    {
      id: 'access',
      header: 'With',
      cell: (row) => (
        <Text size="sm" style={{ maxWidth: 260, overflowWrap: 'anywhere' }}>
          {row.access.slice(0, 4).join(', ')}
          {row.access.length > 4 && ` and ${row.access.length - 4} more`}
        </Text>
      ),
    },
    {
      id: 'path',
      header: 'Path',
      cell: (row) => (
        <Anchor component="button" type="button" size="sm" ta="left" onClick={() => open(row)}>
          {row.stopped_by ? 'What stops it' : `${row.path.length + 1} steps`}
        </Anchor>
      ),
    },
    ...proofColumns<Exposure>(),
  ];
}
