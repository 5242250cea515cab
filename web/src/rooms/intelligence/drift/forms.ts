// Wording of drifts.
import { plural } from '../../../display/amounts';
import { words } from '../../../display/wording';
import type { Baseline, Drift, DriftState } from './queries';

export const FORMS: Record<Drift['form'], string> = {
  changed: 'Changed',
  appeared: 'Appeared',
  gone: 'Gone',
};

export const STATES: Record<DriftState, string> = {
  open: 'Open',
  accepted: 'Accepted',
  resolved: 'Resolved',
};

/** Colours of the states, as names of the statuses that have them. */
export const COLOURS: Record<DriftState, string> = {
  open: 'open',
  accepted: 'acknowledged',
  resolved: 'resolved',
};

export const STEPS: Record<string, string> = {
  detect: 'Detected',
  accept: 'Accepted',
  reopen: 'Opened again',
  resolve: 'Resolved',
};

export const RESOLUTIONS: Record<string, string> = {
  agrees: 'the resource agrees with the baseline again',
  pinned: 'the present configuration was pinned',
};

/** What a baseline covers, in words. */
export function scopeInWords(
  { scope }: Baseline,
  names: ReadonlyMap<string, string> = new Map(),
): string {
  const kinds = scope.kinds.map(words);
  const tags = Object.entries(scope.tags).map(([name, value]) => `${name}=${value}`);
  const connections = scope.connections.map((id) => names.get(id) ?? id);
  return [
    kinds.length > 0 ? kinds.join(', ') : 'All kinds',
    connections.length > 0 ? connections.join(', ') : 'all connections',
    ...tags,
  ].join(' · ');
}

/** How many drifts a baseline has that wait for somebody, and how many are accepted. */
export function driftsInWords({ open, accepted }: Baseline['drifts']): string {
  const parts = [
    open > 0 && `${open} open`,
    accepted > 0 && plural(accepted, 'accepted', 'accepted'),
  ].filter(Boolean);
  return parts.length > 0 ? parts.join(', ') : 'None';
}

/** Tags as people type them: `name=value`, separated by commas. */
export function readTags(text: string): Record<string, string> {
  const pairs = text
    .split(',')
    .map((pair) => pair.trim())
    .filter(Boolean)
    .map((pair): [string, string] => {
      const [name = '', ...value] = pair.split('=');
      return [name.trim(), value.join('=').trim()];
    });
  return Object.fromEntries(pairs);
}
