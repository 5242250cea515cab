/** The 90 % range of a confidence, as the service's explanation gives it; nothing where it gives none. */
export function rangeOf(factors: string[]): { low: string; high: string } | undefined {
  for (const factor of factors) {
    const found = /90 % range (?:from )?(\d+(?:\.\d+)?)(?: %)? to (\d+(?:\.\d+)?)/.exec(factor);
    if (found) return { low: found[1] ?? '', high: found[2] ?? '' };
  }
  return undefined;
}
