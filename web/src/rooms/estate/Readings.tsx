import { Anchor, Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { components } from '../../api/schema';
import { count, plural } from '../../display/amounts';
import { ProblemAlert } from '../../display/ProblemAlert';
import { Status } from '../../display/Status';
import { Table } from '../../display/Table';
import { When } from '../../display/When';
import { words } from '../../display/wording';
import { readingsQuery } from './queries';

type Reading = components['schemas']['KindReadingBody'];

/** Table of the last sync of a connection: resources seen of each kind, failures, age. */
export function Readings({ connection, name }: { connection: string; name: string }) {
  const [open, setOpen] = useState(false);
  const { data, error } = useQuery({ ...readingsQuery(connection), enabled: open });
  return (
    <div>
      <Anchor component="button" size="sm" aria-expanded={open} onClick={() => setOpen(!open)}>
        {open ? 'Hide the result by kind' : 'Result of the last sync by kind'}
      </Anchor>
      {open && error && <ProblemAlert error={error} />}
      {open && !data && !error && <Skeleton h={80} mt="xs" />}
      {data &&
        open &&
        (data.total === 0 ? (
          <Text size="sm" className="muted">
            Nothing has been read yet.
          </Text>
        ) : (
          <Rows of={data.items} name={name} />
        ))}
    </div>
  );
}

function Rows({ of: readings, name }: { of: Reading[]; name: string }) {
  const incomplete = readings.filter(({ outcome, message }) => outcome !== 'complete' || message);
  return (
    <>
      <Text size="sm" className="muted" my={6}>
        {incomplete.length === 0
          ? 'Everything was read completely.'
          : `${plural(incomplete.length, 'reading is', 'readings are')} not complete. What was not read stays as it was last seen.`}
      </Text>
      <Table.ScrollContainer label={`Last sync of ${name}`} minWidth={520} mah={420}>
        <Table aria-label={`Last sync of ${name}`} verticalSpacing={4}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Kind</Table.Th>
              <Table.Th>Region</Table.Th>
              <Table.Th>Outcome</Table.Th>
              <Table.Th ta="right">Seen</Table.Th>
              <Table.Th>Last complete</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {[...incomplete, ...readings.filter((one) => !incomplete.includes(one))].map((one) => (
              <Table.Tr key={`${one.type} ${one.region}`}>
                <Table.Td data-lead>{words(one.type)}</Table.Td>
                <Table.Td data-label="Region">{one.region || 'all'}</Table.Td>
                <Table.Td data-label="Outcome">
                  <Status of={one.outcome} />
                  {one.message && (
                    <Text size="xs" className="muted">
                      {one.message}
                    </Text>
                  )}
                </Table.Td>
                <Table.Td ta="right" className="numeral" data-label="Seen">
                  {count(one.seen)}
                </Table.Td>
                <Table.Td data-label="Last complete">
                  {one.complete_at ? <When at={one.complete_at} form="ago" /> : 'never'}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </>
  );
}
