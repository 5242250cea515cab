// Who must sign, by the approval matrix of the guardrails.
import type { Guardrails } from '../../api/bodies';
import { words } from '../../display/wording';

type Matrix = Guardrails['approval_matrix'];

const ROWS = { low: 'low_impact', medium: 'medium_impact', high: 'high_impact' } as const;

/** `A director and security (high impact)`; the impact alone while the matrix is not read. */
export function signaturesFor(impact: string, matrix: Matrix | undefined): string {
  const row = matrix?.[ROWS[impact as keyof typeof ROWS]];
  if (!row) return `${words(impact)} impact`;
  return `${inWords(row.signatures)} (${impact} impact)`;
}

const SIGNERS: Record<string, string> = {
  manager: 'a manager',
  director: 'a director',
  security: 'security',
};

function inWords(signatures: string[]): string {
  if (signatures.length === 0) return 'None needed';
  const all = signatures.map((name) => SIGNERS[name] ?? name).join(' and ');
  return all.charAt(0).toUpperCase() + all.slice(1);
}

/** Whether a change of an impact waits for signatures; while the matrix is not read, all but low impact does. */
export const needsSignatures = (impact: string, matrix: Matrix | undefined) =>
  (matrix?.[ROWS[impact as keyof typeof ROWS]]?.signatures.length ?? (impact === 'low' ? 0 : 1)) >
  0;
