// The live view: entries as they arrive, held back while paused, never more than fit.
import { useEffect, useReducer } from 'react';
import type { Entry } from '../../api/bodies';
import { body, client } from '../../api/client';
import { asProblem, type Problem } from '../../api/problem';

/** Entries shown at most, and held back at most. */
export const MOST = 500;

export interface Arrivals {
  /** Newest first. */
  shown: Entry[];
  /** What came while paused, newest first. */
  waiting: Entry[];
  /** How many came while paused, those that no longer fit included. */
  missed: number;
  paused: boolean;
  connection: Connection;
  problem: Problem | undefined;
}

export type Connection = 'connecting' | 'live' | 'broken' | 'refused';

export type Happening =
  | { kind: 'begun' }
  | { kind: 'arrived'; entries: Entry[] }
  | { kind: 'paused'; paused: boolean }
  | { kind: 'connection'; connection: Connection; problem?: Problem };

export const QUIET: Arrivals = {
  shown: [],
  waiting: [],
  missed: 0,
  paused: false,
  connection: 'connecting',
  problem: undefined,
};

/** An entry comes once, whatever a connection that was made again sends. */
function onto(before: Entry[], fresh: Entry[]): Entry[] {
  const newest = before[0]?.integrity.sequence ?? -1;
  const later = fresh
    .filter(({ integrity }) => integrity.sequence > newest)
    .sort((a, b) => b.integrity.sequence - a.integrity.sequence);
  return later.length > 0 ? [...later, ...before].slice(0, MOST) : before;
}

export function happen(state: Arrivals, what: Happening): Arrivals {
  switch (what.kind) {
    case 'arrived': {
      if (!state.paused) return { ...state, shown: onto(state.shown, what.entries) };
      const newest =
        state.waiting[0]?.integrity.sequence ?? state.shown[0]?.integrity.sequence ?? -1;
      const fresh = what.entries.filter(({ integrity }) => integrity.sequence > newest);
      return { ...state, waiting: onto(state.waiting, fresh), missed: state.missed + fresh.length };
    }
    case 'paused':
      return what.paused
        ? { ...state, paused: true }
        : {
            ...state,
            shown: onto(state.shown, state.waiting),
            waiting: [],
            missed: 0,
            paused: false,
          };
    case 'connection':
      return { ...state, connection: what.connection, problem: what.problem };
    case 'begun':
      return { ...QUIET, paused: state.paused };
  }
}

interface Live extends Arrivals {
  pause: (paused: boolean) => void;
}

const FIRST = 25;
/** How long until a connection that the browser has given up is tried again. */
const AGAIN_MS = 5000;

/** Follows the log: the newest entries that a query finds, then those that arrive. */
export function useLive(query: string | undefined): Live {
  const [state, happened] = useReducer(happen, QUIET);

  useEffect(() => {
    let source: EventSource | undefined;
    let again: ReturnType<typeof setTimeout> | undefined;
    let last: number | undefined;
    let gone = false;
    let gathered: Entry[] = [];
    let frame = 0;
    // A burst is shown in one go.
    const show = () => {
      frame = 0;
      happened({ kind: 'arrived', entries: gathered });
      gathered = [];
    };
    const arrive = (entries: Entry[]) => {
      for (const { integrity } of entries) last = Math.max(last ?? -1, integrity.sequence);
      gathered = [...gathered, ...entries].slice(-2 * MOST);
      frame ||= requestAnimationFrame(show);
    };
    const connection = (now: Connection, problem?: Problem) =>
      happened({ kind: 'connection', connection: now, problem });
    const retry = (problem?: Problem) => {
      connection('broken', problem);
      again = setTimeout(() => void connect(), AGAIN_MS);
    };
    const connect = async () => {
      try {
        // Asking first tells what is wrong with a query, which an event source cannot say.
        if (last === undefined) {
          const { items } = await body(
            client.GET('/api/v1/audit-logs', { params: { query: { limit: FIRST, query } } }),
          );
          if (gone) return;
          arrive(items);
        }
      } catch (error) {
        if (gone) return;
        const problem = asProblem(error);
        if (problem.status >= 400 && problem.status < 500 && problem.status !== 429)
          connection('refused', problem);
        else retry(problem);
        return;
      }
      const address = new URL('/api/v1/audit-logs/live', window.location.origin);
      if (query) address.searchParams.set('query', query);
      if (last !== undefined) address.searchParams.set('after', String(last));
      source = new EventSource(address);
      source.onopen = () => connection('live');
      source.addEventListener('entry', (event: MessageEvent<string>) =>
        arrive([JSON.parse(event.data) as Entry]),
      );
      source.onerror = () => {
        // The browser connects again by itself unless the service refused.
        if (source?.readyState === EventSource.CLOSED) retry();
        else connection('broken');
      };
    };
    happened({ kind: 'begun' });
    void connect();
    return () => {
      gone = true;
      source?.close();
      clearTimeout(again);
      cancelAnimationFrame(frame);
    };
  }, [query]);

  return { ...state, pause: (paused) => happened({ kind: 'paused', paused }) };
}
