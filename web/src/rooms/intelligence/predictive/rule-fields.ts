// The rule form's values, and how they go over the wire.
import type { Rule } from '../../../api/bodies';
import { asGigabytes } from '../../../api/quantities';
import type { components } from '../../../api/schema';

export interface RuleFields {
  name: string;
  enabled: boolean;
  agent_type: string;
  condition: {
    metric: string;
    prediction: string;
    value: number | '';
    calendars: string[];
    horizon: string;
    probability: number | '';
  };
  action: { kind: string; step_percent: number | ''; target: string };
  approval: { kind: string; auto_below: number | '' };
  scope: { accounts: string[]; services: string[] };
  resources: string[];
  every: string;
}

/** Every field that the form marks itself. */
export const FIELDS = [
  'name',
  'agent_type',
  'condition.metric',
  'condition.prediction',
  'condition.value',
  'condition.calendars',
  'condition.horizon',
  'condition.probability',
  'action.kind',
  'action.step_percent',
  'action.target',
  'approval.kind',
  'approval.auto_below',
  'scope.accounts',
  'scope.services',
  'resources',
  'every',
];

/** The condition that fits a metric: a threshold that is crossed on the side on which the metric becomes a problem. */
export function fittingPrediction(prediction: string, worse: string | undefined): string {
  if (prediction === 'above' && worse === 'falling') return 'below';
  if (prediction === 'below' && worse === 'rising') return 'above';
  return prediction;
}

export function initial(rule: Rule | undefined): RuleFields {
  return {
    name: rule?.name ?? '',
    enabled: rule?.enabled ?? true,
    agent_type: rule?.agent_type ?? 'performance_optimizer',
    condition: {
      metric: rule ? (rule.condition.metric ?? '') : 'cpu_utilization',
      prediction: rule?.condition.prediction ?? 'above',
      value: rule ? (rule.condition.value ?? '') : 80,
      calendars: rule?.condition.calendars ?? [],
      horizon: rule?.condition.horizon ?? '2h',
      probability: rule?.condition.probability ?? 50,
    },
    action: {
      kind: rule?.action.kind ?? 'scale_up',
      step_percent: rule?.action.step_percent ?? 25,
      target: rule?.action.target ?? '',
    },
    approval: {
      kind: rule?.approval.kind ?? 'required',
      auto_below: rule?.approval.below_gb ?? 500,
    },
    scope: { accounts: rule?.scope.accounts ?? [], services: rule?.scope.services ?? [] },
    resources: rule?.resources ?? [],
    every: rule?.every ?? '1h',
  };
}

/** Whether the prediction compares with something that the rule itself gives. */
export const needsValue = (prediction: string) => ['above', 'below', 'spike'].includes(prediction);
export const knowsEvents = (prediction: string) => prediction === 'event' || prediction === 'spike';
export const grows = (action: string) =>
  action === 'expand_storage' || action === 'request_limit_increase';

/** The call at AWS that an action can make: label, example and description of its field. */
export const CALLS: Record<string, { label: string; placeholder: string; description: string }> = {
  request_limit_increase: {
    label: 'Quota',
    placeholder: 'ec2/L-1216C47A',
    description: 'Service code and quota code of AWS Service Quotas. Empty: advice only',
  },
  warm_cache: {
    label: 'Document',
    placeholder: 'reeve-warm-cache',
    description:
      'Document of AWS Systems Manager that fills the cache; its name begins with reeve-. Empty: advice only',
  },
};

const given = (value: number | '') => (value === '' ? undefined : value);

/** The whole rule, without what its kind of prediction, action or approval does not have. */
export function wire({
  name,
  condition,
  action,
  approval,
  ...rest
}: RuleFields): components['schemas']['RulePut'] {
  const event = condition.prediction === 'event';
  return {
    ...rest,
    name: name.trim(),
    condition: {
      metric: event ? undefined : condition.metric || undefined,
      prediction: condition.prediction,
      value: event || condition.value === '' ? null : condition.value,
      calendars: knowsEvents(condition.prediction) ? condition.calendars : [],
      horizon: condition.horizon.trim(),
      probability: given(condition.probability),
    },
    action: {
      kind: action.kind,
      step_percent: grows(action.kind) ? given(action.step_percent) : undefined,
      target: action.kind in CALLS ? action.target.trim() || null : null,
    },
    approval: {
      kind: approval.kind,
      auto_below:
        approval.kind === 'auto_below' && approval.auto_below !== ''
          ? asGigabytes(approval.auto_below)
          : undefined,
    },
    every: rest.every.trim(),
  };
}
