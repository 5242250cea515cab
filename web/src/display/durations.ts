// Lengths of time in the unit that people say them in.

export const LENGTHS = { seconds: 1, minutes: 60, hours: 3_600, days: 86_400 };

export type Unit = keyof typeof LENGTHS;

/** The longest of the units in which a duration is a whole number; the shortest where none is. */
export function fitting(value: number, unit: Unit, units: readonly Unit[]): Unit {
  const seconds = value * LENGTHS[unit];
  return units.findLast((one) => seconds > 0 && seconds % LENGTHS[one] === 0) ?? units[0] ?? unit;
}

const SPELLED: Record<string, [name: string, seconds: number]> = {
  s: ['second', 1],
  m: ['minute', 60],
  h: ['hour', 3_600],
  d: ['day', 86_400],
};

/** A time span as the service spells it, `5m` or `7d`, in its parts; nothing for any other text. */
function spanParts(text: string) {
  const [, number, letter = ''] = /^(\d+)([smhd])$/.exec(text) ?? [];
  const unit = SPELLED[letter];
  return unit && { number: Number(number), name: unit[0], seconds: Number(number) * unit[1] };
}

/** A time span in words: `5m` as `5 minutes`, `1h` as `1 hour`; any other text as it is. */
export function spanInWords(text: string): string {
  const span = spanParts(text);
  return span ? `${span.number} ${span.name}${span.number === 1 ? '' : 's'}` : text;
}

/** A time span in seconds: 900 for `15m`; nothing where it is none. */
export function secondsOf(text: string): number | undefined {
  return spanParts(text)?.seconds;
}

const LARGEST_FIRST: [name: string, seconds: number][] = [
  ['days', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
];

/** Seconds in the two largest units that they have: `43 min 12 s`, `2 h`, `1 day 3 h`. */
export function durationInWords(seconds: number): string {
  let rest = Math.round(seconds);
  const parts = LARGEST_FIRST.map(([name, size]) => {
    const whole = Math.floor(rest / size);
    rest -= whole * size;
    return { whole, name: name === 'days' && whole === 1 ? 'day' : name };
  });
  const first = parts.findIndex(({ whole }) => whole > 0);
  if (first < 0) return '0 s';
  return parts
    .slice(first, first + 2)
    .filter(({ whole }) => whole > 0)
    .map(({ whole, name }) => `${whole} ${name}`)
    .join(' ');
}
