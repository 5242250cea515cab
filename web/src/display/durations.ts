// Lengths of time in the unit that people say them in.

export const LENGTHS = { seconds: 1, minutes: 60, hours: 3_600, days: 86_400 };

export type Unit = keyof typeof LENGTHS;

/** The longest of the units in which a duration is a whole number; the shortest where none is. */
export function fitting(value: number, unit: Unit, units: readonly Unit[]): Unit {
  const seconds = value * LENGTHS[unit];
  return units.findLast((one) => seconds > 0 && seconds % LENGTHS[one] === 0) ?? units[0] ?? unit;
}

const UNITS: Record<string, string> = { s: 'second', m: 'minute', h: 'hour', d: 'day' };

/** A window of a rule, which the service writes as `5m` or `1h`: `5 minutes`, `1 hour`. */
export function windowInWords(window: string): string {
  const [, number, letter = ''] = /^(\d+)([smhd])$/.exec(window) ?? [];
  const unit = UNITS[letter];
  return unit ? `${number} ${unit}${number === '1' ? '' : 's'}` : window;
}

/** A duration in at most two units: `36 s`, `2 h 30 min`, `9 days`. */
export function durationInWords(seconds: number): string {
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  const minutes = Math.round(whole / 60);
  if (minutes < 60) return `${minutes} min`;
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  if (hours < 48) return rest > 0 ? `${hours} h ${rest} min` : `${hours} h`;
  const [days, left] = [Math.floor(hours / 24), hours % 24];
  return left > 0 && days < 7 ? `${days} days ${left} h` : `${days} days`;
}
