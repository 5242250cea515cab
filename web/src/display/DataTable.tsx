import { Group, Pagination, Skeleton, Text } from '@mantine/core';
import { IconArrowDown, IconArrowUp, IconArrowsSort } from '@tabler/icons-react';
import { useMemo, type ReactNode } from 'react';
import { count } from './amounts';
import type { CsvValue } from './csv';
import { TableCsv } from './TableCsv';
import { useTablePlace, type TablePlace } from './table-place';
import { useOverflow } from './useOverflow';
import { usePhone } from './usePhone';
import { Table } from './Table';

/** Rows a page on a phone, where each is a card. */
const PHONE_ROWS = 10;

export interface Column<Row> {
  id: string;
  header: string;
  cell: (row: Row) => ReactNode;
  /** Name by which whoever has all the rows sorts them; the table only asks for it. */
  order?: string;
  /** What to sort by; without it the column cannot be sorted. */
  sortBy?: (row: Row) => number | string;
  align?: 'right';
  width?: number | string;
  /** The heading of the row's card on a phone; otherwise the first column is. */
  lead?: boolean;
  /** Left out of the row's card on a phone; the row's own page shows it. */
  minor?: boolean;
  /**
   * Fields of the column in the CSV file, by header: one fact each, numbers and identifiers as the service has them, units in the header.
   * Without it the field is the text of the cell.
   */
  csv?: Record<string, (row: Row) => CsvValue>;
}

/** Rows that are chosen for an answer to all of them. */
export interface Selection<Row> {
  ids: ReadonlySet<string>;
  onChange: (ids: Set<string>) => void;
  /** The name of a row's checkbox. */
  name: (row: Row) => string;
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
  selection?: Selection<Row>;
  /** On a phone a row is two lines instead of a card: its heading, and the first line of each other cell. */
  compact?: boolean;
  /** Order of rows that are sorted elsewhere: the `order` of a column, with `-` before it for the greatest first. */
  order?: string;
  onOrder?: (order: string | undefined) => void;
}

