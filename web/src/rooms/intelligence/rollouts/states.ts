// States of rollouts and of their resources, in words and colours.

import type { components } from '../../../api/schema';

type Schemas = components['schemas'];

interface State {
  label: string;
  colour: string;
}

export const MEMBER_STATES: Record<Schemas['RolloutMemberState'], State> = {
  waiting: { label: 'Waiting', colour: 'gray' },
  simulating: { label: 'Simulating', colour: 'indigo' },
  simulated: { label: 'Simulated', colour: 'indigo' },
  awaiting_approval: { label: 'Waiting for approval', colour: 'yellow' },
  changing: { label: 'Changing', colour: 'blue' },
  watching: { label: 'Changed, under observation', colour: 'blue' },
  held: { label: 'Healthy', colour: 'green' },
  not_enough_data: { label: 'Not enough data', colour: 'orange' },
  failed: { label: 'Failed or rolled back', colour: 'red' },
  left_out: { label: 'Skipped', colour: 'gray' },
};

export const ROLLOUT_STATES: Record<Schemas['RolloutStatus'], State> = {
  running: { label: 'Running', colour: 'blue' },
  held: { label: 'On hold at a gate', colour: 'red' },
  stopped: { label: 'Stopped', colour: 'yellow' },
  completed: { label: 'Completed', colour: 'green' },
  aborted: { label: 'Aborted', colour: 'gray' },
};

export const VERDICTS: Record<Schemas['GateVerdict'], State> = {
  waiting: { label: 'Waiting', colour: 'blue' },
  opened: { label: 'Passed', colour: 'green' },
  held: { label: 'On hold', colour: 'red' },
  overridden: { label: 'Overridden', colour: 'orange' },
};
