// Times: shown in the workspace's zone, else in the reader's, with UTC one hover away.

import { durationInWords } from './durations';

const clock = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
const exact = { month: 'short', day: 'numeric', ...clock, second: '2-digit' } as const;

/** The zone that times are shown in: the workspace's, else the reader's. */
let zone: string | undefined;

function formsIn(timeZone: string | undefined) {
  const form = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(undefined, { ...options, timeZone });
  return {
    full: form({ ...exact, year: 'numeric', timeZoneName: 'short' }),
    short: form(exact),
    dated: form({ ...exact, year: 'numeric' }),
    minute: form({ weekday: 'short', month: 'short', day: 'numeric', ...clock }),
    clock: form(clock),
    second: form({ ...clock, second: '2-digit' }),
    day: form({ dateStyle: 'medium' }),
    year: form({ year: 'numeric' }),
    parts: new Intl.DateTimeFormat('en-CA', {
      timeZone,
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      ...clock,
    }),
  };
}

let forms = formsIn(undefined);

/** Shows times in a zone from now on; a name that the browser does not know leaves the reader's. */
export function showIn(timeZone: string | undefined) {
  try {
    forms = formsIn(timeZone);
    zone = timeZone;
  } catch {
    forms = formsIn(undefined);
    zone = undefined;
  }
}

/** The name of the zone that times are shown in. */
export function shownZone(): string {
  return zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
}

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

const STEPS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

/** Every part, the zone too. */
export function fullTime(text: string): string {
  return forms.full.format(new Date(text));
}

/** For tables: the year only where it is not this one. */
export function shortTime(text: string, now = new Date()): string {
  const at = new Date(text);
  return (forms.year.format(at) === forms.year.format(now) ? forms.short : forms.dated).format(at);
}

/** For what is planned: the weekday, and no seconds. */
export function minuteTime(text: string): string {
  return forms.minute.format(new Date(text));
}

/** The clock alone, with the day where it is another than that of `beside`. */
export function clockTime(text: string, beside: string): string {
  const [at, other] = [new Date(text), new Date(beside)];
  return forms.day.format(at) === forms.day.format(other)
    ? forms.clock.format(at)
    : forms.minute.format(at);
}

/** The clock with its seconds, for what happens while one looks. */
export function nowTime(ms: number): string {
  return forms.second.format(ms);
}

export function day(text: string): string {
  return forms.day.format(new Date(text));
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
  return durationInWords(ms / 1000);
}

/** What a `datetime-local` input shows for a time, in the zone that times are shown in. */
function wall(date: Date): string {
  const parts = Object.fromEntries(
    forms.parts.formatToParts(date).map(({ type, value }) => [type, value]),
  );
  return `${parts.year}-${parts.month}-${parts.day}T${parts.hour}:${parts.minute}`;
}

/** The value of a `datetime-local` input (in the zone that times are shown in) as the wire wants it; empty gives nothing. */
export function fromInput(text: string): string | undefined {
  if (!text) return undefined;
  const asUtc = Date.parse(`${text.slice(0, 16)}Z`);
  if (Number.isNaN(asUtc)) return undefined;
  // The offset of that moment is found by asking what the clock shows there; twice, because a change of the clocks may lie between.
  let at = asUtc;
  for (let turn = 0; turn < 2; turn += 1) at += asUtc - Date.parse(`${wall(new Date(at))}Z`);
  return new Date(at).toISOString();
}

/** A time as the value of a `datetime-local` input. */
export function toInput(date: Date): string {
  return wall(date);
}