/** A table that sorts and pages what it holds, shows its bones while loading and says what to do when empty. */
export function DataTable<Row extends object>(props: Props<Row>) {
  const {
    label,
    columns,
    rows,
    rowId,
    onOpen,
    empty,
    sortedBy,
    bare,
    selection,
    compact,
    order,
    onOrder,
  } = props;
  const phone = usePhone();
  const pageSize = props.pageSize && phone ? Math.min(props.pageSize, PHONE_ROWS) : props.pageSize;
  const [place, setPlace] = useTablePlace(
    bare ? label.toLowerCase().replace(/\W+/g, '-') : '',
    columns.map(({ id }) => id),
    sortedBy,
  );
  const pages = pageSize ? Math.ceil((rows?.length ?? 0) / pageSize) : 1;
  const page = Math.min(place.page, Math.max(0, pages - 1));
  const sorted = useMemo(
    () => sortedRows(rows ?? [], columns, place.sorting[0]),
    [rows, columns, place.sorting],
  );
  const [box, wide] = useOverflow();
  const lead = columns.find((column) => column.lead) ?? columns[0];
  const shown = pageSize ? sorted.slice(page * pageSize, (page + 1) * pageSize) : sorted;

  if (rows && rows.length === 0)
    return <div className={bare ? undefined : 'table-box'}>{empty}</div>;
  return (
    <div>
      <div
        ref={box}
        className={compact ? 'table-box as-cards as-lines' : 'table-box as-cards'}
        data-wide={wide || undefined}
        style={bare ? { border: 0, borderRadius: 0 } : undefined}
        tabIndex={wide ? 0 : undefined}
        role="region"
        aria-label={`${label}, scrollable`}
      >
        <Table aria-label={label} aria-busy={!rows}>
          <Table.Thead>
            <Table.Tr>
              {selection && (
                <Table.Th w={44}>
                  <SelectAll label={label} rows={shown.map(rowId)} {...selection} />
                </Table.Th>
              )}
              {columns.map((column) =>
                onOrder && column.order ? (
                  <Heading
                    key={column.id}
                    of={column}
                    sorted={orderedBy(column.order, order)}
                    onClick={() => onOrder(nextOrder(column.order, order))}
                  />
                ) : (
                  <Heading
                    key={column.id}
                    of={column}
                    sorted={place.sorting.find(({ id }) => id === column.id)}
                    onClick={
                      column.sortBy &&
                      ((sorted) => {
                        const by = nextSorting(column, sorted);
                        setPlace({ sorting: by ? [by] : [], page: 0 });
                      })
                    }
                  />
                ),
              )}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {!rows && <Bones columns={columns.length + (selection ? 1 : 0)} />}
            {shown.map((row) => (
              <Table.Tr
                key={rowId(row)}
                data-link={onOpen ? true : undefined}
                onClick={
                  onOpen ? (event) => openUnlessControl(event, () => onOpen(row)) : undefined
                }
              >
                {selection && (
                  <Table.Td data-label="Select">
                    <SelectOne
                      id={rowId(row)}
                      label={`Select ${selection.name(row)}`}
                      {...selection}
                    />
                  </Table.Td>
                )}
                {columns.map((column) => (
                  <Table.Td
                    key={column.id}
                    ta={column.align}
                    className={column.align ? 'numeral' : undefined}
                    data-label={column.header}
                    data-lead={column === lead || undefined}
                    data-minor={column.minor}
                  >
                    {column.cell(row)}
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </div>
      {rows && (
        <Group
          justify="space-between"
          gap="xs"
          mt={bare ? 4 : 8}
          px={bare ? 'md' : undefined}
          pb={bare ? 'xs' : undefined}
        >
          {pageSize && pages > 1 ? (
            <Text size="sm" className="muted numeral">
              {count(page * pageSize + 1)} to {count(Math.min((page + 1) * pageSize, rows.length))}{' '}
              of {count(rows.length)}
            </Text>
          ) : (
            <span />
          )}
          <Group gap="sm">
            <TableCsv label={label} columns={columns} rows={() => sorted} />
            {pageSize && pages > 1 && (
              <Pagination
                size="sm"
                total={pages}
                value={page + 1}
                onChange={(next) => setPlace({ ...place, page: next - 1 })}
                aria-label={`Pages of ${label}`}
                getControlProps={(control) => ({ 'aria-label': `${control} page` })}
              />
            )}
          </Group>
        </Group>
      )}
    </div>
  );
}

type Sorting = TablePlace['sorting'][number];

/** The rows in the order of a column; rows that are equal in it keep the order in which they came. */
function sortedRows<Row>(rows: Row[], columns: Column<Row>[], sorting: Sorting | undefined): Row[] {
  const by = columns.find(({ id }) => id === sorting?.id)?.sortBy;
  if (!by) return rows;
  return [...rows].sort((a, b) => (sorting?.desc ? -1 : 1) * compare(by(a), by(b)));
}

/** The order after a click on a heading: numbers start with the largest, the third click returns to the order in which rows came. */
function nextSorting<Row>(
  { id, align }: Column<Row>,
  sorted: Sorting | undefined,
): Sorting | undefined {
  const first = align === 'right';
  if (!sorted) return { id, desc: first };
  return sorted.desc === first ? { id, desc: !first } : undefined;
}

/** The direction in which rows are sorted by a name, if they are. */
function orderedBy(name: string, order: string | undefined): Sorting | undefined {
  return order?.replace(/^-/, '') === name ? { id: name, desc: order.startsWith('-') } : undefined;
}

/** The order after a click on a heading: the greatest first, the smallest first, none. */
function nextOrder(name: string | undefined, order: string | undefined): string | undefined {
  if (order === `-${name}`) return name;
  return order === name ? undefined : `-${name}`;
}

function compare(a: number | string, b: number | string): number {
  return typeof a === 'number' && typeof b === 'number'
    ? a - b
    : String(a).localeCompare(String(b), undefined, { numeric: true });
}

/** A click on a link or button inside a row is meant for that, not for the row; so is one in what they opened elsewhere. */
function openUnlessControl(event: React.MouseEvent, open: () => void) {
  if (
    !(event.target instanceof Element) ||
    !event.currentTarget.contains(event.target) ||
    event.target.closest('a, button, input, label')
  )
    return;
  if (window.getSelection()?.toString()) return;
  open();
}

function Heading<Row extends object>({
  of: column,
  sorted,
  onClick,
}: {
  of: Column<Row>;
  sorted: Sorting | undefined;
  onClick: ((sorted: Sorting | undefined) => void) | undefined;
}) {
  const Arrow = sorted ? (sorted.desc ? IconArrowDown : IconArrowUp) : IconArrowsSort;
  return (
    <Table.Th
      ta={column.align}
      w={column.width}
      aria-sort={sorted ? (sorted.desc ? 'descending' : 'ascending') : undefined}
    >
      {onClick ? (
        <button type="button" className="sort-button" onClick={() => onClick(sorted)}>
          {column.header}
          <Arrow size={13} opacity={sorted ? 1 : 0.35} aria-hidden />
        </button>
      ) : (
        column.header
      )}
    </Table.Th>
  );
}

/** Selects the rows of the page, or none of them. */
function SelectAll({
  label,
  rows,
  ids,
  onChange,
}: { label: string; rows: string[] } & Pick<Selection<never>, 'ids' | 'onChange'>) {
  const chosen = rows.filter((id) => ids.has(id)).length;
  const change = (all: boolean) =>
    onChange(new Set(all ? [...ids, ...rows] : [...ids].filter((id) => !rows.includes(id))));
  const some = chosen > 0 && chosen < rows.length;
  return (
    <input
      type="checkbox"
      className="row-checkbox"
      aria-label={`Select all ${label.toLowerCase()} of this page`}
      checked={rows.length > 0 && chosen === rows.length}
      ref={(box) => {
        if (box) box.indeterminate = some;
      }}
      onChange={(event) => change(event.currentTarget.checked)}
    />
  );
}

function SelectOne({
  id,
  label,
  ids,
  onChange,
}: { id: string; label: string } & Pick<Selection<never>, 'ids' | 'onChange'>) {
  const change = (chosen: boolean) =>
    onChange(new Set(chosen ? [...ids, id] : [...ids].filter((other) => other !== id)));
  return (
    <input
      type="checkbox"
      className="row-checkbox"
      aria-label={label}
      checked={ids.has(id)}
      onChange={(event) => change(event.currentTarget.checked)}
    />
  );
}

function Bones({ columns }: { columns: number }) {
  return Array.from({ length: 6 }, (_, row) => (
    <Table.Tr key={row}>
      {Array.from({ length: columns }, (_, column) => (
        <Table.Td key={column}>
          <Skeleton h={12} my={4} w={`${50 + ((row * 7 + column * 13) % 40)}%`} />
        </Table.Td>
      ))}
    </Table.Tr>
  ));
}
