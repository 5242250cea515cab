import { describe, expect, it } from 'vitest';
import type { Entry } from '../../api/bodies';
import { happen, MOST, QUIET, type Arrivals } from './live';

const entry = (sequence: number) =>
  ({ event_id: `e${sequence}`, integrity: { sequence } }) as Entry;
const arrived = (state: Arrivals, ...sequences: number[]) =>
  happen(state, { kind: 'arrived', entries: sequences.map(entry) });
const sequences = (entries: Entry[]) => entries.map(({ integrity }) => integrity.sequence);

describe('the live view', () => {
  it('shows the newest first, each once', () => {
    const state = arrived(arrived(arrived(QUIET, 1, 2), 2, 3), 3);
    expect(sequences(state.shown)).toEqual([3, 2, 1]);
  });

  it('holds back what comes while paused, and counts it', () => {
    let state = happen(arrived(QUIET, 1), { kind: 'paused', paused: true });
    state = arrived(arrived(state, 2, 3), 3, 4);
    expect(sequences(state.shown)).toEqual([1]);
    expect(state.missed).toBe(3);
    state = happen(state, { kind: 'paused', paused: false });
    expect(sequences(state.shown)).toEqual([4, 3, 2, 1]);
    expect(state).toMatchObject({ missed: 0, paused: false, waiting: [] });
  });

  it('never holds more than fit', () => {
    const many = Array.from({ length: MOST + 50 }, (_, at) => at);
    expect(arrived(QUIET, ...many).shown).toHaveLength(MOST);
    const paused = arrived(happen(QUIET, { kind: 'paused', paused: true }), ...many);
    expect(paused.waiting).toHaveLength(MOST);
    expect(paused.missed).toBe(MOST + 50);
    expect(happen(paused, { kind: 'paused', paused: false }).shown[0]?.integrity.sequence).toBe(
      MOST + 49,
    );
  });

  it('begins anew for another query and stays paused', () => {
    const paused = happen(arrived(QUIET, 1), { kind: 'paused', paused: true });
    expect(happen(paused, { kind: 'begun' })).toEqual({ ...QUIET, paused: true });
  });
});
