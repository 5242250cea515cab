import { Stack, Text } from '@mantine/core';
import type { Resource } from '../../api/bodies';
import { count, gibibytes } from '../../display/amounts';
import { Panel } from '../../display/Panel';
import { Table } from '../../display/Table';
import { When } from '../../display/When';

const ACCESS_STATES: Record<string, string> = {
  not_logged:
    "The bucket has no server access logging, so its reads are not known. Turn it on in the bucket's properties.",
  behind: 'More logs are there than were read so far; the next sync reads on.',
  too_many_objects:
    'The bucket has more objects than Reeve lists, so their ages are not all known.',
};

/** Objects of a bucket by age, with the reads that its access logs have. */
export function BucketAccess({
  of: { ages, days, last_read, records, state },
}: {
  of: NonNullable<Resource['access']>;
}) {
  const until = (index: number) =>
    index + 1 < ages.length ? ` to ${ages[index + 1]?.from_days}` : ' or more';
  return (
    <Panel
      title="Use by age"
      note={
        state === 'not_logged'
          ? undefined
          : `${count(Math.round(days))} days of access logs, ${count(records)} requests`
      }
    >
      {ACCESS_STATES[state] && (
        <Text size="sm" className="muted">
          {ACCESS_STATES[state]}
        </Text>
      )}
      {state !== 'not_logged' && (
        <Table aria-label="Objects and reads by age">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Age in days</Table.Th>
              <Table.Th>Objects</Table.Th>
              <Table.Th>Stored</Table.Th>
              <Table.Th>Reads</Table.Th>
              <Table.Th>Bytes read</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {ages.map((age, index) => (
              <Table.Tr key={age.from_days}>
                <Table.Td>
                  {age.from_days}
                  {until(index)}
                </Table.Td>
                <Table.Td>{count(age.objects)}</Table.Td>
                <Table.Td>{gibibytes(age.gib)}</Table.Td>
                <Table.Td>{count(age.reads)}</Table.Td>
                <Table.Td>{gibibytes(age.read_gib)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
      {last_read && (
        <Text size="xs" className="muted" mt="xs">
          Last read: <When at={last_read} form="ago" />. Objects of STANDARD of at least 128 KiB.
        </Text>
      )}
    </Panel>
  );
}

/** The size of a bucket, by storage type where it has several. */
export function Stored({
  of: { gib, objects, measured_at, total_gib },
}: {
  of: NonNullable<Resource['contents']>;
}) {
  const types = Object.entries(gib);
  return (
    <Stack gap={2}>
      <span>
        {gibibytes(total_gib)}
        {objects != null && ` in ${count(objects)} objects`}, counted on {measured_at.slice(0, 10)}
      </span>
      {types.map(([name, value]) => (
        <Text key={name} size="xs" className="muted">
          {name}: {gibibytes(value)}
        </Text>
      ))}
    </Stack>
  );
}
