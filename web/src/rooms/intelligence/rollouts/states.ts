// States of rollouts and of their resources, in words and colours.

interface State {
  label: string;
  colour: string;
}

export const MEMBER_STATES: Record<string, State> = {
  waiting: { label: 'Waiting', colour: 'gray' },
  simulating: { label: 'Being simulated', colour: 'indigo' },
  simulated: { label: 'Simulated', colour: 'indigo' },
  awaiting_approval: { label: 'Waits for approval', colour: 'yellow' },
  changing: { label: 'Changing', colour: 'blue' },
  watching: { label: 'Changed, watched', colour: 'blue' },
  held: { label: 'No worse', colour: 'green' },
  not_enough_data: { label: 'Not enough data', colour: 'orange' },
  failed: { label: 'Failed or undone', colour: 'red' },
  left_out: { label: 'Left out', colour: 'gray' },
};

export const ROLLOUT_STATES: Record<string, State> = {
  running: { label: 'Running', colour: 'blue' },
  held: { label: 'Held by its gate', colour: 'red' },
  stopped: { label: 'Stopped', colour: 'yellow' },
  completed: { label: 'Completed', colour: 'green' },
  aborted: { label: 'Aborted', colour: 'gray' },
};

export const VERDICTS: Record<string, State> = {
  waiting: { label: 'Waiting', colour: 'blue' },
  opened: { label: 'Opened', colour: 'green' },
  held: { label: 'Held', colour: 'red' },
  overridden: { label: 'Overridden', colour: 'orange' },
};
