// The table of an agent type in words.
import { spanInWords } from '../../../display/durations';
import { words } from '../../../display/wording';

export interface TypeLine {
  name: string;
  /** The value where it says more than that it is there. */
  value?: string;
}

/** A value of the table: `30d_historical` as "30 days historical". */
export function valueInWords(value: unknown): string | undefined {
  if (value === true) return undefined;
  if (Array.isArray(value)) return value.map((one) => valueInWords(one) ?? '').join(', ');
  const text = String(value);
  if (!/^[a-z0-9_]+$/.test(text)) return text;
  return text.replace(/^\d+[dhm](?=_|$)/, spanInWords).replace(/_/g, ' ');
}

/**
 * The lines of a part of the table (capabilities, actions, settings); nested values are named by their path. The service lists those that
 * no setting decides as `described`. The page makes no difference: the spot optimizer does all of its own, none of them by a setting.
 */
export function linesOf(values: Record<string, unknown>): TypeLine[] {
  const walk = (value: unknown, path: string[]): TypeLine[] => {
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return Object.entries(value).flatMap(([name, inner]) => walk(inner, [...path, name]));
    return [
      {
        name: words(path.join(': ')),
        value: valueInWords(value),
      },
    ];
  };
  return Object.entries(values)
    .filter(([, value]) => value !== false)
    .flatMap(([name, value]) => walk(value, [name]));
}

/** Origin of the recommendations of a type. */
export const FINDINGS: Record<string, string> = {
  runs: 'Checks the resources of its scope on a schedule.',
  anomalies:
    'Judges nothing itself: it holds what security anomalies ask for, with its scope, mode and limits.',
  predictive_rules:
    'Judges nothing itself: it holds what predictive rules and anomalies ask for, with its scope, mode and limits.',
};

/** A type in two or three words, by the origin of its recommendations. */
export const BADGES: Record<string, string> = {
  runs: 'Available',
  anomalies: 'Comes with anomalies',
  predictive_rules: 'Comes with predictive rules',
};
