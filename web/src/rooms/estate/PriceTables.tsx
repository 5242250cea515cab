import { Button, FileButton, Group, Stack, Text, Title } from '@mantine/core';
import { IconFileImport } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { PriceTable } from '../../api/bodies';
import { useMay } from '../../api/session';
import { announce } from '../../display/announce';
import { count, plural } from '../../display/amounts';
import { ProblemAlert } from '../../display/ProblemAlert';
import { Remove } from '../../display/Remove';
import { Table } from '../../display/Table';
import { When } from '../../display/When';
import { importPrices, pricesQuery, removePrices } from './prices';
import { useChange } from './queries';

const CLOUDS: Record<string, string> = { aws: 'AWS', azure: 'Azure', gcp: 'Google Cloud' };
const KINDS: Record<string, string> = {
  machines: 'Machines',
  databases: 'Databases',
  units: 'Storage and network',
};

/** List prices in force, and files that go before the bundled ones. */
export function PriceTables() {
  const may = useMay();
  const { data, error, refetch } = useQuery(pricesQuery);
  const change = useChange(importPrices);
  const take = (file: File | null) => {
    if (file)
      change.mutate(file, {
        onSuccess: ({ prices }) => announce(`${plural(prices, 'price')} imported.`),
      });
  };
  return (
    <Stack gap="md" mt="xl">
      <Group justify="space-between">
        <div>
          <Title order={2}>List prices</Title>
          <Text size="sm" className="muted">
            Savings are computed with these price lists. Imported prices go before bundled ones.
          </Text>
        </div>
        {may('estate.manage') && (
          <FileButton key={change.submittedAt} accept=".csv,.zst,text/csv" onChange={take}>
            {(props) => (
              <Button
                {...props}
                variant="default"
                leftSection={<IconFileImport size={16} />}
                loading={change.isPending}
              >
                Import price file
              </Button>
            )}
          </FileButton>
        )}
      </Group>
      {error && !data && <ProblemAlert error={error} onRetry={() => void refetch()} />}
      <ProblemAlert error={change.error} />
      {data && <Tables of={data.items} manages={may('estate.manage')} />}
    </Stack>
  );
}

function Tables({ of: tables, manages }: { of: PriceTable[]; manages: boolean }) {
  return (
    <div
      className="table-box as-cards"
      tabIndex={0}
      role="region"
      aria-label="Price lists, scrollable"
    >
      <Table aria-label="Price lists">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Prices of</Table.Th>
            <Table.Th>Price list</Table.Th>
            <Table.Th ta="right">Prices</Table.Th>
            <Table.Th ta="right">Age</Table.Th>
            <Table.Th>Origin</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {tables.map((table) => (
            <Row
              key={`${table.provider} ${table.kind} ${table.origin} ${table.date}`}
              of={table}
              manages={manages}
            />
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}

function Row({ of: table, manages }: { of: PriceTable; manages: boolean }) {
  const name = `${CLOUDS[table.provider] ?? table.provider} ${(KINDS[table.kind] ?? table.kind).toLowerCase()}`;
  return (
    <Table.Tr>
      <Table.Td data-label="Prices of" data-lead>
        <Text size="sm" fw={550}>
          {CLOUDS[table.provider] ?? table.provider}
        </Text>
        <Text size="xs" className="muted">
          {KINDS[table.kind] ?? table.kind}
        </Text>
      </Table.Td>
      <Table.Td data-label="Price list">
        <Text size="sm">
          {table.source} of {table.date}
        </Text>
      </Table.Td>
      <Table.Td data-label="Prices" ta="right" className="numeral">
        {count(table.prices)}
        <Text size="xs" className="muted">
          {plural(table.regions, 'region')}
        </Text>
      </Table.Td>
      <Table.Td data-label="Age" ta="right" className="numeral">
        {plural(table.age_days, 'day')}
        {table.outdated && (
          <Text size="xs" c="var(--warn)">
            over 180 days
          </Text>
        )}
      </Table.Td>
      <Table.Td data-label="Origin">
        <Group gap="xs" justify="space-between" wrap="nowrap">
          {table.import ? (
            <Text size="sm">
              Imported <When at={table.import.imported_at} form="ago" />
            </Text>
          ) : (
            <Text size="sm" className="muted">
              Bundled
            </Text>
          )}
          {table.import && manages && (
            <Remove
              what={name}
              room="estate"
              explain="The bundled prices are in force again."
              remove={() => removePrices(table)}
            />
          )}
        </Group>
      </Table.Td>
    </Table.Tr>
  );
}
