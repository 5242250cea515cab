import { Alert, Anchor, Badge, Button, Group, Stack, Text } from '@mantine/core';
import { IconListSearch, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { ThreatList } from '../../../api/bodies';
import { useMay } from '../../../api/session';
import { count } from '../../../display/amounts';
import { DataTable, type Column } from '../../../display/DataTable';
import { EmptyState } from '../../../display/EmptyState';
import { lazyComponent } from '../../../display/lazy';
import { OpenName } from '../../../display/OpenName';
import { ProblemAlert } from '../../../display/ProblemAlert';
import { When } from '../../../display/When';
import { anomalySettingsQuery } from '../anomalies/queries';
import { RemoveList } from './RemoveList';
import { stixAddress, threatListsQuery } from './queries';

const ThreatListDialog = lazyComponent(() => import('./ThreatListDialog'), 'ThreatListDialog');
const FeedDialog = lazyComponent(() => import('./FeedDialog'), 'FeedDialog');
const StixDialog = lazyComponent(() => import('./StixDialog'), 'StixDialog');
const AnomalySettingsDialog = lazyComponent(
  () => import('../anomalies/AnomalySettingsDialog'),
  'AnomalySettingsDialog',
);

function columns(
  open: (list: ThreatList) => void,
  feed: (list: ThreatList) => void,
  configure: boolean,
): Column<ThreatList>[] {
  const shown: Column<ThreatList>[] = [
    {
      id: 'name',
      header: 'List',
      sortBy: (row) => row.name,
      cell: (row) => (
        <div style={{ minWidth: 180, maxWidth: 420, overflowWrap: 'anywhere' }}>
          <OpenName c="inherit" onOpen={() => open(row)}>
            {row.name}
          </OpenName>
          {row.source === 'file' && (
            <Text size="xs" className="muted">
              {row.name === 'built-in.txt'
                ? 'Ships with Reeve. A file of this name in threat-lists/ replaces it'
                : 'File in threat-lists/ of the data directory'}
            </Text>
          )}
        </div>
      ),
    },
    {
      id: 'source',
      header: 'Source',
      sortBy: (row) => row.source,
      cell: (row) =>
        row.source === 'file' ? (
          <Badge color="gray">File</Badge>
        ) : row.feed ? (
          <Badge color={row.feed.error ? 'orange' : undefined}>
            {row.feed.error ? 'Address, failing' : 'Address'}
          </Badge>
        ) : (
          <Badge>Added here</Badge>
        ),
    },
    {
      id: 'indicators',
      header: 'Indicators',
      align: 'right',
      sortBy: (row) => row.indicator_count,
      cell: (row) => count(row.indicator_count),
    },
    {
      id: 'updated',
      header: 'Updated',
      sortBy: (row) => row.updated_at,
      cell: (row) => <When at={row.updated_at} />,
    },
    {
      id: 'by',
      header: 'By',
      sortBy: (row) => row.updated_by,
      cell: (row) =>
        row.source === 'file' ? (
          <Text span size="sm" className="muted">
            its file
          </Text>
        ) : (
          row.updated_by
        ),
    },
  ];
  shown.push({
    id: 'stix',
    header: '',
    cell: (row) => (
      <Group gap="xs" wrap="nowrap">
        <Anchor size="sm" href={stixAddress(row.name)} download={`${row.name}.json`}>
          STIX
        </Anchor>
        {configure && row.source !== 'file' && (
          <Anchor component="button" type="button" size="sm" onClick={() => feed(row)}>
            Address
          </Anchor>
        )}
      </Group>
    ),
  });
  if (configure)
    shown.push({
      id: 'remove',
      header: '',
      align: 'right',
      cell: (row) => (row.source === 'file' ? null : <RemoveList of={row} />),
    });
  return shown;
}

/** Lists of addresses, networks and programs that new entries of the log are held against. */
export function ThreatLists() {
  const may = useMay();
  const configure = may('intelligence.configure');
  const [opened, setOpened] = useState<{ list?: ThreatList } | null>(null);
  const { data, error, refetch } = useQuery(threatListsQuery);
  const [fed, setFed] = useState<{ list?: ThreatList } | null>(null);
  const [importing, setImporting] = useState(false);
  const table = useMemo(
    () =>
      columns(
        (list) => setOpened({ list }),
        (list) => setFed({ list }),
        configure,
      ),
    [configure],
  );
  const add = configure ? (
    <Group gap="xs">
      <Button variant="default" onClick={() => setImporting(true)}>
        Import STIX
      </Button>
      <Button variant="default" onClick={() => setFed({})}>
        Read from an address
      </Button>
      <Button leftSection={<IconPlus size={16} />} onClick={() => setOpened({})}>
        Add a list
      </Button>
    </Group>
  ) : undefined;
  return (
    <Stack gap="md">
      <Group justify="space-between" gap="sm">
        <Text size="sm" className="muted" maw={720}>
          Addresses, networks and programs that you distrust. A matching audit log entry creates a
          security anomaly. Reeve reads no address that you have not given.
        </Text>
        {add}
      </Group>
      <SwitchedOff />
      {error ? (
        <ProblemAlert error={error} onRetry={() => void refetch()} />
      ) : (
        <DataTable
          label="Threat lists"
          columns={table}
          rows={data?.items}
          rowId={(row) => row.name}
          pageSize={25}
          onOpen={(list) => setOpened({ list })}
          empty={
            <EmptyState title="No threat list yet" icon={<IconListSearch size={22} />}>
              {add
                ? 'Add one from a file or as text, one indicator a line. Files in threat-lists/ of the data directory appear here automatically.'
                : 'Operators and administrators can add one.'}
            </EmptyState>
          }
        />
      )}
      {fed && <FeedDialog list={fed.list} onClose={() => setFed(null)} />}
      {importing && <StixDialog onClose={() => setImporting(false)} />}
      {opened && (
        <ThreatListDialog
          known={data?.items ?? []}
          list={opened.list}
          locked={!configure}
          onClose={() => setOpened(null)}
        />
      )}
    </Stack>
  );
}

/** Lists that nothing is held against should not look as if they were. */
function SwitchedOff() {
  const may = useMay();
  const [settings, setSettings] = useState(false);
  const { data } = useQuery(anomalySettingsQuery);
  return (
    <>
      {data && data.security.threat_intelligence === 'disabled' && (
        <Alert color="yellow" title="Threat lists are not used">
          <Text size="sm">
            Matching is disabled under{' '}
            <Anchor component="button" type="button" size="sm" onClick={() => setSettings(true)}>
              Detection settings
            </Anchor>
            .
          </Text>
        </Alert>
      )}
      {settings && (
        <AnomalySettingsDialog
          locked={!may('intelligence.configure')}
          onClose={() => setSettings(false)}
        />
      )}
    </>
  );
}
