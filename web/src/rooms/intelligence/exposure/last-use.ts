// Last uses of principals in words.
import type { components } from '../../../api/schema';

type PrincipalUse = components['schemas']['PrincipalUseBody'];

const MOST_NAMED = 4;

/** What is not used, and the window and the coverage that this is known by. */
export function lastUseOf(of: PrincipalUse): { label: string; note: string } {
  const window = `In ${of.window_days} days`;
  if (of.coverage === 'none' || of.state === 'unknown')
    return { label: 'Not known', note: 'The last uses were not read' };
  if (of.state === 'new') return { label: 'Not known yet', note: 'Younger than the window' };
  if (of.state === 'unused')
    return {
      label: 'All of it',
      note: of.last_used ? `Last used on ${of.last_used}` : 'No use in 400 days',
    };
  if (of.coverage === 'principal')
    return { label: 'Not known', note: 'The services that it used were not read' };

  const named = of.unused_actions.slice(0, MOST_NAMED).join(', ');
  const more = of.unused_actions.length - MOST_NAMED;
  const blind = of.not_judged.length > 0 ? `; not recorded: ${of.not_judged.join(', ')}` : '';
  return {
    label: named ? `${named}${more > 0 ? ` and ${more} more` : ''}` : 'Nothing',
    note: `${window}${blind}`,
  };
}
