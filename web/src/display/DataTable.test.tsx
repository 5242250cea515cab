import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';
import { show } from '../testing/page';
import { saveCsv } from './csv';
import { DataTable, type Column } from './DataTable';

vi.mock('./csv', async (original) => ({
  ...(await original<typeof import('./csv')>()),
  saveCsv: vi.fn(),
}));

interface Row {
  id: string;
  cost: number;
}
const ROWS: Row[] = [
  { id: 'b', cost: 9 },
  { id: 'a', cost: 100 },
  { id: 'c', cost: 20 },
];
const COLUMNS: Column<Row>[] = [
  {
    id: 'id',
    header: 'Name',
    sortBy: (row) => row.id,
    cell: (row) => <a href={`#${row.id}`}>{row.id}</a>,
  },
  {
    id: 'cost',
    header: 'Cost',
    align: 'right',
    sortBy: (row) => row.cost,
    cell: (row) => `$${row.cost}`,
  },
];
const names = () =>
  screen
    .getAllByRole('link')
    .map((link) => link.textContent)
    .join('');

function table(rows: Row[] | undefined, more: Partial<Parameters<typeof DataTable<Row>>[0]> = {}) {
  return show(
    <DataTable
      label="Things"
      columns={COLUMNS}
      rows={rows}
      rowId={(row) => row.id}
      empty={<p>Nothing</p>}
      {...more}
    />,
  );
}

describe('the CSV file of a table', () => {
  const saved = vi.mocked(saveCsv);
  const things: Column<Row>[] = [
    {
      id: 'name',
      header: 'Name',
      csv: { Name: ({ id }) => `thing ${id}`, Account: () => '-7 prod' },
      cell: ({ id }) => (
        <>
          <p>thing {id}</p>
          <p>-7 prod</p>
        </>
      ),
    },
    {
      id: 'cost',
      header: 'Cost',
      csv: { 'Cost (USD)': ({ cost }) => (cost > 50 ? null : -cost) },
      cell: ({ cost }) => `adds $${cost}`,
    },
    { id: 'entries', header: 'Entries', cell: ({ cost }) => `1,${cost + 100}` },
    { id: 'open', header: '', cell: () => 'Open' },
  ];

  it('has one fact a column, identifiers, and numbers as numbers', async () => {
    table(ROWS, { columns: things, pageSize: 2 });
    await userEvent.click(screen.getByRole('button', { name: 'Download Things as CSV' }));
    await waitFor(() => expect(saved).toHaveBeenCalledOnce(), { timeout: 5_000 });
    expect(saved.mock.calls[0]).toEqual([
      'things.csv',
      [
        'Identifier,Name,Account,Cost (USD),Entries',
        "b,thing b,'-7 prod,-9,1109",
        "a,thing a,'-7 prod,,1200",
        "c,thing c,'-7 prod,-20,1120",
        '',
      ].join('\r\n'),
    ]);
  });
});

describe('DataTable', () => {
  it('keeps the given order, then sorts by number', async () => {
    table(ROWS);
    expect(names()).toBe('bac');
    await userEvent.click(screen.getByRole('button', { name: 'Cost' }));
    expect(names()).toBe('acb');
    await userEvent.click(screen.getByRole('button', { name: 'Cost' }));
    expect(names()).toBe('bca');
    expect(screen.getByRole('columnheader', { name: 'Cost' })).toHaveAttribute(
      'aria-sort',
      'ascending',
    );
  });

  it('pages', async () => {
    table(ROWS, { pageSize: 2, sortedBy: { id: 'id', desc: false } });
    expect(names()).toBe('ab');
    await userEvent.click(screen.getByRole('button', { name: 'next page' }));
    expect(names()).toBe('c');
    expect(screen.getByText('3 to 3 of 3')).toBeInTheDocument();
  });

  it('opens a row, but not when a link in it was meant', async () => {
    const open = vi.fn();
    table(ROWS, { onOpen: open });
    await userEvent.click(screen.getByText('$9'));
    expect(open).toHaveBeenCalledWith(ROWS[0]);
    await userEvent.click(screen.getByRole('link', { name: 'c' }));
    expect(open).toHaveBeenCalledTimes(1);
  });

  it('says what is missing, and is busy while loading', () => {
    const { unmount } = table([]);
    expect(screen.getByText('Nothing')).toBeInTheDocument();
    unmount();
    table(undefined);
    expect(screen.getByRole('table', { name: 'Things' })).toHaveAttribute('aria-busy', 'true');
    expect(within(screen.getByRole('table')).queryByRole('link')).toBeNull();
  });
});
