// How far a rollout is: its stages, its waves and how the resources in them stand.
import type { Gate, Rollout, RolloutMember } from '../../../api/bodies';
import { plural } from '../../../display/amounts';

export const STAGES = ['simulation', 'canary', 'validation', 'gradual', 'full'] as const;
export type Stage = (typeof STAGES)[number];

/** `done`, `overridden` (by a person), `now`, `held`, `stopped`, `aborted`, `ahead`, or `passed` for want of resources. */
export type Standing =
  'done' | 'overridden' | 'now' | 'held' | 'stopped' | 'aborted' | 'ahead' | 'passed';

export interface Step {
  stage: Stage;
  standing: Standing;
  /** What was shown, or what will be done. */
  words: string;
  /** Share of what its gate asks for, 0 to 1; only of the stage it stands in. */
  share?: number;
}

const ENDED = ['completed', 'aborted'];

export const hasEnded = ({ status }: Pick<Rollout, 'status'>) => ENDED.includes(status);

/** The wave of the full stage: what is left after all shares. */
const lastWave = ({ settings }: Rollout) => (settings.shares?.length ?? 0) + 1;

/** The resources that a stage reaches by itself. */
function reachedBy(stage: Stage, rollout: Rollout): RolloutMember[] {
  const last = lastWave(rollout);
  const members = rollout.members.filter(({ state }) => state !== 'left_out');
  if (stage === 'simulation') return members;
  if (stage === 'gradual') return members.filter(({ wave }) => wave > 0 && wave < last);
  if (stage === 'full') return members.filter(({ wave }) => wave >= last);
  return members.filter(({ wave }) => wave === 0);
}

export function gateOf(stage: string, { gates }: Pick<Rollout, 'gates'>): Gate | undefined {
  return gates.findLast((gate) => gate.stage === stage);
}

function standing(stage: Stage, rollout: Rollout): Standing {
  const [at, current] = [STAGES.indexOf(stage), STAGES.indexOf(rollout.stage as Stage)];
  const none = (stage === 'gradual' || stage === 'full') && reachedBy(stage, rollout).length === 0;
  if (none && (at < current || rollout.status === 'completed')) return 'passed';
  const passed = rollout.gates.some((gate) => gate.stage === stage && gate.verdict === 'overridden')
    ? 'overridden'
    : 'done';
  if (at < current || rollout.status === 'completed') return passed;
  if (at > current) return 'ahead';
  return rollout.status === 'running' ? 'now' : (rollout.status as Standing);
}

/** Checks in fewer words, for where there is little room. */
const SHORT: Record<string, string> = {
  'plans that went through on a simulated twin': 'plans went through',
};

/** What the gate of the stage counts towards, or what the stage is going to do. */
function inWords(stage: Stage, how: Standing, rollout: Rollout): string {
  const gate = gateOf(stage, rollout);
  if (how === 'passed') return 'No resource is left for it';
  if (how === 'ahead' || !gate) return comes(stage, rollout);
  const counted = gate.checks.filter(({ relation }) => relation === 'at_least');
  const open = counted.find(({ holds }) => !holds) ?? counted[0];
  return open
    ? `${number(open.found)} of ${number(open.needed)} ${SHORT[open.check] ?? open.check}`
    : gate.explanation;
}

function comes(stage: Stage, rollout: Rollout): string {
  const reached = reachedBy(stage, rollout).length;
  const { canary, validation_s, shares } = rollout.settings;
  switch (stage) {
    case 'simulation':
      return `${plural(reached, 'plan')} on simulated twins`;
    case 'canary':
      return `${plural(reached || (canary ?? 1), 'resource')}, least critical first`;
    case 'validation':
      return `Watched for ${hours(validation_s ?? 0)}`;
    case 'gradual':
      return reached
        ? `${plural(reached, 'resource')}, up to ${number(shares?.at(-1) ?? 0)} %`
        : 'Too few resources for it';
    case 'full':
      return reached ? `${plural(reached, 'resource')}, the rest` : 'Nothing is left for it';
  }
}

/** The five stages in order. */
export function stepsOf(rollout: Rollout): Step[] {
  return STAGES.map((stage) => {
    const how = standing(stage, rollout);
    const step: Step = { stage, standing: how, words: inWords(stage, how, rollout) };
    if (stage !== rollout.stage || rollout.status === 'completed') return step;
    return { ...step, share: shareOf(gateOf(stage, rollout)) };
  });
}

/** How much of what a gate asks for was found: the check that is furthest behind. */
export function shareOf(gate: Gate | undefined): number {
  const asked =
    gate?.checks.filter(({ relation, needed }) => relation === 'at_least' && needed > 0) ?? [];
  return asked.length
    ? Math.min(1, ...asked.map(({ found, needed }) => Math.max(0, found / needed)))
    : 0;
}

export interface Wave {
  wave: number;
  name: string;
  members: RolloutMember[];
}

/** Canary, shares, rest: those that have resources, in the order in which they go out. */
export function wavesOf(rollout: Rollout): Wave[] {
  const numbers = [...new Set(rollout.members.map(({ wave }) => wave))].sort((a, b) => a - b);
  return numbers.map((wave) => ({
    wave,
    name: waveName(wave, rollout),
    members: rollout.members.filter((member) => member.wave === wave),
  }));
}

export function waveName(wave: number, rollout: Rollout): string {
  if (wave === 0) return 'Canary';
  const share = rollout.settings.shares?.[wave - 1];
  return share === undefined ? 'The rest' : `Up to ${number(share)} %`;
}

/** Changed, and not undone. */
const CHANGED = ['watching', 'held', 'not_enough_data'];

export function reached({ members }: Pick<Rollout, 'members'>): {
  changed: number;
  failed: number;
  of: number;
} {
  const count = (states: string[]) => members.filter(({ state }) => states.includes(state)).length;
  return {
    changed: count(CHANGED),
    failed: count(['failed']),
    of: members.length - count(['left_out']),
  };
}

/** How many resources each wave reaches, by the service's own arithmetic: the canary, the shares, the rest. */
export function splitOf(total: number, canary: number, shares: number[]): number[] {
  if (total === 0) return [];
  const first = Math.min(Math.max(1, canary), total);
  const ends = [
    first,
    ...shares.map((share) => Math.min(total, Math.max(first, Math.ceil((share / 100) * total)))),
    total,
  ];
  return ends.map((end, at) => end - (ends[at - 1] ?? 0)).filter((size) => size > 0);
}

/** `10, 25, 50` as percentages; undefined when it is none. */
export function sharesOf(text: string): number[] | undefined {
  const parts = text
    .split(/[\s,;%]+/)
    .filter(Boolean)
    .map(Number);
  return parts.every(Number.isFinite) ? parts : undefined;
}

export function hours(seconds: number): string {
  if (seconds < 5400) return plural(Math.round(seconds / 60), 'minute');
  return plural(Math.round(seconds / 360) / 10, 'hour');
}

function number(value: number): string {
  return String(Math.round(value * 10) / 10);
}
