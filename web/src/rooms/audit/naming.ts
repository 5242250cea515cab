import type { Entry } from '../../api/bodies';

/** Who did it, by the best name there is; `agents` gives agents' names by their identifiers. */
export function actorOf({ actor }: Entry, agents?: Map<string, string>): string {
  if (actor?.type === 'agent' && actor.id) return agents?.get(actor.id) ?? `Agent ${actor.id}`;
  return actor?.email ?? actor?.id ?? actor?.type ?? 'unknown';
}

/** To what it was done, by the best name there is. */
export function resourceOf({ resource }: Entry): string {
  return resource?.id ?? resource?.type ?? '';
}

/** The telling end of a long path or ARN. */
export function tail(id: string): string {
  if (id.length <= 44) return id;
  const last = id.split(/[/:]/).filter(Boolean).at(-1);
  return last && last.length < id.length ? `…${last}` : id;
}
