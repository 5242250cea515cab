import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { HELD_MS, hold, sendHeld } from './held';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const sent = () => vi.fn(() => Promise.resolve());

it('sends a change after ten seconds, once', async () => {
  const send = sent();
  const undo = hold(send);
  vi.advanceTimersByTime(HELD_MS - 1);
  expect(send).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(send).toHaveBeenCalledTimes(1);
  await sendHeld();
  expect(send).toHaveBeenCalledTimes(1);
  expect(undo()).toBe(false);
});

it('sends nothing that was taken back', async () => {
  const send = sent();
  expect(hold(send)()).toBe(true);
  vi.advanceTimersByTime(HELD_MS);
  await sendHeld();
  expect(send).not.toHaveBeenCalled();
});

it('sends at once when the page is left', () => {
  const [first, second] = [sent(), sent()];
  hold(first);
  hold(second);
  window.dispatchEvent(new Event('pagehide'));
  expect(first).toHaveBeenCalledTimes(1);
  expect(second).toHaveBeenCalledTimes(1);
});
