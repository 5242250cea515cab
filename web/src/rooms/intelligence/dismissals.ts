// Dismissals of recommendations. They are sent after ten seconds, so that taking one back leaves no trace; afterwards it can be reopened.
import { useQueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { HELD_MS, hold } from '../../api/held';
import type { Recommendation } from '../../api/bodies';
import { plural } from '../../display/amounts';
import { notify } from '../../display/announce';
import { announceUndoable } from '../../display/announceUndoable';
import { answerEach, type Refusal } from './bulk';
import { dismiss } from './queries';

interface Waiting {
  reason: string;
  undo: () => void;
}

/** Dismissals that are not sent yet, by recommendation. */
let waiting: ReadonlyMap<string, Waiting> = new Map();
const listeners = new Set<() => void>();

function change(edit: (dismissals: Map<string, Waiting>) => void) {
  const next = new Map(waiting);
  edit(next);
  waiting = next;
  listeners.forEach((listen) => listen());
}

function subscribe(listen: () => void) {
  listeners.add(listen);
  return () => void listeners.delete(listen);
}

/** Shows recommendations as they will be once the dismissals that wait are sent. */
export function useDismissals() {
  const dismissals = useSyncExternalStore(subscribe, () => waiting);
  return {
    asDismissed: <
      Row extends Pick<Recommendation, 'id' | 'status' | 'status_reason' | 'applicability'>,
    >(
      row: Row,
    ): Row => {
      const known = dismissals.get(row.id);
      if (!known) return row;
      const status_reason = known.reason;
      return { ...row, status: 'dismissed', status_reason, applicability: undefined };
    },
    /** The undo of a dismissal that is not sent yet. */
    undoOf: (id: string) => dismissals.get(id)?.undo,
  };
}

/** Returns the function that dismisses recommendations for one reason, and offers to take that back. */
export function useDismiss() {
  const queries = useQueryClient();
  return (items: Pick<Recommendation, 'id' | 'title'>[], reason: string) => {
    const forget = () =>
      change((dismissals) => items.forEach(({ id }) => void dismissals.delete(id)));
    const takeBack = hold(async (leaving) => {
      closeNotice();
      const refused = await answerEach(
        items,
        (id) => dismiss({ id, reason }),
        undefined,
        leaving ? items.length : undefined,
      );
      await queries.invalidateQueries({ queryKey: ['intelligence'] });
      forget();
      if (refused.length > 0) sayRefused(items.length, refused);
    });
    const undo = () => {
      closeNotice();
      if (takeBack()) forget();
    };
    change((dismissals) => items.forEach(({ id }) => dismissals.set(id, { reason, undo })));
    const closeNotice = announceUndoable(
      items.length === 1 ? 'Dismissed.' : `${plural(items.length, 'recommendation')} dismissed.`,
      () => Promise.resolve(undo()),
      HELD_MS,
    );
  };
}

function sayRefused(all: number, refused: Refusal[]) {
  notify({
    color: 'red',
    autoClose: false,
    title: all === 1 ? 'Not dismissed' : `${refused.length} of ${all} not dismissed`,
    message: refused.map(({ title, message }) => `${title}: ${message}`).join('; '),
  });
}
