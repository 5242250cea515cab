// Cron patterns in words.
import cronstrue from 'cronstrue';

/** A pattern of five fields in words: `0 3 * * *` is `At 03:00`. Undefined for what is no pattern. */
export function cronInWords(pattern: string): string | undefined {
  if (pattern.trim().split(/\s+/).length !== 5) return undefined;
  try {
    return cronstrue.toString(pattern, { use24HourTimeFormat: true });
  } catch {
    return undefined;
  }
}

/** The note below a field for a pattern: the pattern in words once it is one, before that what it consists of. */
export function cronNote(pattern: string, empty: string): string {
  if (pattern.trim() === '') return empty;
  return cronInWords(pattern) ?? 'Minute, hour, day, month, weekday';
}
