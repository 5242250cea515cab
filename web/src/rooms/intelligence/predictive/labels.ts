// Predictive rules and what they decided, in words.
import type { Calendar, Finding, Occurrence, Prediction, Rule } from '../../../api/bodies';
import { measured, percent } from '../../../display/amounts';
import { secondsOf, spanInWords } from '../../../display/durations';
import { predictiveMetric, unitOf } from '../../../display/metric-names';
import { words } from '../../../display/wording';

/** Unit of a prediction's numbers: that of the samples where it is known, for clouds count the free bytes of a database, agents the used percent of a machine's disk. */
export function signalUnit({ metric, samples }: Pick<Prediction, 'metric' | 'samples'>): string {
  return samples ? unitOf(samples) : (predictiveMetric(metric)?.unit ?? 'count');
}

export const PREDICTIONS: Record<string, string> = {
  full: 'It is full',
  saturation: 'All of it is in use (saturation)',
  exhaustion: 'Its limit is used up (exhaustion)',
  above: 'It rises above a value',
  below: 'It falls below a value',
  spike: 'It peaks above the usual',
  event: 'An event of a calendar begins',
};

export const ACTIONS: Record<string, string> = {
  expand_storage: 'Expand the storage',
  create_read_replica: 'Add a read replica',
  request_limit_increase: 'Ask for a higher limit',
  scale_up: 'Take a larger size',
  pre_scale: 'Add capacity before the peak',
  warm_cache: 'Warm the caches',
  prepare_failover: 'Make the standby ready',
};

/** What Reeve carries out, and where; the others are advice for a person, with its numbers. */
const CARRIED_OUT: Record<string, string> = {
  expand_storage: 'on volumes and databases',
  create_read_replica: 'on databases',
  scale_up: 'on machines and databases',
  pre_scale: 'on scaling groups and machines',
  prepare_failover: 'on databases with a standby',
};

export function carriedOut({ action, agent_type }: Pick<Rule, 'action' | 'agent_type'>): string {
  const where = CARRIED_OUT[action.kind];
  if (!where) return 'A person: the recommendation is advice with its numbers';
  return `Reeve, ${where}, as the mode of a ${words(agent_type).toLowerCase()} agent, guardrails and approvals allow; without such an agent a person applies it`;
}

const now = (horizon: string) => secondsOf(horizon) === 0;

/** When it fires, as the middle of a sentence. */
export function whenInWords({ condition }: Pick<Rule, 'condition'>): string {
  const { metric, prediction, value, horizon } = condition;
  const signal = predictiveMetric(metric);
  // In the middle of a sentence; what is all capitals stays so.
  const name = (signal?.label ?? words(metric ?? '')).replace(/^[A-Z](?=[a-z])/, (first) =>
    first.toLowerCase(),
  );
  const shown = value == null ? '' : measured(value, signal?.unit ?? 'count');
  switch (prediction) {
    case 'event':
      return `an event begins within ${spanInWords(horizon)}`;
    case 'spike':
      return `${name} will peak ${value ?? 0} % above the usual within ${spanInWords(horizon)}`;
    case 'above':
      return now(horizon)
        ? `${name} is above ${shown}`
        : `${name} will rise above ${shown} within ${spanInWords(horizon)}`;
    case 'below':
      return now(horizon)
        ? `${name} is below ${shown}`
        : `${name} will fall below ${shown} within ${spanInWords(horizon)}`;
    case 'saturation':
      return `${name} will all be in use${shown && ` (${shown})`} within ${spanInWords(horizon)}`;
    case 'exhaustion':
      return `${name} will be used up${shown && ` (${shown})`} within ${spanInWords(horizon)}`;
    default:
      return `${name} will be full${shown && value ? ` (${shown} left)` : ''} within ${spanInWords(horizon)}`;
  }
}

export function actionInWords({ action }: Pick<Rule, 'action'>): string {
  const text = ACTIONS[action.kind] ?? words(action.kind);
  const grows = action.kind === 'expand_storage' || action.kind === 'request_limit_increase';
  return grows ? `${text}, by ${percent(action.step_percent)}` : text;
}

export function ruleInWords(rule: Pick<Rule, 'condition' | 'action'>): string {
  return `When ${whenInWords(rule)}: ${actionInWords(rule).replace(/^./, (first) => first.toLowerCase())}`;
}

/** A size of storage, which rules write as `500GB`. */
const sizeInWords = (size: string | null | undefined) =>
  (size ?? '0GB').replace(/^(\d+)([A-Z])/, '$1 $2');

export function approvalInWords({ approval }: Pick<Rule, 'approval'>): string {
  if (approval.kind === 'required') return 'Always requires approval';
  if (approval.kind === 'auto_below')
    return `Automatic below ${sizeInWords(approval.auto_below)} of storage after the change. Above that, requires approval`;
  return 'Automatic, unless the approval matrix requires approval for the cost';
}

export function approvalInShort({ approval }: Pick<Rule, 'approval'>): string {
  if (approval.kind === 'required') return 'Required';
  return approval.kind === 'auto_below'
    ? `Automatic below ${sizeInWords(approval.auto_below)}`
    : 'Automatic';
}

