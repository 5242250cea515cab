import { Group, Pagination, Skeleton, Table, Text } from '@mantine/core';
import { IconArrowDown, IconArrowUp, IconArrowsSort } from '@tabler/icons-react';
import {
  createPaginatedRowModel, createSortedRowModel, rowPaginationFeature, rowSortingFeature, tableFeatures, useTable,
  type ColumnDef,
} from '@tanstack/react-table';
import { useMemo, type ReactNode } from 'react';
import { count } from './amounts';

const features = tableFeatures({
  rowSortingFeature,
  rowPaginationFeature,
  sortedRowModel: createSortedRowModel(),
  paginatedRowModel: createPaginatedRowModel(),
});

export interface Column<Row> {
  id: string;
  header: string;
  cell: (row: Row) => ReactNode;
  /** What to sort by; without it the column cannot be sorted. */
  sortBy?: (row: Row) => number | string;
  align?: 'right';
  width?: number | string;
  /** The heading of the row's card on a phone; otherwise the first column is. */
  lead?: boolean;
}

interface Props<Row> {
  label: string;
  columns: Column<Row>[];
  rows: Row[] | undefined;
  rowId: (row: Row) => string;
  onOpen?: (row: Row) => void;
  empty: ReactNode;
  /** Rows a page; without it everything is on one page (the caller pages). */
  pageSize?: number;
  sortedBy?: { id: string; desc: boolean };
  bare?: boolean;
}

/** A table that sorts and pages what it holds, shows its bones while loading and says what to do when empty. */
export function DataTable<Row extends object>(props: Props<Row>) {
  const { label, columns, rows, rowId, onOpen, empty, pageSize, sortedBy, bare } = props;
  const definitions = useMemo(() => columns.map(definition), [columns]);
  const table = useTable({
    features,
    columns: definitions,
    data: rows ?? (NOTHING as Row[]),
    getRowId: rowId,
    initialState: {
      sorting: sortedBy ? [sortedBy] : [],
      pagination: { pageIndex: 0, pageSize: pageSize ?? 10_000 },
    },
    autoResetPageIndex: false,
  });
  const lead = columns.find((column) => column.lead) ?? columns[0];
  const byId = new Map(columns.map((column) => [column.id, column]));
  const shown = table.getRowModel().rows;
  const pages = table.getPageCount();
  const page = Math.min(table.state.pagination.pageIndex, Math.max(0, pages - 1));

  if (rows && rows.length === 0) return <div className={bare ? undefined : 'table-box'}>{empty}</div>;
  return (
    <div>
      <div className="table-box as-cards" style={bare ? { border: 0, borderRadius: 0 } : undefined} tabIndex={0} role="region" aria-label={`${label}, scrollable`}>
        <Table aria-label={label} aria-busy={!rows} highlightOnHover={false}>
          <Table.Thead>
            {table.getHeaderGroups().map((group) => (
              <Table.Tr key={group.id}>
                {group.headers.map((header) => {
                  const sorted = header.column.getIsSorted();
                  const own = byId.get(header.id);
                  return (
                    <Table.Th key={header.id} ta={own?.align} w={own?.width} aria-sort={sorted ? (sorted === 'asc' ? 'ascending' : 'descending') : undefined}>
                      {own?.sortBy ? (
                        <button type="button" className="sort-button" onClick={header.column.getToggleSortingHandler()}>
                          {own.header}
                          {sorted === 'asc' && <IconArrowUp size={13} aria-hidden />}
                          {sorted === 'desc' && <IconArrowDown size={13} aria-hidden />}
                          {!sorted && <IconArrowsSort size={13} opacity={0.35} aria-hidden />}
                        </button>
                      ) : own?.header}
                    </Table.Th>
                  );
                })}
              </Table.Tr>
            ))}
          </Table.Thead>
          <Table.Tbody>
            {!rows && <Bones columns={columns.length} />}
            {shown.map((row) => (
              <Table.Tr key={row.id} data-link={onOpen ? true : undefined} onClick={onOpen ? (event) => openUnlessControl(event, () => onOpen(row.original)) : undefined}>
                {columns.map((column) => (
                  <Table.Td key={column.id} ta={column.align} className={column.align ? 'numeral' : undefined} data-label={column.header} data-lead={column === lead || undefined}>{column.cell(row.original)}</Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </div>
      {rows && pageSize && pages > 1 && (
        <Group justify="space-between" mt="sm" px={bare ? 'md' : undefined} pb={bare ? 'sm' : undefined}>
          <Text size="sm" className="muted numeral">
            {count(page * pageSize + 1)} to {count(Math.min((page + 1) * pageSize, rows.length))} of {count(rows.length)}
          </Text>
          <Pagination size="sm" total={pages} value={page + 1} onChange={(next) => table.setPageIndex(next - 1)} aria-label={`Pages of ${label}`} getControlProps={(control) => ({ 'aria-label': `${control} page` })} />
        </Group>
      )}
    </div>
  );
}

const NOTHING: object[] = [];

function definition<Row extends object>(column: Column<Row>): ColumnDef<typeof features, Row> {
  const by = column.sortBy;
  return {
    id: column.id,
    accessorFn: (row: Row) => (by ? by(row) : ''),
    enableSorting: by !== undefined,
    sortDescFirst: column.align === 'right',
    sortFn: (a, b) => (by ? compare(by(a.original), by(b.original)) : 0),
  } as ColumnDef<typeof features, Row>;
}

function compare(a: number | string, b: number | string): number {
  return typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b), undefined, { numeric: true });
}

/** A click on a link or button inside a row is meant for that, not for the row; so is one in what they opened elsewhere. */
function openUnlessControl(event: React.MouseEvent, open: () => void) {
  if (!(event.target instanceof Element) || !event.currentTarget.contains(event.target) || event.target.closest('a, button, input')) return;
  if (window.getSelection()?.toString()) return;
  open();
}

function Bones({ columns }: { columns: number }) {
  return Array.from({ length: 6 }, (_, row) => (
    <Table.Tr key={row}>
      {Array.from({ length: columns }, (_, column) => (
        <Table.Td key={column}><Skeleton h={12} my={4} w={`${50 + ((row * 7 + column * 13) % 40)}%`} /></Table.Td>
      ))}
    </Table.Tr>
  ));
}
