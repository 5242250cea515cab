import { Text } from '@mantine/core';
import {
  IconArrowForwardUp,
  IconCheck,
  IconFeather,
  IconFlask,
  IconEyeCheck,
  IconHandStop,
  IconPlayerPause,
  IconRocket,
  IconStairsUp,
  IconX,
} from '@tabler/icons-react';
import type { CSSProperties } from 'react';
import type { Rollout } from '../../../api/bodies';
import { plural } from '../../../display/amounts';
import { Panel } from '../../../display/Panel';
import { words } from '../../../display/wording';
import { reached, stepsOf, wavesOf, type Stage, type Standing, type Step } from './course';
import { MEMBER_STATES } from './states';
import classes from './Stages.module.css';

const ICONS: Record<Stage, typeof IconFlask> = {
  simulation: IconFlask,
  canary: IconFeather,
  validation: IconEyeCheck,
  gradual: IconStairsUp,
  full: IconRocket,
};
const SIGNS: Partial<Record<Standing, typeof IconFlask>> = {
  done: IconCheck,
  overridden: IconArrowForwardUp,
  held: IconHandStop,
  stopped: IconPlayerPause,
  aborted: IconX,
};
const STANDINGS: Record<Standing, string> = {
  done: 'Done',
  overridden: 'Overridden',
  now: 'Now',
  held: 'Held here',
  stopped: 'Stopped here',
  aborted: 'Aborted here',
  ahead: 'Pending',
  passed: 'Skipped',
};

/** Simulation, canary, validation, gradual, full: where it stands, and how every resource does. */
export function Stages({ of: rollout }: { of: Rollout }) {
  const { changed, failed, of: all } = reached(rollout);
  const note = `${changed} of ${plural(all, 'resource')} changed${failed ? `, ${failed} failed or undone` : ''}`;
  return (
    <Panel title="Progress" note={note}>
      <ol className={classes.stages} aria-label="Stages">
        {stepsOf(rollout).map((step) => (
          <StageMark key={step.stage} of={step} />
        ))}
      </ol>
      <Resources of={rollout} />
    </Panel>
  );
}

function StageMark({ of: { stage, standing, words: text, share } }: { of: Step }) {
  const Icon = SIGNS[standing] ?? ICONS[stage];
  const coloured =
    share ?? (standing === 'done' || standing === 'overridden' || standing === 'passed' ? 1 : 0);
  const current = !['done', 'overridden', 'ahead', 'passed'].includes(standing);
  return (
    <li
      className={classes.stage}
      data-standing={standing}
      style={{ '--share': coloured } as CSSProperties}
      aria-current={current ? 'step' : undefined}
    >
      <span className={classes.mark}>
        <Icon size={17} aria-hidden />
      </span>
      <div>
        <Text size="sm" fw={600} mt={{ base: 4, sm: 8 }}>
          {words(stage)}{' '}
          <Text span size="xs" fw={450} className="muted">
            {STANDINGS[standing]}
          </Text>
        </Text>
        <Text size="xs" className="muted">
          {text}
        </Text>
      </div>
    </li>
  );
}

const OPEN = ['waiting', 'simulated', 'simulating', 'awaiting_approval', 'left_out'];

/** Each resource as a small square, by wave; what is not changed yet is only outlined. */
function Resources({ of: rollout }: { of: Rollout }) {
  const waves = wavesOf(rollout);
  const present = Object.keys(MEMBER_STATES).filter((state) =>
    rollout.members.some((member) => member.state === state),
  );
  const colour = (state: string) =>
    ({
      '--cell': `var(--mantine-color-${MEMBER_STATES[state as keyof typeof MEMBER_STATES].colour}-6)`,
    }) as CSSProperties;
  const open = (state: string) => OPEN.includes(state) || undefined;
  return (
    <div style={{ marginTop: 20, paddingTop: 16, borderTop: '1px solid var(--line)' }}>
      <div className={classes.waves}>
        {waves.map(({ wave, name, members }) => (
          <div key={wave} className={classes.wave}>
            <Text size="xs" fw={550} mb={6}>
              {name}{' '}
              <Text span inherit fw={400} className="muted">
                {plural(members.length, 'resource')}
              </Text>
            </Text>
            <div className={classes.cells} aria-hidden>
              {members.map(({ recommendation_id, name: resource, state }) => (
                <span
                  key={recommendation_id}
                  className={classes.cell}
                  data-open={open(state)}
                  style={colour(state)}
                  title={`${resource}: ${MEMBER_STATES[state]?.label ?? state}`}
                />
              ))}
            </div>
          </div>
        ))}
      </div>
      <Text
        size="xs"
        className="muted"
        component="div"
        mt="md"
        style={{ display: 'flex', flexWrap: 'wrap', gap: '6px 16px' }}
      >
        {present.map((state) => (
          <span key={state} className={classes.key}>
            <span
              className={classes.cell}
              data-open={open(state)}
              style={{ ...colour(state), width: 11, height: 11 }}
              aria-hidden
            />
            {MEMBER_STATES[state as keyof typeof MEMBER_STATES].label}{' '}
            {rollout.members.filter((member) => member.state === state).length}
          </span>
        ))}
      </Text>
    </div>
  );
}
