// When windows are open and freezes hold. The service decides; this tells people what it will decide.
import type { Agent, Freeze, MaintenanceWindow } from '../../../api/bodies';

export const DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
const DAY_MS = 86_400_000;

/** How far the clocks of a zone are ahead of UTC at an instant, ms. */
function aheadMs(at: number, zone: string): number {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(at);
  const of = (type: string) => Number(parts.find((part) => part.type === type)?.value);
  return (
    Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second')) -
    Math.floor(at / 1000) * 1000
  );
}

/** The instant at which the clocks of a zone show a time, given as if it were UTC. A time that is skipped comes after the gap. */
function instantOf(shown: number, zone: string): number {
  const [before, after] = [aheadMs(shown - DAY_MS, zone), aheadMs(shown + DAY_MS, zone)];
  const candidates = [shown - before, shown - after].filter(
    (at) => at + aheadMs(at, zone) === shown,
  );
  return candidates.length > 0 ? Math.min(...candidates) : shown - before;
}

export function knownZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}

export interface Opening {
  from: Date;
  until: Date;
}

/** The opening that holds now, or else the next one; nothing where the browser does not know the zone. */
export function opening(
  window: Pick<MaintenanceWindow, 'days' | 'start' | 'duration_minutes' | 'time_zone'>,
  now = Date.now(),
): Opening | undefined {
  const zone = window.time_zone || 'UTC';
  const [hour = Number.NaN, minute = 0] = window.start.split(':').map(Number);
  if (!knownZone(zone) || Number.isNaN(hour)) return undefined;
  const today = new Date(now + aheadMs(now, zone));
  // A window may have opened yesterday and be open still; the next one is at most a week away.
  for (let offset = -1; offset <= 8; offset += 1) {
    const shown = Date.UTC(
      today.getUTCFullYear(),
      today.getUTCMonth(),
      today.getUTCDate() + offset,
      hour,
      minute,
    );
    const weekday = DAYS[(new Date(shown).getUTCDay() + 6) % 7] ?? '';
    if (window.days?.length && !window.days.includes(weekday)) continue;
    const from = instantOf(shown, zone);
    const until = from + window.duration_minutes * 60_000;
    if (until > now) return { from: new Date(from), until: new Date(until) };
  }
  return undefined;
}

export type FreezeState = 'holds' | 'comes' | 'ended';

export function freezeState(
  { from, until }: Pick<Freeze, 'from' | 'until'>,
  now = Date.now(),
): FreezeState {
  if (now >= Date.parse(until)) return 'ended';
  return now >= Date.parse(from) ? 'holds' : 'comes';
}

/** `Every day`, `Mon to Fri`, `Sat, Sun`. */
export function daysInWords(days: string[] | undefined): string {
  const given = DAYS.filter((day) => days?.includes(day));
  if (given.length === 0 || given.length === 7) return 'Every day';
  const brief = given.map((day) => day.charAt(0).toUpperCase() + day.slice(1, 3));
  const [first = '', last = ''] = [given[0], given.at(-1)];
  const inARow = DAYS.indexOf(last) - DAYS.indexOf(first) === given.length - 1;
  return inARow && given.length > 2 ? `${brief[0]} to ${brief.at(-1)}` : brief.join(', ');
}

export function lengthInWords(minutes: number): string {
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  return (
    [hours > 0 && `${hours} h`, rest > 0 && `${rest} min`].filter(Boolean).join(' ') || '0 min'
  );
}

interface Scope {
  accounts?: string[];
  services?: string[];
}

/** `All accounts · ec2, rds`. */
export function scopeInWords({ accounts, services }: Scope): string {
  return `${accounts?.length ? accounts.join(', ') : 'All accounts'} · ${services?.length ? services.join(', ') : 'all services'}`;
}

function meets(a: string[] | undefined, b: string[] | undefined): boolean {
  return !a?.length || !b?.length || a.some((name) => b.includes(name));
}

/** Whether a window or freeze concerns anything in an agent's scope, as far as their names tell. */
export function concerns(rule: Scope, agent: Pick<Agent, 'scope'>): boolean {
  return meets(rule.accounts, agent.scope.accounts) && meets(rule.services, agent.scope.services);
}
