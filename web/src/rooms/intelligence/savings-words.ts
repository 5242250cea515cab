// Savings in words, where the figure alone does not say them.
import type { Recommendation } from '../../api/bodies';
import { money } from '../../display/amounts';

type Priced = Pick<Recommendation, 'kind' | 'savings' | 'impact'>;

/** Text in place of a saving that is not known: the most that it can be where the resource's cost is known, and why nothing is claimed. */
export function unknownSaving({ kind, savings, impact }: Priced): string {
  const now = savings.current_monthly_cost;
  if (kind === 'idle_resource_cleanup' && now != null && now > 0) return `Up to ${money(now)}`;
  return impact.cost.startsWith('not claimed') ? 'Not claimed' : 'Price unknown';
}

/** Two lists of a dashboard: what saves money, the most first, and everything else in the order that it came, which is by urgency. */
export function byPurpose<Row extends Pick<Recommendation, 'savings'>>(
  rows: Row[],
): { saving: Row[]; other: Row[] } {
  const saved = (row: Row) => row.savings.expected_monthly ?? 0;
  return {
    saving: rows.filter((row) => saved(row) > 0).sort((a, b) => saved(b) - saved(a)),
    other: rows.filter((row) => saved(row) <= 0),
  };
}

/** "$5,465 saved, $756 added": what costs more stands beside what saves and is never subtracted in silence. */
export function addedInWords(added: number | undefined): string {
  return added ? `, others add ${money(added)} a month` : '';
}
