import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { show } from '../testing/page';
import { Hint } from './Hint';

it('appears for the pointer, describes its element, and goes with Escape', async () => {
  show(
    <Hint label="In UTC">
      <button type="button">Now</button>
    </Hint>,
  );
  const button = screen.getByRole('button', { name: 'Now' });
  expect(screen.queryByRole('tooltip')).toBeNull();
  await userEvent.hover(button);
  expect(await screen.findByRole('tooltip')).toHaveTextContent('In UTC');
  expect(button).toHaveAccessibleDescription('In UTC');
  await userEvent.keyboard('{Escape}');
  expect(screen.queryByRole('tooltip')).toBeNull();
  await userEvent.unhover(button);
  await userEvent.hover(button);
  await screen.findByRole('tooltip');
  await userEvent.unhover(button);
  expect(screen.queryByRole('tooltip')).toBeNull();
});

it('keeps what its element does itself', async () => {
  let focused = 0;
  show(
    <Hint label="More">
      <button
        type="button"
        onFocus={() => {
          focused += 1;
        }}
      >
        Go
      </button>
    </Hint>,
  );
  await userEvent.tab();
  expect(focused).toBe(1);
  expect(await screen.findByRole('tooltip')).toHaveTextContent('More');
});
