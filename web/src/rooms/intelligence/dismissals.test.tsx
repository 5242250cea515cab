import { act, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Recommendation } from '../../api/bodies';
import { HELD_MS, sendHeld } from '../../api/held';
import { Problem } from '../../api/problem';
import { notify } from '../../display/announce';
import { show } from '../../testing/page';
import { Answers } from './Answers';
import { useDismiss, useDismissals } from './dismissals';
import { dismiss } from './queries';

vi.mock('./queries', async (original) => ({
  ...(await original<typeof import('./queries')>()),
  dismiss: vi.fn(() => Promise.resolve({})),
}));
vi.mock('../../display/announce', () => ({ notify: vi.fn(), announce: vi.fn() }));

const ITEMS = ['a', 'b'].map((id) => ({
  id,
  title: `Stop ${id}`,
  status: 'open',
  status_reason: null,
})) as unknown as Recommendation[];

function List() {
  const answer = useDismiss();
  const { asDismissed, undoOf } = useDismissals();
  return (
    <>
      <button onClick={() => answer(ITEMS, 'kept')}>Dismiss</button>
      {ITEMS.map(asDismissed).map(({ id, status, status_reason }) => (
        <p key={id}>
          {id} {status} {status_reason}
        </p>
      ))}
      {undoOf('b') && <button onClick={undoOf('b')}>Undo</button>}
    </>
  );
}

const click = (name: string) => act(() => screen.getByRole('button', { name }).click());

beforeEach(() => {
  vi.useFakeTimers();
  vi.mocked(dismiss).mockClear();
  vi.mocked(notify).mockClear();
});
afterEach(async () => {
  await sendHeld();
  vi.useRealTimers();
});

it('shows recommendations as dismissed at once, and sends that after ten seconds', async () => {
  show(<List />);
  click('Dismiss');
  screen.getByText('a dismissed kept');
  screen.getByText('b dismissed kept');
  expect(dismiss).not.toHaveBeenCalled();
  await act(() => vi.advanceTimersByTimeAsync(HELD_MS));
  expect(vi.mocked(dismiss).mock.calls).toEqual([
    [{ id: 'a', reason: 'kept' }],
    [{ id: 'b', reason: 'kept' }],
  ]);
  expect(screen.queryByRole('button', { name: 'Undo' })).toBeNull();
});

it('is undone for all of them together, and sends nothing', async () => {
  show(<List />);
  click('Dismiss');
  click('Undo');
  screen.getByText('a open');
  screen.getByText('b open');
  await act(() => vi.advanceTimersByTimeAsync(HELD_MS));
  expect(dismiss).not.toHaveBeenCalled();
});

it('names what the service refused', async () => {
  vi.mocked(dismiss).mockRejectedValueOnce(
    new Problem({ status: 409, code: 'conflict', title: 'Conflict', detail: 'It is running.' }),
  );
  show(<List />);
  click('Dismiss');
  await act(() => vi.advanceTimersByTimeAsync(HELD_MS));
  expect(vi.mocked(notify).mock.lastCall?.[0]).toMatchObject({
    title: '1 of 2 not dismissed',
    message: 'Stop a: It is running.',
  });
});

it.each([
  ['snoozed', 'Reopen'],
  ['scheduled', 'Cancel schedule'],
  ['pending_approval', 'Withdraw request'],
])('names the way back from %s', (status, label) => {
  show(<Answers of={{ ...ITEMS[0], status } as Recommendation} />);
  screen.getByRole('button', { name: label });
});
