import { Alert, Badge, Button, Group, List, Progress, Skeleton, Stack, Text } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { TimeBars } from '../../../charts/TimeBars';
import { count } from '../../../display/amounts';
import { Facts } from '../../../display/Facts';
import { Modal } from '../../../display/Modal';
import { ProblemAlert } from '../../../display/ProblemAlert';
import { Status } from '../../../display/Status';
import { daysOf } from './Runs';
import { cancelRun, downloadOf, isBusy, runQuery, useChange, type Control, type ReportRun, type Summary } from './queries';
import { Table } from '../../../display/Table';
import { useReturnFocus } from '../../../display/useReturnFocus';

const STATUSES: Record<string, { label: string; color: string }> = {
  evidence: { label: 'Evidence found', color: 'green' },
  exceptions: { label: 'Exceptions to review', color: 'orange' },
  no_entries: { label: 'No entries found', color: 'gray' },
  outside_the_log: { label: 'Evidence outside the log', color: 'blue' },
};

const many = ({ count: number, at_least }: { count: number; at_least: boolean }) => `${count(number)}${at_least ? '+' : ''}`;

/** A run: its progress, then what it found and its files. */
export function RunDialog({ id, onClose }: { id: string; onClose: () => void }) {
  useReturnFocus();
  const { data: run, error } = useQuery(runQuery(id));
  return (
    <Modal opened onClose={onClose} size="xl" title={run?.report_name ?? 'Report'}>
      <ProblemAlert error={error} />
      {!run && !error && <Skeleton h={240} />}
      {run && (
        <Stack gap="md">
          <Facts of={[['Status', <Status key="state" of={run.state} />], ['Period', daysOf(run)], ['By', run.scheduled ? `Schedule of ${run.user}` : run.user], ...(run.query ? [['Events', run.query] as [string, string]] : [])]} />
          {isBusy(run) && <Busy run={run} />}
          {run.error && <Alert color="red" title="The run failed">{run.error}</Alert>}
          {run.files && <Files run={run} />}
          {run.deliveries.length > 0 && <Deliveries run={run} />}
          {run.summary && <Found summary={run.summary} />}
        </Stack>
      )}
    </Modal>
  );
}

function Busy({ run }: { run: ReportRun }) {
  const cancel = useChange(cancelRun);
  return (
    <div>
      <Group justify="space-between" mb={6}><Text size="sm" role="status">{run.state === 'queued' ? 'Waiting for its turn' : `${Math.floor(run.progress.percent)} % of the log read, ${count(run.progress.entries)} entries found`}</Text><Button size="xs" variant="default" loading={cancel.isPending} onClick={() => cancel.mutate(run.id)}>Cancel</Button></Group>
      <Progress value={run.progress.percent} animated aria-label="Progress" />
      <ProblemAlert error={cancel.error} />
    </div>
  );
}

const kilobytes = (bytes: number) => (bytes < 1_000_000 ? `${Math.max(1, Math.round(bytes / 1000))} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`);

function Files({ run }: { run: ReportRun }) {
  const { files } = run;
  if (!files) return null;
  return (
    <div>
      <Group gap="sm">
        {(['pdf', 'csv', 'json'] as const).map((format) => (
          <Button key={format} component="a" href={downloadOf(run.id, format)} download variant={format === 'pdf' ? 'filled' : 'default'} leftSection={<IconDownload size={16} />}>{format.toUpperCase()} ({kilobytes(files[format])})</Button>
        ))}
      </Group>
      <Text size="xs" className="muted" mt={6}>The JSON file proves each cited entry offline: reeve-verify report.json --public-key log.vkey</Text>
    </div>
  );
}

const DELIVERIES: Record<string, { label: string; color: string }> = {
  delivered: { label: 'Delivered', color: 'green' },
  pending: { label: 'Waiting for the next attempt', color: 'orange' },
  dead_letter: { label: 'Not delivered', color: 'red' },
  no_channel: { label: 'No such channel', color: 'red' },
};

function Deliveries({ run }: { run: ReportRun }) {
  return (
    <div>
      <Text size="sm" fw={550}>Delivery</Text>
      <List size="sm" aria-label="Delivery">
        {run.deliveries.map(({ channel, status, error }) => {
          const { label, color } = DELIVERIES[status] ?? { label: status, color: 'gray' };
          return <List.Item key={channel}>{channel}: <Text span size="sm" c={color}>{label}</Text>{error && <Text size="xs" className="muted">{error}</Text>}</List.Item>;
        })}
      </List>
    </div>
  );
}

