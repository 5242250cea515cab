import { Anchor, SegmentedControl, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useMay } from '../../../api/session';
import { count } from '../../../display/amounts';
import { DataTable, type Column } from '../../../display/DataTable';
import { EmptyState } from '../../../display/EmptyState';
import { Modal } from '../../../display/Modal';
import { Panel } from '../../../display/Panel';
import { ProblemAlert } from '../../../display/ProblemAlert';
import { proofColumns, resourceColumn } from '../evidence-columns';
import { ExposurePath } from './ExposurePath';
import { lastUseOf } from './last-use';
import { privilegesQuery, type ExposureResult, type Privilege } from './queries';

const RESULTS: [ExposureResult, string][] = [
  ['fail', 'Can become an administrator'],
  ['not_applicable', 'Administrators'],
  ['pass', 'Cannot'],
  ['unknown', 'Not known'],
];

/** Users and roles, and the way by which each becomes an administrator. */
export function Principals() {
  const [result, setResult] = useState<ExposureResult>('fail');
  const [opened, setOpened] = useState<Privilege>();
  const may = useMay();
  const shown = useQuery(privilegesQuery(result));
  return (
    <Panel
      title="Principals"
      note="Users and roles, what their permissions let them become, and which of them nothing uses."
      flush
    >
      <Stack gap={0}>
        <SegmentedControl
          aria-label="Principals to show"
          m="md"
          value={result}
          onChange={(value) => setResult(value as ExposureResult)}
          data={RESULTS.map(([value, label]) => ({
            value,
            label: value === result && shown.data ? `${label} (${count(shown.data.total)})` : label,
          }))}
          style={{ alignSelf: 'flex-start', maxWidth: 'calc(100% - 32px)', overflowX: 'auto' }}
        />
        {shown.error ? (
          <ProblemAlert error={shown.error} onRetry={() => void shown.refetch()} />
        ) : (
          <DataTable
            bare
            label="Users and roles and what they can become"
            columns={columns(setOpened, may('estate.view'))}
            rows={shown.data?.items}
            rowId={(row) => `${row.connection_id} ${row.resource_id}`}
            pageSize={10}
            empty={
              <EmptyState
                title={
                  result === 'fail'
                    ? 'Nothing becomes an administrator beyond its own policies'
                    : 'No principal of this kind'
                }
              />
            }
          />
        )}
      </Stack>
      {opened && (
        <Modal opened size="lg" title={opened.resource_name} onClose={() => setOpened(undefined)}>
          <Stack gap="md">
            <Text size="sm">{opened.why}</Text>
            <ExposurePath
              label={`Path from ${opened.resource_name}`}
              from={opened.resource_name}
              path={opened.path}
              stop={opened.stopped_by}
              to="Administrator of the account"
            />
          </Stack>
        </Modal>
      )}
    </Panel>
  );
}

function columns(open: (one: Privilege) => void, linked: boolean): Column<Privilege>[] {
  return [
    resourceColumn(linked, 'Principal'),
    {
      id: 'why',
      header: 'Reason',
      cell: (row) => (
        <Text size="sm" style={{ minWidth: 200, maxWidth: 480, overflowWrap: 'anywhere' }}>
          {row.why}
        </Text>
      ),
    },
    {
      id: 'path',
      header: 'Path',
      cell: (row) =>
        (row.path.length > 0 || row.stopped_by) && (
          <Anchor component="button" type="button" size="sm" ta="left" onClick={() => open(row)}>
            {row.stopped_by ? 'What stops it' : `${row.path.length + 1} steps`}
          </Anchor>
        ),
    },
    {
      id: 'unused',
      header: 'Unused',
      cell: (row) => <Unused of={row} />,
    },
    ...proofColumns<Privilege>(),
  ];
}

/** What of a principal is not used, in which window, and what the record covers. */
function Unused({ of: { unused } }: { of: Privilege }) {
  if (!unused) return null;
  const { label, note } = lastUseOf(unused);
  return (
    <div style={{ minWidth: 140, maxWidth: 280 }}>
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {label}
      </Text>
      <Text size="xs" className="muted">
        {note}
      </Text>
    </div>
  );
}
