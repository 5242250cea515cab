import { List, Text } from '@mantine/core';
import { count, plural } from '../../../display/amounts';
import { Facts } from '../../../display/Facts';
import { Table } from '../../../display/Table';
import { When } from '../../../display/When';
import type { Summary } from './queries';

/** What the period is covered by: since when the log exists, who submitted entries, where syncs stopped. */
export function Coverage({ of: coverage }: { of: NonNullable<Summary['coverage']> }) {
  const { log_begins_at, before_the_log, sources, connections, connected, not_connected } =
    coverage;
  if (!log_begins_at) return null;
  return (
    <div>
      <Text size="sm" fw={550} mb={6}>
        Coverage of the period
      </Text>
      <Facts
        of={[
          [
            'Log begins',
            <span key="begins">
              <When at={log_begins_at} form="minute" inherit />
              {before_the_log && ', after the period begins'}
            </span>,
          ],
          ...(connected.length > 0
            ? [['Connected', connected.join(', ')] as [string, string]]
            : []),
          ...(not_connected.length > 0
            ? [['Not connected', not_connected.join(', ')] as [string, string]]
            : []),
        ]}
      />
      {sources.length > 0 && (
        <Table.ScrollContainer label="Sources" minWidth={420}>
          <Table aria-label="Sources" verticalSpacing={6}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Source</Table.Th>
                <Table.Th ta="right">Entries</Table.Th>
                <Table.Th>Last entry</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {sources.map(({ name, entries, last_at }) => (
                <Table.Tr key={name}>
                  <Table.Td data-lead>{name}</Table.Td>
                  <Table.Td ta="right" data-label="Entries">
                    {count(entries)}
                  </Table.Td>
                  <Table.Td data-label="Last entry">
                    {last_at ? <When at={last_at} form="minute" inherit /> : 'Expected, and silent'}
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
      {connections.length > 0 && (
        <List size="sm" aria-label="Connections" mt={6}>
          {connections.map(({ id, name, syncs, failed_syncs, interruptions_total }) => (
            <List.Item key={id}>
              {name}: {plural(syncs, 'sync', 'syncs')}, {count(failed_syncs)} failed,{' '}
              {interruptions_total === 0
                ? 'no interruption above 6 hours'
                : plural(
                    interruptions_total,
                    'interruption above 6 hours',
                    'interruptions above 6 hours',
                  )}
            </List.Item>
          ))}
        </List>
      )}
    </div>
  );
}
