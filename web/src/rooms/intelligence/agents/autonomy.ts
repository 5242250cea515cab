// What an agent may do automatically, in sentences that follow from its settings and the guardrails.
import type { Agent, Guardrails } from '../../../api/bodies';
import { percentOf } from '../../../api/quantities';
import { count, percent, plural } from '../../../display/amounts';
import { words } from '../../../display/wording';
import { flat } from '../agent-fields';

export interface Autonomy {
  /** The answer in one sentence. */
  summary: string;
  /** Limits that apply to every change, the agent's own first. */
  limits: string[];
  acts: boolean;
}

const LEVELS = ['low', 'medium', 'high'];
/** The next larger size of the cheapest families costs this much more, percent. */
const LEAST_INCREASE = 20;

type Settings = Record<string, string>;

const days = (value: string | undefined) => plural(Number.parseInt(value ?? '', 10) || 0, 'day');
const unless = (off: boolean, ...texts: string[]) => (off ? [] : texts);

/** Changes that an agent of a type makes, as its settings have them. */
const CHANGES: Record<string, (settings: Settings, guardrails: Guardrails) => string[]> = {
  cost_optimizer: (set, { cost_impact: cost }) => [
    ...unless(
      set.recommend_rightsizing === 'false',
      `make machines smaller whose CPU stays below ${set['downsize_underutilized.cpu_below']} for ${days(set['downsize_underutilized.window'])}`,
    ),
    // The guardrail refuses nearly every larger size as long as it allows less than this.
    ...unless(
      set.recommend_rightsizing === 'false' || percentOf(cost.max_increase) < LEAST_INCREASE,
      `make machines larger whose CPU stays above ${set['upgrade_throttled.cpu_above']} for ${days(set['upgrade_throttled.window'])}`,
    ),
    'stop resources that were never used in the measured history',
    ...unless(!set.required_tags, 'add required tags'),
  ],
  storage_optimizer: (set) => [
    ...unless(set['convert_gp2.enabled'] === 'false', 'convert gp2 volumes to gp3'),
    ...unless(set['convert_provisioned.enabled'] === 'false', 'convert io1 and io2 volumes to gp3'),
    ...unless(
      set['reduce_provisioned.enabled'] === 'false',
      'reduce provisioned performance that is not used',
    ),
    'delete snapshots that are no longer needed',
    'add lifecycle rules to buckets',
  ],
  performance_optimizer: (set) => [
    'scale groups before traffic that predictive rules expect',
    ...unless(
      set['scale_before_traffic_spike.forecast_only'] !== 'false',
      'scale groups before load that returns',
    ),
    'end members of groups that neither load nor forecast needs',
  ],
  db_optimizer: () => [
    'create missing indexes',
    'drop indexes that nothing uses',
    'change parameters of database servers',
    'add read replicas that predictive rules or anomalies ask for',
  ],
  security_intelligence: () => [
    'close settings that let outsiders in',
    'isolate machines under a critical threat',
  ],
  ops_intelligence: () => [
    'grow disks before they are full',
    'move maintenance windows to quiet times',
    'request higher quotas',
    'make the changes of runbooks',
  ],
};

/** Signatures that a change of an impact needs: the matrix's, and a manager's where the agent asks for one. */
function signatures(agent: Agent, guardrails: Guardrails, level: string): string[] {
  const row = guardrails.approval_matrix[`${level}_impact` as 'low_impact'];
  if (row.signatures.length > 0) return row.signatures;
  const from = (agent.auto_apply.approval_required ?? 'high').replace('_impact', '');
  return LEVELS.indexOf(level) >= LEVELS.indexOf(from) ? ['manager'] : [];
}

const listed = (texts: string[], last = 'and') =>
  texts.length < 2 ? texts.join('') : `${texts.slice(0, -1).join(', ')} ${last} ${texts.at(-1)}`;

function places({ scope }: Agent): string {
  const [accounts, services] = [scope.accounts ?? [], scope.services ?? []];
  return `${accounts.length ? `in ${listed(accounts)}` : 'in all accounts'}${services.length ? `, only ${listed(services)}` : ''}`;
}

/** Derives the sentences. */
export function autonomyOf(agent: Agent, guardrails: Guardrails): Autonomy {
  const none = (summary: string): Autonomy => ({ summary, limits: [], acts: false });
  if (guardrails.kill_switch) return none('Changes nothing now: the kill switch is on.');
  if (agent.mode === 'learning')
    return none('Only recommends. It changes nothing while its mode is Learning.');
  if (!agent.auto_apply.enabled)
    return none('Changes nothing automatically. People apply its recommendations.');
  const changes = CHANGES[agent.agent_type]?.(flat(agent.settings), guardrails) ?? [];
  const covered = LEVELS.slice(0, LEVELS.indexOf(agent.auto_apply.max_impact ?? 'low') + 1);
  const alone = covered.filter((level) => signatures(agent, guardrails, level).length === 0);
  const signed = covered.filter((level) => !alone.includes(level));
  const asks = agent.mode === 'active' ? signed : [];
  const what = changes.length ? listed(changes) : 'apply its recommendations';
  const limits = [
    asks.length > 0 &&
      `Requests approval for ${listed(asks.map((level) => `${level} impact (${listed(signatures(agent, guardrails, level).map((name) => words(name).toLowerCase()))})`))}.`,
    `Leaves to people: ${listed([...LEVELS.filter((level) => !alone.includes(level) && !asks.includes(level)).map((level) => `${level} impact`), `anything below ${percent(percentOf(agent.confidence_threshold))} confidence`])}.`,
    ...guardrailLimits(guardrails),
  ].filter((text) => text !== false);
  const waits = agent.learning_waived ? false : agent.status.learning_percent < 100;
  if (alone.length === 0)
    return {
      summary: asks.length
        ? `Changes nothing without approval. May request approval to ${what}, ${places(agent)}.`
        : 'Changes nothing automatically: the approval matrix requires a signature for every impact that it may apply.',
      limits,
      acts: asks.length > 0,
    };
  return {
    summary: `${waits ? 'Once its learning period has ended, it may' : 'May'} automatically ${what}, ${places(agent)}, if the impact is ${listed(alone, 'or')}.`,
    limits,
    acts: true,
  };
}

function guardrailLimits({
  blast_radius: radius,
  cost_impact: cost,
  change_control: control,
}: Guardrails): string[] {
  const names = (list: { name: string }[]) => listed(list.map(({ name }) => `“${name}”`));
  return [
    `Changes at most ${plural(radius.max_actions_per_run, 'resource')} in a run and ${count(radius.max_actions_per_day)} in a day.`,
    `Never raises the cost of a resource by more than ${cost.max_increase} or, by a smaller size, lowers it by more than ${cost.max_decrease} in one change.`,
    ...unless(
      control.direction === 'both',
      control.direction === 'up_only'
        ? 'Never makes anything smaller or stops it.'
        : 'Never makes anything larger.',
    ),
    ...unless(
      control.maintenance_windows.length === 0,
      `Restarts resources only in the maintenance ${control.maintenance_windows.length === 1 ? 'window' : 'windows'} ${names(control.maintenance_windows)}.`,
    ),
    ...unless(control.freezes.length === 0, `Changes nothing during ${names(control.freezes)}.`),
    'Never changes resources managed by infrastructure as code.',
  ];
}