export const OUTCOMES: Record<string, { label: string; colour: string }> = {
  foreseen: { label: 'Expected', colour: 'orange' },
  not_foreseen: { label: 'Not expected', colour: 'green' },
  abstained: { label: 'Not enough data', colour: 'gray' },
};

/** A finding with its numbers in the unit of the metric. Free storage shrinks where its forecast says that it grows. */
export function findingInWords(
  finding: Finding,
  { metric, samples }: Pick<Prediction, 'metric' | 'samples'>,
): string {
  const { kind, value, limit, times, words: text } = finding;
  const show = (number: number) => measured(number, signalUnit({ metric, samples }));
  const grow = metric === 'disk_space' ? 'fill' : 'grow';
  switch (kind) {
    case 'now':
      return `it is ${show(value ?? 0)} now`;
    case 'grows':
      return isNothing(show(value ?? 0))
        ? `it hardly ${grow}s`
        : `it ${grow}s by ${show(value ?? 0)} a day`;
    case 'still':
      return `it does not ${grow}`;
    case 'stays_below':
      return `it grows, but stays ${(value ?? 0) < (limit ?? 0) / 2 ? 'far ' : ''}below ${show(limit ?? 0)}: at most ${show(value ?? 0)} is forecast`;
    case 'released':
      return `released ${times === 1 ? 'once' : `${times ?? 0} times`} before; ${times === 1 ? 'that' : 'one'} may come first again`;
    case 'risen_already':
      return `it has risen already, to ${show(value ?? 0)}`;
    default:
      return text;
  }
}

/** An amount that is shown as nothing, such as `0` or `-0 B`. */
const isNothing = (shown: string) => Number.parseFloat(shown) === 0;

/** `true` if the expected event is already reached. */
export const isSo = ({ at, expected_at }: Pick<Prediction, 'at' | 'expected_at'>) =>
  expected_at != null && expected_at <= at;

/** The decisions of the newest evaluation: those of one moment; the likeliest first. */
export function newest(predictions: Prediction[]): Prediction[] {
  const at = predictions[0]?.at;
  const order = ['foreseen', 'not_foreseen', 'abstained'];
  return predictions
    .filter((one) => one.at === at)
    .sort(
      (a, b) =>
        order.indexOf(a.outcome) - order.indexOf(b.outcome) ||
        (b.probability ?? 0) - (a.probability ?? 0) ||
        a.resource_name.localeCompare(b.resource_name),
    );
}

/** The newest time a rule foresaw something, by rule; `predictions` are the newest first. */
export function lastFired(predictions: Prediction[]): Map<string, Prediction> {
  const found = new Map<string, Prediction>();
  for (const one of predictions) if (!found.has(one.rule_id)) found.set(one.rule_id, one);
  return found;
}

/** The rules that know a calendar: those that name it, and those that name none and ask for its kind. */
export function rulesOf(calendar: Pick<Calendar, 'id' | 'kind'>, rules: Rule[]): Rule[] {
  return rules.filter(({ condition, action }) => {
    if (condition.prediction !== 'event' && condition.prediction !== 'spike') return false;
    if (condition.calendars.length > 0) return condition.calendars.includes(calendar.id);
    return calendar.kind === (action.kind === 'prepare_failover' ? 'maintenance' : 'traffic');
  });
}

export interface Effect {
  rule: Rule;
  at: string;
  words: string;
}

const BEFORE: Record<string, string> = {
  pre_scale: 'more capacity',
  warm_cache: 'caches warmed',
  prepare_failover: 'standby made ready',
};

/** What comes before an event, the earliest first; of rules about peaks only where a peak is forecast. */
export function effectsOf({ start }: Pick<Occurrence, 'start'>, rules: Rule[]): Effect[] {
  return rules
    .filter(({ enabled }) => enabled)
    .map((rule) => ({
      rule,
      at: new Date(
        new Date(start).getTime() - (secondsOf(rule.condition.horizon) ?? 0) * 1000,
      ).toISOString(),
      words:
        BEFORE[rule.action.kind] ?? (ACTIONS[rule.action.kind] ?? rule.action.kind).toLowerCase(),
    }))
    .sort((a, b) => a.at.localeCompare(b.at));
}

/** The date of a whole day, in the zone in which it is one. */
export function wholeDay(at: string, zone: string | null | undefined): string {
  const form = { weekday: 'short', month: 'short', day: 'numeric', year: 'numeric' } as const;
  try {
    return new Intl.DateTimeFormat(undefined, { ...form, timeZone: zone ?? 'UTC' }).format(
      new Date(at),
    );
  } catch {
    return new Intl.DateTimeFormat(undefined, form).format(new Date(at));
  }
}

/** A time as the clocks of a zone show it; nothing where the zone is unknown here or shows the same as the reader's. */
export function wallTime(
  at: string,
  zone: string | null | undefined,
  reader = Intl.DateTimeFormat().resolvedOptions().timeZone,
): string | undefined {
  if (!zone) return undefined;
  const shown = (timeZone: string) =>
    new Intl.DateTimeFormat(undefined, {
      timeZone,
      weekday: 'short',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    }).format(new Date(at));
  try {
    const there = shown(zone);
    return there === shown(reader) ? undefined : there;
  } catch {
    return undefined;
  }
}
