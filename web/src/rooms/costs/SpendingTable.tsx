import { Anchor, Button, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { count, moneyOf, percent } from '../../display/amounts';
import { DataTable, type Column } from '../../display/DataTable';
import { EmptyState } from '../../display/EmptyState';
import type { Spending, SpendingGroup } from './queries';
import { changeOf, drilled, nameOf, PROPERTIES, type SpendingSearch } from './spending-search';

interface Props {
  of: Spending | undefined;
  by: string;
  search: SpendingSearch;
  onDrill: (search: SpendingSearch) => void;
}

function headerOf(by: string): string {
  return by.startsWith('tag:') ? by.slice(4) : PROPERTIES[by as keyof typeof PROPERTIES];
}

/** The groups, each of which leads to what is in it. */
export function SpendingTable({ of: spending, by, search, onDrill }: Props) {
  const columns = useMemo(
    () => columnsOf(spending, by, (value) => onDrill(drilled(search, value))),
    [spending, by, search, onDrill],
  );
  return (
    <>
      <DataTable
        label="Costs by group"
        columns={columns}
        rows={spending?.groups}
        rowId={(row) => row.value}
        pageSize={25}
        empty={
          <EmptyState title="No charges">
            The bills have none in this period with these filters.
          </EmptyState>
        }
      />
      {spending && spending.other_groups > 0 && (
        <Text size="sm" className="muted">
          {count(spending.other_groups)} others cost{' '}
          {moneyOf(spending.others.total, spending.currency)} together. Narrow the charges to see
          them.
        </Text>
      )}
    </>
  );
}

function columnsOf(
  spending: Spending | undefined,
  by: string,
  drill: (value: string) => void,
): Column<SpendingGroup>[] {
  const currency = spending?.currency ?? 'USD';
  const all = spending?.all.total ?? 0;
  const share = (row: SpendingGroup) => (all > 0 ? row.total / all : 0);
  return [
    {
      id: 'group',
      header: headerOf(by),
      sortBy: (row) => nameOf(row, by).toLowerCase(),
      csv: { [headerOf(by)]: (row) => row.value, Name: (row) => row.name },
      cell: (row) => (
        <>
          <Anchor
            component="button"
            type="button"
            size="sm"
            fw={550}
            ta="left"
            style={{ overflowWrap: 'anywhere' }}
            onClick={() => drill(row.value)}
          >
            {nameOf(row, by)}
          </Anchor>
          {row.name && (
            <Text size="xs" className="muted" style={{ overflowWrap: 'anywhere' }}>
              {row.value}
            </Text>
          )}
        </>
      ),
    },
    {
      id: 'total',
      header: 'Cost',
      align: 'right',
      sortBy: (row) => row.total,
      csv: { Cost: (row) => row.total, Currency: () => currency },
      cell: (row) => moneyOf(row.total, currency),
    },
    {
      id: 'share',
      header: 'Share',
      align: 'right',
      sortBy: share,
      csv: { 'Share (%)': (row) => Math.round(share(row) * 10_000) / 100 },
      cell: (row) => percent(share(row) * 100),
    },
    ...(spending?.all.previous_total == null ? [] : comparedColumns(currency)),
    ...(by === 'resource' ? [resourceColumn] : []),
  ];
}

/** What the days before cost; without bills of them there is nothing to compare. */
function comparedColumns(currency: string): Column<SpendingGroup>[] {
  const change = (row: SpendingGroup) => row.total - (row.previous_total ?? 0);
  return [
    {
      id: 'before',
      header: 'Before',
      align: 'right',
      minor: true,
      sortBy: (row) => row.previous_total ?? 0,
      csv: { 'Cost before': (row) => row.previous_total },
      cell: (row) => moneyOf(row.previous_total, currency),
    },
    {
      id: 'change',
      header: 'Change',
      align: 'right',
      sortBy: change,
      csv: { Change: (row) => Math.round(change(row) * 100) / 100 },
      cell: (row) => <Changed of={row} by={change(row)} currency={currency} />,
    },
  ];
}

const resourceColumn: Column<SpendingGroup> = {
  id: 'resource',
  header: 'In the estate',
  csv: { 'Resource id': (row) => row.resource_id },
  cell: (row) =>
    row.resource_id ? (
      <Button
        size="compact-sm"
        variant="light"
        renderRoot={(props) => (
          <Link to="/estate/resources/$id" params={{ id: row.resource_id ?? '' }} {...props} />
        )}
      >
        Open resource
      </Button>
    ) : (
      <Text span size="sm" className="muted">
        Not in the inventory
      </Text>
    ),
};

interface ChangedProps {
  of: SpendingGroup;
  /** The difference in the currency. */
  by: number;
  currency: string;
}

function Changed({ of: row, by: amount, currency }: ChangedProps) {
  const change = changeOf(row);
  const sign = amount > 0 ? '+' : amount < 0 ? '−' : '';
  return (
    <>
      {sign}
      {moneyOf(Math.abs(amount), currency)}
      <Text size="xs" className="muted">
        {change === undefined ? 'new' : `${change > 0 ? '+' : ''}${percent(change * 100)}`}
      </Text>
    </>
  );
}
