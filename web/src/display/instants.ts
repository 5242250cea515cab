// Times: shown in the reader's zone, with UTC one hover away.

const clock = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
const exact = { month: 'short', day: 'numeric', ...clock, second: '2-digit' } as const;
const full = new Intl.DateTimeFormat(undefined, { ...exact, year: 'numeric', timeZoneName: 'short' });
const shortForm = new Intl.DateTimeFormat(undefined, exact);
const datedForm = new Intl.DateTimeFormat(undefined, { ...exact, year: 'numeric' });
const minuteForm = new Intl.DateTimeFormat(undefined, { weekday: 'short', month: 'short', day: 'numeric', ...clock });
const clockForm = new Intl.DateTimeFormat(undefined, clock);
const secondForm = new Intl.DateTimeFormat(undefined, { ...clock, second: '2-digit' });
const dayForm = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

const STEPS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_557_600], ['month', 2_629_800], ['week', 604_800], ['day', 86_400], ['hour', 3_600], ['minute', 60],
];

/** Every part, the zone too. */
export function fullTime(text: string): string {
  return full.format(new Date(text));
}

/** For tables: the year only where it is not this one. */
export function shortTime(text: string, now = new Date()): string {
  const at = new Date(text);
  return (at.getFullYear() === now.getFullYear() ? shortForm : datedForm).format(at);
}

/** For what is planned: the weekday, and no seconds. */
export function minuteTime(text: string): string {
  return minuteForm.format(new Date(text));
}

/** The clock alone, with the day where it is another than that of `beside`. */
export function clockTime(text: string, beside: string): string {
  const [at, other] = [new Date(text), new Date(beside)];
  return at.toDateString() === other.toDateString() ? clockForm.format(at) : minuteForm.format(at);
}

/** The clock with its seconds, for what happens while one looks. */
export function nowTime(ms: number): string {
  return secondForm.format(ms);
}

export function day(text: string): string {
  return dayForm.format(new Date(text));
}

export function ago(text: string, now = Date.now()): string {
  const seconds = (new Date(text).getTime() - now) / 1000;
  for (const [unit, size] of STEPS) {
    if (Math.abs(seconds) >= size) return relative.format(Math.trunc(seconds / size), unit);
  }
  return Math.abs(seconds) < 10 ? 'just now' : relative.format(Math.trunc(seconds), 'second');
}

export function utc(text: string): string {
  return `${new Date(text).toISOString().replace('T', ' ').replace('Z', '')} UTC`;
}

export function took(start: string, end: string): string {
  const ms = new Date(end).getTime() - new Date(start).getTime();
  if (ms < 1000) return `${Math.max(0, ms)} ms`;
  if (ms < 90_000) return `${(ms / 1000).toFixed(1)} s`;
  if (ms < 120 * 60_000) return `${Math.round(ms / 60_000)} min`;
  if (ms < 48 * 3_600_000) return `${Math.round(ms / 3_600_000)} h`;
  return `${Math.round(ms / 86_400_000)} days`;
}

/** The value of a `datetime-local` input (the reader's zone) as the wire wants it; empty gives nothing. */
export function fromInput(text: string): string | undefined {
  if (!text) return undefined;
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

/** A time as the value of a `datetime-local` input. */
export function toInput(date: Date): string {
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}
