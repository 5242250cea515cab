import { Alert, Button, Group, List, Progress, Skeleton, Stack, Text } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { TimeBars } from '../../../charts/TimeBars';
import { bytes, count } from '../../../display/amounts';
import { Facts } from '../../../display/Facts';
import { Modal } from '../../../display/Modal';
import { ProblemAlert } from '../../../display/ProblemAlert';
import { Status } from '../../../display/Status';
import { VerifyCommand } from '../proof/VerifyCommand';
import { Configuration } from './Configuration';
import { Controls } from './Controls';
import { Coverage } from './Coverage';
import { daysOf } from './Runs';
import {
  cancelRun,
  downloadOf,
  isBusy,
  runQuery,
  useChange,
  type ReportRun,
  type Summary,
} from './queries';
import { Table } from '../../../display/Table';
import { useReturnFocus } from '../../../display/useReturnFocus';

const many = ({ count: number, at_least }: { count: number; at_least: boolean }) =>
  `${count(number)}${at_least ? '+' : ''}`;

function scopeInWords({ accounts = [], frameworks = [] }: NonNullable<ReportRun['scope']>) {
  const names = [...accounts, ...frameworks].join(', ');
  return `Narrowed to what ${names ? `a scope of ${names}` : 'the scope of its user'} includes`;
}

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
          <Facts
            of={[
              ['Status', <Status key="state" of={run.state} />],
              ['Period', daysOf(run)],
              ['By', run.scheduled ? `Schedule of ${run.user}` : run.user],
              ...(run.scope ? [['Scope', scopeInWords(run.scope)] as [string, string]] : []),
              ...(run.query ? [['Events', run.query] as [string, string]] : []),
            ]}
          />
          {isBusy(run) && <Busy run={run} />}
          {run.error && (
            <Alert color="red" title="The run failed">
              {run.error}
            </Alert>
          )}
          {run.files && <Files run={run} />}
          {run.deliveries.length > 0 && <Deliveries run={run} />}
          {run.summary && <Found run={run} summary={run.summary} />}
        </Stack>
      )}
    </Modal>
  );
}

function Busy({ run }: { run: ReportRun }) {
  const cancel = useChange(cancelRun);
  return (
    <div>
      <Group justify="space-between" mb={6}>
        <Text size="sm" role="status">
          {run.state === 'queued'
            ? 'Waiting for its turn'
            : `${Math.floor(run.progress.percent)} % of the log read, ${count(run.progress.entries)} entries found`}
        </Text>
        <Button
          size="xs"
          variant="default"
          loading={cancel.isPending}
          onClick={() => cancel.mutate(run.id)}
        >
          Cancel
        </Button>
      </Group>
      <Progress value={run.progress.percent} animated aria-label="Progress" />
      <ProblemAlert error={cancel.error} />
    </div>
  );
}

function Files({ run }: { run: ReportRun }) {
  const { files } = run;
  if (!files) return null;
  return (
    <div>
      <Group gap="sm">
        {(['pdf', 'csv', 'json', 'manifest'] as const)
          .filter((format) => files[format] > 0)
          .map((format) => (
            <Button
              key={format}
              component="a"
              href={downloadOf(run.id, format)}
              download
              variant={format === 'pdf' ? 'filled' : 'default'}
              leftSection={<IconDownload size={16} />}
            >
              {format === 'manifest' ? 'Manifest' : format.toUpperCase()} ({bytes(files[format])})
            </Button>
          ))}
      </Group>
      <Verify run={run} />
    </div>
  );
}

/** The command that checks the downloaded files. */
function Verify({ run: { files } }: { run: ReportRun }) {
  if (!files?.manifest) return null;
  return (
    <Stack gap={6} mt="sm">
      <Text size="xs" className="muted">
        Download all four into one folder and check them offline: that Reeve wrote them so, and that
        every cited entry is in the log.
      </Text>
      <VerifyCommand file={files.manifest_name} />
    </Stack>
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
      <Text size="sm" fw={550}>
        Delivery
      </Text>
      <List size="sm" aria-label="Delivery">
        {run.deliveries.map(({ channel, status, error }) => {
          const { label, color } = DELIVERIES[status] ?? { label: status, color: 'gray' };
          return (
            <List.Item key={channel}>
              {channel}:{' '}
              <Text span size="sm" c={color}>
                {label}
              </Text>
              {error && (
                <Text size="xs" className="muted">
                  {error}
                </Text>
              )}
            </List.Item>
          );
        })}
      </List>
    </div>
  );
}

function Found({ run, summary }: { run: ReportRun; summary: Summary }) {
  const bars = summary.by_time.counts.map(({ start, count: entries }) => ({
    value: start,
    count: entries,
  }));
  return (
    <>
      <Group gap="xl">
        {summary.metrics.includes('event_counts') && (
          <Figure name="Entries" value={count(summary.entries)} />
        )}
        {summary.metrics.includes('unique_users') && (
          <Figure name="Unique users" value={many(summary.unique_users)} />
        )}
        {summary.metrics.includes('resources_affected') && (
          <Figure name="Resources affected" value={many(summary.resources_affected)} />
        )}
      </Group>
      <TimeBars label="Entries over the period" counts={bars} height={120} />
      {summary.coverage && <Coverage of={summary.coverage} />}
      {summary.configuration && <Configuration of={summary.configuration} />}
      {summary.controls.length > 0 && <Controls run={run} summary={summary} />}
      {summary.group_by.length > 0 && <Groups summary={summary} />}
    </>
  );
}

function Figure({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <Text size="xl" fw={650}>
        {value}
      </Text>
      <Text size="xs" className="muted">
        {name}
      </Text>
    </div>
  );
}

const FIELDS: Record<string, string> = {
  user: 'User',
  resource: 'Resource',
  event_type: 'Event type',
};

function Groups({ summary }: { summary: Summary }) {
  const { group_by: fields, metrics, groups } = summary;
  return (
    <div>
      <Table.ScrollContainer label="Groups" minWidth={420}>
        <Table aria-label="Groups" verticalSpacing={10}>
          <Table.Thead>
            <Table.Tr>
              {fields.map((field) => (
                <Table.Th key={field}>{FIELDS[field] ?? field}</Table.Th>
              ))}
              {metrics.includes('event_counts') && <Table.Th ta="right">Events</Table.Th>}
              {metrics.includes('unique_users') && <Table.Th ta="right">Unique users</Table.Th>}
              {metrics.includes('resources_affected') && (
                <Table.Th ta="right">Resources affected</Table.Th>
              )}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {groups.map((row) => (
              <Table.Tr key={JSON.stringify(row.values)}>
                {fields.map((field) => (
                  <Table.Td key={field} data-label={FIELDS[field] ?? field}>
                    {row.values[field] ?? 'None'}
                  </Table.Td>
                ))}
                {metrics.includes('event_counts') && (
                  <Table.Td ta="right" data-label="Events">
                    {count(row.events)}
                  </Table.Td>
                )}
                {metrics.includes('unique_users') && (
                  <Table.Td ta="right" data-label="Unique users">
                    {many(row.unique_users)}
                  </Table.Td>
                )}
                {metrics.includes('resources_affected') && (
                  <Table.Td ta="right" data-label="Resources affected">
                    {many(row.resources_affected)}
                  </Table.Td>
                )}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {summary.groups_total > groups.length && (
        <Text size="xs" className="muted">
          The {groups.length} largest of {count(summary.groups_total)} groups; the files have all of
          them.
        </Text>
      )}
    </div>
  );
}
