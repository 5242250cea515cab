import { Button } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useLayoutEffect, useRef, useState } from 'react';
import type { Column } from './DataTable';
import { cellText, csvOf, saveFile } from './csv';

interface Props<Row> {
  label: string;
  columns: Column<Row>[];
  /** All rows in the order shown, not only those of the page. */
  rows: () => Row[];
}

/** Saves all rows of a table as a CSV file. The cells are rendered once, out of sight, so that the file says what the page says. */
export function TableCsv<Row extends object>({ label, columns, rows }: Props<Row>) {
  const [saved, setSaved] = useState<Row[]>();
  return (
    <>
      <Button
        size="compact-xs"
        variant="subtle"
        color="gray"
        leftSection={<IconDownload size={13} />}
        aria-label={`Download ${label} as CSV`}
        onClick={() => setSaved(rows())}
      >
        CSV
      </Button>
      {saved && (
        <Rendered label={label} columns={columns} rows={saved} onDone={() => setSaved(undefined)} />
      )}
    </>
  );
}

function Rendered<Row extends object>({
  label,
  columns,
  rows,
  onDone,
}: Omit<Props<Row>, 'rows'> & { rows: Row[]; onDone: () => void }) {
  const table = useRef<HTMLTableSectionElement>(null);
  const named = columns.filter(({ header }) => header !== '');
  useLayoutEffect(() => {
    const cells = [...(table.current?.rows ?? [])].map((row) => [...row.cells].map(cellText));
    saveFile(
      `${label.toLowerCase().replace(/\W+/g, '-')}.csv`,
      csvOf([named.map(({ header }) => header), ...cells]),
    );
    onDone();
    // Once: the rows are those of the click.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, []);
  return (
    <table hidden aria-hidden>
      <tbody ref={table}>
        {rows.map((row, at) => (
          <tr key={at}>
            {named.map((column) => (
              <td key={column.id}>{column.cell(row)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
