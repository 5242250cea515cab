import { Button } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useState, type JSX } from 'react';
import type { Column } from './DataTable';
import { lazyComponent } from './lazy';

export interface CsvFileProps<Row> {
  label: string;
  columns: Column<Row>[];
  rows: Row[];
  onClose: () => void;
}

const CsvFile = lazyComponent(() => import('./CsvFile'), 'CsvFile') as <Row extends object>(
  props: CsvFileProps<Row>,
) => JSX.Element | null;

interface Props<Row> {
  label: string;
  columns: Column<Row>[];
  /** All rows in the order shown, not only those of the page. */
  rows: () => Row[];
}

/** Saves all rows of a table as a CSV file. */
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
        <CsvFile label={label} columns={columns} rows={saved} onClose={() => setSaved(undefined)} />
      )}
    </>
  );
}
