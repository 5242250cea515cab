// Savings in words, where the figure alone does not say them.
import type { Recommendation } from '../../api/bodies';
import { count, money } from '../../display/amounts';
import { PRIORITY_ORDER } from './priorities';

type Priced = Pick<Recommendation, 'kind' | 'savings' | 'impact'>;

/** Text in place of a saving that is not known: the most that it can be where the resource's cost is known, and why nothing is claimed. */
export function unknownSaving({ kind, savings, impact }: Priced): string {
  const now = savings.current_monthly_cost;
  if (kind === 'idle_resource_cleanup' && now != null && now > 0) return `Up to ${money(now)}`;
  // A snapshot keeps what later ones share with it: the service names the most that its deletion can save, in words alone.
  const most = /^saves at most \$([\d,]+(?:\.\d+)?)/.exec(impact.cost)?.[1];
  if (most) return `Up to ${money(Number(most.replace(/,/g, '')))}`;
  if (impact.cost === 'none') return 'None';
  if (impact.cost.startsWith('the saving is not known')) return 'Not known';
  return impact.cost.startsWith('not claimed') ? 'Not claimed' : 'Price unknown';
}

/** Two lists of a dashboard: what saves money, the most first, and everything else, the most urgent first. */
export function byPurpose<Row extends Pick<Recommendation, 'savings' | 'priority'>>(
  rows: Row[],
): { saving: Row[]; other: Row[] } {
  const saved = (row: Row) => row.savings.expected_monthly ?? 0;
  const urgency = (row: Row) => PRIORITY_ORDER.indexOf(row.priority);
  return {
    saving: rows.filter((row) => saved(row) > 0).sort((a, b) => saved(b) - saved(a)),
    other: rows.filter((row) => saved(row) <= 0).sort((a, b) => urgency(a) - urgency(b)),
  };
}

/** "$5,465 saved, $756 added": what costs more stands beside what saves and is never subtracted in silence. */
export function addedInWords(added: number | undefined): string {
  return added ? `, others add ${money(added)} a month` : '';
}

/** Totals of a list of recommendations. A list that saves nothing does not claim "$0 could be saved". */
export function totalsInWords(of: {
  total: number;
  savings_monthly: number;
  cost_added_monthly: number;
  savings_unpriced: number;
}): string {
  const added = of.cost_added_monthly;
  return [
    `${count(of.total)} found`,
    of.savings_monthly > 0
      ? `${money(of.savings_monthly)} a month could be saved${addedInWords(added)}`
      : added > 0 && `they add ${money(added)} a month`,
    of.savings_unpriced > 0 && `${count(of.savings_unpriced)} without a known amount`,
  ]
    .filter(Boolean)
    .join(' · ');
}
