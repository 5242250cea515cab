// The agent form's values, and how they go over the wire.
import type { components } from '../../api/schema';
import type { Agent } from '../../api/bodies';
import { asPercent, percentOf } from '../../api/quantities';

export interface AgentFields {
  name: string;
  agent_type: string;
  mode: components['schemas']['AgentMode'];
  reason: string;
  scope: { accounts: string[]; services: string[] };
  schedule: string;
  schedule_time_zone: string;
  learning_period: number | string;
  confidence_threshold: number | string;
  auto_apply: {
    enabled: boolean;
    max_impact: components['schemas']['ImpactLevel'];
    approval_required: string;
  };
  notifications: Record<
    'recommendations' | 'actions_taken' | 'anomalies',
    components['schemas']['NotificationTiming']
  >;
}

/** Settings of an agent by path: `{"a": {"b": "20%"}}` is `{"a.b": "20%"}`. */
export function flat(nested: unknown, prefix = ''): Record<string, string> {
  if (typeof nested !== 'object' || nested === null) return {};
  return Object.fromEntries(
    Object.entries(nested).flatMap(([name, value]: [string, unknown]) => {
      const path = `${prefix}${name}`;
      return typeof value === 'object' && value !== null
        ? Object.entries(flat(value, `${path}.`))
        : [[path, String(value)]];
    }),
  );
}

/** The changed settings as the service takes them; an empty one goes back to its default, and one of another agent type is left out. */
export function settingsGiven(
  values: Record<string, string>,
  before: Record<string, string>,
  known: string[],
): Record<string, string | null> {
  const changed = Object.entries(values).filter(
    ([path, value]) => known.includes(path) && value !== before[path],
  );
  return Object.fromEntries(
    changed.map(([path, value]) => [path, value.trim() === '' ? null : value.trim()]),
  );
}

export function initial(agent: Agent | undefined): AgentFields {
  return {
    name: agent?.name ?? '',
    agent_type: agent?.agent_type ?? 'cost_optimizer',
    mode: agent?.mode ?? 'learning',
    reason: '',
    scope: { accounts: agent?.scope.accounts ?? [], services: agent?.scope.services ?? [] },
    schedule: agent?.schedule ?? '',
    schedule_time_zone: agent?.schedule_time_zone ?? 'UTC',
    learning_period: agent ? Number.parseInt(agent.learning_period, 10) : 14,
    confidence_threshold: agent ? percentOf(agent.confidence_threshold) : 85,
    auto_apply: {
      enabled: agent?.auto_apply.enabled ?? false,
      max_impact: agent?.auto_apply.max_impact ?? 'low',
      approval_required: level(agent?.auto_apply.approval_required),
    },
    notifications: {
      recommendations: agent?.notifications.recommendations ?? 'daily_digest',
      actions_taken: agent?.notifications.actions_taken ?? 'immediate',
      anomalies: agent?.notifications.anomalies ?? 'immediate',
    },
  };
}

/** `high` and `high_impact` mean the same. */
function level(name: string | null | undefined): string {
  if (!name) return 'high_impact';
  return name.endsWith('_impact') ? name : `${name}_impact`;
}

export function given(fields: AgentFields) {
  return {
    name: fields.name.trim(),
    mode: fields.mode,
    scope: fields.scope,
    schedule: fields.schedule.trim(),
    schedule_time_zone: fields.schedule_time_zone.trim() || undefined,
    learning_period: `${fields.learning_period}d`,
    confidence_threshold: asPercent(fields.confidence_threshold),
    auto_apply: fields.auto_apply,
    notifications: fields.notifications,
    reason: fields.reason.trim() || undefined,
  };
}
