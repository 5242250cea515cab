import type { Entry } from '../../api/bodies';

/** Who did it, by the best name there is. */
export function actorOf({ actor }: Entry): string {
  return actor?.email ?? actor?.id ?? actor?.type ?? 'unknown';
}

/** To what it was done, by the best name there is. */
export function resourceOf({ resource }: Entry): string {
  return resource?.id ?? resource?.type ?? '';
}
