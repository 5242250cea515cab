/** Who must sign, by the approval matrix's impact levels. */
export function signaturesFor(impact: string): string {
  if (impact === 'low') return 'None needed (low impact)';
  if (impact === 'medium') return 'A manager (medium impact)';
  return 'A director and security (high impact)';
}
