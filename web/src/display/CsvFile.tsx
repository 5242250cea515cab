import { useLayoutEffect, useRef } from 'react';
import type { Column } from './DataTable';
import type { CsvFileProps } from './TableCsv';
import { cellText, csvOf, plainNumber, saveCsv, type CsvValue } from './csv';

/**
 * The CSV file of a table, saved as soon as it is there. Cells without fields of their own are rendered once, out of sight, and say what
 * the page says. Rows that have an identifier begin with it.
 */
export function CsvFile<Row extends object>({ label, columns, rows, onClose }: CsvFileProps<Row>) {
  const table = useRef<HTMLTableSectionElement>(null);
  const named = columns.filter(({ header }) => header !== '');
  const rendered = named.filter(({ csv }) => !csv);
  useLayoutEffect(() => {
    const cells = [...(table.current?.rows ?? [])].map(
      (row) =>
        new Map([...row.cells].map((cell, at) => [rendered[at], plainNumber(cellText(cell))])),
    );
    saveCsv(
      `${label.toLowerCase().replace(/\W+/g, '-')}.csv`,
      csvOf(linesOf(rows, named, (at, column) => cells[at]?.get(column))),
    );
    onClose();
    // Once: the rows are those of the click.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, []);
  return (
    <table hidden aria-hidden>
      <tbody ref={table}>
        {rows.map((row, at) => (
          <tr key={at}>
            {rendered.map((column) => (
              <td key={column.id}>{column.cell(row)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The header and the lines of a file; `textOf` gives the text of a cell that has no fields of its own. */
export function linesOf<Row extends object>(
  rows: Row[],
  columns: Column<Row>[],
  textOf: (at: number, column: Column<Row>) => CsvValue,
): CsvValue[][] {
  const fields = [
    ...(rows.some((row) => idOf(row) !== undefined) ? [{ header: 'Identifier', value: idOf }] : []),
    ...columns.flatMap((column) =>
      column.csv
        ? Object.entries(column.csv).map(([header, value]) => ({ header, value }))
        : [{ header: column.header, value: (_: Row, at: number) => textOf(at, column) }],
    ),
  ];
  return [
    fields.map(({ header }) => header),
    ...rows.map((row, at) => fields.map(({ value }) => value(row, at))),
  ];
}

function idOf(row: object): string | undefined {
  return 'id' in row && typeof row.id === 'string' ? row.id : undefined;
}
