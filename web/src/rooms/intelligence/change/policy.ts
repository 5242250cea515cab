// Change control stands in the guardrails and is written whole: how one part of it is changed.
import type { Guardrails } from '../../../api/bodies';
import type { components } from '../../../api/schema';

export type Policy = Guardrails['change_control'];

export function policyOf(guardrails: Guardrails): Policy {
  return guardrails.change_control;
}

/** What is sent to replace a part of the policy; the other guardrails stay. */
export function withPolicy(
  guardrails: Guardrails,
  change: Partial<Policy>,
): components['schemas']['GuardrailsPut'] {
  return { version: guardrails.version, change_control: { ...policyOf(guardrails), ...change } };
}

/** A list with one entry replaced, or added where `at` is its end. */
export function placed<One>(list: One[], at: number, one: One): One[] {
  return at >= list.length ? [...list, one] : list.map((old, index) => (index === at ? one : old));
}

/** Messages about one entry of a list, by the entry's own fields: `freezes[2].until` becomes `until`. */
export function ofEntry(
  messages: Record<string, string>,
  list: 'maintenance_windows' | 'freezes',
  at: number,
): Record<string, string> {
  const prefix = `change_control.${list}[${at}].`;
  return Object.fromEntries(
    Object.entries(messages)
      .filter(([field]) => field.startsWith(prefix))
      .map(([field, message]) => [field.slice(prefix.length), message]),
  );
}

const NAMES: Record<string, string> = {
  'cost_impact.max_increase': 'Highest cost increase',
  'cost_impact.max_decrease': 'Highest cost decrease',
  'performance_impact.max_degradation': 'Highest degradation',
  'availability.min_uptime': 'Lowest uptime',
  'blast_radius.max_actions_per_run': 'Changes in one run',
  'blast_radius.max_actions_per_day': 'Changes in a day',
  'blast_radius.max_share_per_day': 'Share in a day',
  cool_down: 'Cool-down',
  circuit_breaker: 'Circuit breaker',
  kill_switch: 'Kill switch',
  change_freeze: 'Change freeze',
  maintenance_window: 'Maintenance window',
  direction: 'Direction of capacity',
  infrastructure_as_code: 'Infrastructure as code',
  scope: 'Scope of the agent',
  exclusion: 'Exclusion',
  agent_mode: 'Agent only recommends',
  agent: 'Agent',
  connection: 'Connection',
  resource: 'Resource',
  action: 'Another action',
};
const POLICY = ['change_freeze', 'maintenance_window', 'direction', 'infrastructure_as_code'];

/** A guardrail as its page calls it, and that page. */
export function guardrailPlace(guardrail: string): {
  name: string;
  to: '/intelligence/guardrails' | '/intelligence/change-control';
} {
  return {
    name: NAMES[guardrail] ?? guardrail,
    to: POLICY.includes(guardrail) ? '/intelligence/change-control' : '/intelligence/guardrails',
  };
}

/** A block as the service words it, `cost_impact.max_decrease: cost would fall …`, with the guardrail as its page calls it. */
export function blockInWords(block: string): string {
  const [, guardrail = '', reason] = /^([a-z_.]+): (.*)$/s.exec(block) ?? [];
  return reason ? `${guardrailPlace(guardrail).name}: ${reason}` : block;
}

/** Resources that are left alone now, and changes under way; aborted ones and what was only simulated changed nothing. */
export function used(
  actions: {
    status: string;
    purpose: string;
    started_at: string;
    finished_at?: string | null;
    resource_id: string;
  }[],
  cool_down_s: number,
  now = Date.now(),
) {
  const counted = actions.filter(
    ({ status, purpose }) => status !== 'aborted' && purpose !== 'simulate',
  );
  const cooling = new Set(
    counted
      .filter((one) => now - Date.parse(one.finished_at ?? one.started_at) < cool_down_s * 1000)
      .map(({ resource_id }) => resource_id),
  );
  return {
    cooling: cooling.size,
    running: counted.filter(({ status }) => status === 'running' || status === 'rolling_back')
      .length,
  };
}
