import { Alert, Button, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { IconKey, IconPlugConnected, IconPlus, IconSettings } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useMay } from '../../../api/session';
import { count, plural } from '../../../display/amounts';
import { CodeBlock } from '../../../display/CodeBlock';
import { DataTable, type Column } from '../../../display/DataTable';
import { EmptyState } from '../../../display/EmptyState';
import { Facts } from '../../../display/Facts';
import { lazyComponent } from '../../../display/lazy';
import { Modal } from '../../../display/Modal';
import { OpenName } from '../../../display/OpenName';
import { Panel } from '../../../display/Panel';
import { ProblemAlert } from '../../../display/ProblemAlert';
import { Status } from '../../../display/Status';
import { When } from '../../../display/When';
import { useChange } from '../queries';
import { FORMATS, sampleCurl } from './formats';
import { alertSourcesQuery, inboundAlertsQuery, rotateAlertToken } from './queries';
import type { AlertSource, InboundAlert } from './queries';

const AlertDialog = lazyComponent(() => import('./AlertDialog'), 'AlertDialog');
const SourceForm = lazyComponent(() => import('./SourceForm'), 'SourceForm');

interface Made {
  source: AlertSource;
  token: string;
}

function columns(open: (alert: InboundAlert) => void): Column<InboundAlert>[] {
  return [
    {
      id: 'title',
      header: 'Alert',
      sortBy: (row) => row.title,
      cell: (row) => (
        <div style={{ minWidth: 180, maxWidth: 420, overflowWrap: 'anywhere' }}>
          <OpenName c="inherit" onOpen={() => open(row)}>
            {row.title}
          </OpenName>
          <Text size="xs" className="muted">
            {row.source}
            {row.reports > 1 && `, ${plural(row.reports, 'report')}`}
          </Text>
        </div>
      ),
    },
    {
      id: 'severity',
      header: 'Severity',
      sortBy: (row) => -row.weight,
      cell: (row) => <Status of={row.severity} />,
    },
    {
      id: 'status',
      header: 'Status',
      sortBy: (row) => row.status,
      cell: (row) => <Status of={row.status} />,
    },
    {
      id: 'last',
      header: 'Last report',
      sortBy: (row) => row.last_at,
      cell: (row) => <When at={row.last_at} />,
    },
  ];
}

/** Alerts of other security tools, and the tools that push them. */
export function OtherTools() {
  const may = useMay();
  const configure = may('intelligence.configure');
  const sources = useQuery(alertSourcesQuery);
  const alerts = useQuery(inboundAlertsQuery);
  const [editing, setEditing] = useState<AlertSource | 'new' | null>(null);
  const [made, setMade] = useState<Made | null>(null);
  const [opened, setOpened] = useState<InboundAlert | null>(null);
  const table = useMemo(() => columns(setOpened), []);
  const onMade = (source: AlertSource, token: string) => {
    setEditing(null);
    setMade({ source, token });
  };
  return (
    <Stack gap="md">
      <Group justify="space-between" gap="sm">
        <Text size="sm" className="muted" maw={720}>
          Alerts that other security tools push. Each is weighed by its severity, by how often
          people called alerts of its source false, and by whether its asset exists in the estate.
        </Text>
        {configure && (
          <Button leftSection={<IconPlus size={16} />} onClick={() => setEditing('new')}>
            Add a source
          </Button>
        )}
      </Group>
      {alerts.error ? (
        <ProblemAlert error={alerts.error} onRetry={() => void alerts.refetch()} />
      ) : (
        <DataTable
          label="Alerts of other tools"
          columns={table}
          rows={alerts.data?.items}
          rowId={(row) => row.id}
          pageSize={10}
          onOpen={setOpened}
          empty={
            <EmptyState title="No alert yet" icon={<IconPlugConnected size={22} />}>
              Add a source, and push alerts with its token.
            </EmptyState>
          }
        />
      )}
      <Title order={2}>Sources</Title>
      {sources.error && !sources.data && (
        <ProblemAlert error={sources.error} onRetry={() => void sources.refetch()} />
      )}
      {sources.data?.items.length === 0 && (
        <Text size="sm" className="muted">
          No tool pushes alerts.
        </Text>
      )}
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
        {sources.data?.items.map((source) => (
          <SourceCard
            key={source.id}
            source={source}
            onChange={() => setEditing(source)}
            onMade={onMade}
          />
        ))}
      </SimpleGrid>
      {editing && (
        <SourceForm
          source={editing === 'new' ? undefined : editing}
          onMade={onMade}
          onClose={() => setEditing(null)}
        />
      )}
      {opened && <AlertDialog alert={opened} onClose={() => setOpened(null)} />}
      {made && <TokenDialog made={made} onClose={() => setMade(null)} />}
    </Stack>
  );
}

function SourceCard({
  source,
  onChange,
  onMade,
}: {
  source: AlertSource;
  onChange: () => void;
  onMade: (source: AlertSource, token: string) => void;
}) {
  const may = useMay();
  const rotate = useChange(rotateAlertToken);
  const [newest] = source.refusals;
  const status = !source.enabled ? 'disabled' : source.last_push_at ? 'ready' : 'new';
  return (
    <Panel
      title={source.name}
      note={FORMATS[source.format]}
      actions={<Status of={status} size="lg" />}
    >
      <Stack gap="md">
        <Facts
          of={[
            ['Alerts', `${count(source.alerts)}, ${count(source.open_alerts)} open`],
            [
              'Last alert',
              source.last_alert_at && <When key="last" at={source.last_alert_at} form="ago" />,
            ],
            [
              'Called false',
              source.judged > 0 && `${count(source.false_positives)} of ${count(source.judged)}`,
            ],
            ['Refused', source.refused > 0 && plural(source.refused, 'report')],
            ['Closing there', source.callback ? source.callback.url : 'Not offered'],
          ]}
        />
        {newest && (
          <Alert color="orange" variant="light" title="The last refusal">
            <Text size="sm">
              Line {newest.line}
              {newest.field && `, ${newest.field}`}: {newest.message} (
              <When at={newest.at} form="ago" />)
            </Text>
          </Alert>
        )}
        <ProblemAlert error={rotate.error} />
        {may('intelligence.configure') && (
          <Group gap="xs">
            <Button
              variant="default"
              leftSection={<IconKey size={16} />}
              loading={rotate.isPending}
              onClick={() =>
                rotate.mutate(source.id, { onSuccess: ({ token }) => onMade(source, token) })
              }
            >
              New token
            </Button>
            <Button variant="default" leftSection={<IconSettings size={16} />} onClick={onChange}>
              Change
            </Button>
          </Group>
        )}
      </Stack>
    </Panel>
  );
}

/** The command with the new token, shown this once. */
function TokenDialog({ made, onClose }: { made: Made; onClose: () => void }) {
  const url = `${window.location.origin}${made.source.push_path}`;
  return (
    <Modal
      opened
      onClose={onClose}
      size="lg"
      title={`Push alerts of ${made.source.name}`}
      closeOnClickOutside={false}
      closeOnEscape={false}
    >
      <Stack>
        <Alert color="yellow" variant="light" title="Copy it now">
          The token is shown only once. It pushes alerts of this source and opens nothing else.
        </Alert>
        <CodeBlock label="Sample command" text={sampleCurl(made.source.format, url, made.token)} />
        <Group justify="flex-end">
          <Button onClick={onClose}>Done</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
