import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { expect, it } from 'vitest';
import { show } from '../testing/page';
import { Select } from './Select';

const STATES = [
  { value: 'open', label: 'Open' },
  { value: 'done', label: 'Finished' },
];

function Filter({ initially, searchable }: { initially: string | null; searchable?: boolean }) {
  const [state, setState] = useState(initially);
  return (
    <Select
      label="State"
      data={STATES}
      value={state}
      onChange={setState}
      placeholder="Any"
      clearable
      searchable={searchable}
    />
  );
}

const field = () => screen.getByRole('combobox', { name: 'State' });

it('shows the choice before its first use, and is cleared', async () => {
  show(<Filter initially="done" />);
  expect(field()).toHaveValue('Finished');
  expect(field()).toHaveAttribute('aria-expanded', 'false');
  await userEvent.click(screen.getByRole('button', { hidden: true }));
  expect(field()).toHaveValue('');
  expect(field()).toHaveAttribute('placeholder', 'Any');
});

it('opens with the first click and takes a choice', async () => {
  show(<Filter initially={null} />);
  await userEvent.click(field());
  await userEvent.click(await screen.findByRole('option', { name: 'Finished', hidden: true }));
  expect(field()).toHaveValue('Finished');
});

it('opens with the keyboard and keeps the focus', async () => {
  show(<Filter initially={null} />);
  await userEvent.tab();
  expect(field()).toHaveFocus();
  await userEvent.keyboard('{ArrowDown}');
  await screen.findByRole('option', { name: 'Open', hidden: true });
  expect(field()).toHaveFocus();
  await userEvent.keyboard('{ArrowDown}{Enter}');
  expect(field()).not.toHaveValue('');
});

it('searches when it is entered', async () => {
  show(<Filter initially={null} searchable />);
  await userEvent.tab();
  await screen.findByRole('option', { name: 'Open', hidden: true });
  await userEvent.keyboard('fin');
  expect(screen.queryByRole('option', { name: 'Open', hidden: true })).toBeNull();
  await userEvent.click(screen.getByRole('option', { name: 'Finished', hidden: true }));
  expect(field()).toHaveValue('Finished');
});

it('leaves the focus where it went before the list came', async () => {
  show(
    <>
      <Filter initially={null} searchable />
      <button type="button">Next</button>
    </>,
  );
  await userEvent.tab();
  await userEvent.tab();
  await import('./library-choices');
  expect(screen.getByRole('button', { name: 'Next' })).toHaveFocus();
});
