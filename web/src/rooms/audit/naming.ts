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

/** Who handed the entry to Reeve, in a sentence. The actor is what the source claims; this is what Reeve knows. */
export function submitterOf({ submitted_by: by }: Entry): string {
  if (!by) return 'Unknown submitter (recorded before Reeve noted it)';
  const from = by.ip_address ? ` from ${by.ip_address}` : '';
  const user = by.email ?? by.id ?? 'an unknown user';
  switch (by.type) {
    case 'reeve':
      return 'Recorded by Reeve';
    case 'token':
      return `Submitted with token ${by.token_name ?? by.token_id ?? ''} of ${user}${from}`;
    case 'session':
      return `Submitted by ${user} in a browser session${from}`;
    case 'local':
      return `Imported on Reeve's own machine by ${by.id ?? 'an unknown account'}`;
    default:
      return `Submitted by ${user}${from}`;
  }
}

/** The same in a word, for a row. */
export function submitterName({ submitted_by: by }: Entry): string {
  if (!by) return 'submitter unknown';
  if (by.type === 'reeve') return 'recorded by Reeve';
  if (by.type === 'local') return 'imported locally';
  return `via ${by.token_name ?? by.email ?? by.id ?? by.type}`;
}

/** The condition that leaves out what others wrote into the log: they could say of anything that Reeve did it. */
export const BY_REEVE = '(submitted_by.type:reeve OR NOT submitted_by:*)';
