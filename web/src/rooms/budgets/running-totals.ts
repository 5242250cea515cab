// Amounts of days, added up.

interface Day {
  day: string;
  amount: number;
}

type Line = [day: string, total: number][];

/** Running totals of what was spent up to the last day of the bills, and from there of what is expected. */
export function running(
  days: Day[],
  ahead: Day[],
  until?: string,
): { spent: Line; expected: Line } {
  let total = 0;
  const spent: Line = days
    .filter(({ day }) => until === undefined || day <= until)
    .map(({ day, amount }) => [day, (total += amount)]);
  const known = new Map(days.map(({ day, amount }) => [day, amount]));
  const start = spent.at(-1);
  const expected: Line = ahead.map(({ day, amount }) => [
    day,
    (total += Math.max(amount, known.get(day) ?? 0)),
  ]);
  return { spent, expected: expected.length && start ? [start, ...expected] : expected };
}
