import { act, cleanup, render, screen } from '@testing-library/react';
import { afterEach, it, vi } from 'vitest';
import { useNow } from './useNow';

afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

function Clock() {
  return <p>{new Date(useNow()).toISOString()}</p>;
}

it('shows the current minute, without being asked and when drawn again', () => {
  vi.useFakeTimers({ now: Date.parse('2026-03-01T10:00:58Z') });
  const { rerender } = render(<Clock />);
  screen.getByText('2026-03-01T10:00:00.000Z');

  act(() => vi.advanceTimersByTime(2_000));
  screen.getByText('2026-03-01T10:01:00.000Z');
  act(() => vi.advanceTimersByTime(60_000));
  screen.getByText('2026-03-01T10:02:00.000Z');

  // A timer that the browser holds back does not hold back what is drawn.
  vi.setSystemTime(Date.parse('2026-03-01T10:30:01Z'));
  rerender(<Clock />);
  screen.getByText('2026-03-01T10:30:00.000Z');
});
