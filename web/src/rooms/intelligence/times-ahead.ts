const DAY_MS = 86_400_000;

/** What is wrong with a time at which something is to happen: it must be ahead, and within so many days. */
export function timeObjection(
  at: string | undefined,
  days: number,
  now = Date.now(),
): string | undefined {
  if (!at) return undefined;
  const ahead = Date.parse(at) - now;
  if (ahead <= 0) return 'Choose a time in the future.';
  return ahead > days * DAY_MS ? `Choose a time within ${days} days.` : undefined;
}