function Found({ summary }: { summary: Summary }) {
  const bars = summary.by_time.counts.map(({ start, count: entries }) => ({ value: start, count: entries }));
  return (
    <>
      <Group gap="xl">
        {summary.metrics.includes('event_counts') && <Figure name="Entries" value={count(summary.entries)} />}
        {summary.metrics.includes('unique_users') && <Figure name="Unique users" value={many(summary.unique_users)} />}
        {summary.metrics.includes('resources_affected') && <Figure name="Resources affected" value={many(summary.resources_affected)} />}
      </Group>
      <TimeBars label="Entries over the period" counts={bars} height={120} />
      {summary.controls.length > 0 && <Controls summary={summary} />}
      {summary.group_by.length > 0 && <Groups summary={summary} />}
    </>
  );
}

function Figure({ name, value }: { name: string; value: string }) {
  return <div><Text size="xl" fw={650}>{value}</Text><Text size="xs" className="muted">{name}</Text></div>;
}

function Controls({ summary }: { summary: Summary }) {
  const { statuses } = summary;
  return (
    <div>
      <Group gap={8} mb="sm">
        {Object.entries(STATUSES).map(([key, { label, color }]) => <Badge key={key} color={color} variant="light">{statuses[key as keyof typeof statuses]} {label.toLowerCase()}</Badge>)}
      </Group>
      <Table.ScrollContainer label="Controls" minWidth={520}>
        <Table aria-label="Controls" verticalSpacing={10}>
          <Table.Thead><Table.Tr><Table.Th>Control</Table.Th><Table.Th>Status</Table.Th><Table.Th ta="right">Evidence</Table.Th><Table.Th ta="right">Exceptions</Table.Th></Table.Tr></Table.Thead>
          <Table.Tbody>{summary.controls.map((control) => <ControlRow key={control.number} control={control} />)}</Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      <Text size="xs" className="muted">Shows the evidence in the log. An auditor decides whether a control is met.</Text>
    </div>
  );
}

const total = (questions: Control['evidence']) => questions.reduce((sum, { found }) => sum + found, 0);

function ControlRow({ control }: { control: Control }) {
  const { label, color } = STATUSES[control.status] ?? { label: control.status, color: 'gray' };
  return (
    <Table.Tr style={{ verticalAlign: 'top' }}>
      <Table.Td data-lead>
        <Text size="sm" fw={550}>{control.number} {control.title}</Text>
        <Text size="xs" className="muted">{control.asks}</Text>
        {control.gaps.length > 0 && <List size="xs" className="muted" mt={4}>{control.gaps.map((gap) => <List.Item key={gap}>Not in the log: {gap}</List.Item>)}</List>}
      </Table.Td>
      <Table.Td data-label="Status"><Badge color={color} variant="light">{label}</Badge></Table.Td>
      <Table.Td ta="right" data-label="Evidence">{count(total(control.evidence))}</Table.Td>
      <Table.Td ta="right" data-label="Exceptions">{count(total(control.exceptions))}</Table.Td>
    </Table.Tr>
  );
}

const FIELDS: Record<string, string> = { user: 'User', resource: 'Resource', event_type: 'Event type' };

function Groups({ summary }: { summary: Summary }) {
  const { group_by: fields, metrics, groups } = summary;
  return (
    <div>
      <Table.ScrollContainer label="Groups" minWidth={420}>
        <Table aria-label="Groups" verticalSpacing={10}>
          <Table.Thead>
            <Table.Tr>
              {fields.map((field) => <Table.Th key={field}>{FIELDS[field] ?? field}</Table.Th>)}
              {metrics.includes('event_counts') && <Table.Th ta="right">Events</Table.Th>}
              {metrics.includes('unique_users') && <Table.Th ta="right">Unique users</Table.Th>}
              {metrics.includes('resources_affected') && <Table.Th ta="right">Resources affected</Table.Th>}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {groups.map((row) => (
              <Table.Tr key={JSON.stringify(row.values)}>
                {fields.map((field) => <Table.Td key={field} data-label={FIELDS[field] ?? field}>{row.values[field] ?? 'None'}</Table.Td>)}
                {metrics.includes('event_counts') && <Table.Td ta="right" data-label="Events">{count(row.events)}</Table.Td>}
                {metrics.includes('unique_users') && <Table.Td ta="right" data-label="Unique users">{many(row.unique_users)}</Table.Td>}
                {metrics.includes('resources_affected') && <Table.Td ta="right" data-label="Resources affected">{many(row.resources_affected)}</Table.Td>}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {summary.groups_total > groups.length && <Text size="xs" className="muted">The {groups.length} largest of {count(summary.groups_total)} groups; the files have all of them.</Text>}
    </div>
  );
}
