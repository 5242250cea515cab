// Lines of savings, from sums by day.

const DAY_MS = 86_400_000;

export type Step = [at: number, dollars: number];

/**
 * Points of a line in steps, in ms since the epoch. The service sums changes by day and does not name their hours, so the sum of a day
 * counts from the end of that day, and that of today from now. Drawn from midnight, a change at noon would have saved since the morning.
 */
export function stepsOf(sums: { day: string; dollars: number }[], now: number): Step[] {
  const [first] = sums;
  if (!first) return [];
  const steps = sums.map(({ day, dollars }): Step => {
    const end = Date.parse(day) + DAY_MS;
    return [Math.min(end, now), dollars];
  });
  const [, latest] = steps.at(-1) ?? [now, 0];
  return [[Date.parse(first.day), 0], ...steps, [now, latest]];
}
