import type { MantineSize } from '@mantine/core';
import type { Action } from '../../api/bodies';
import { Status } from '../../display/Status';

/** A trial that was undone as planned is no change that failed; a simulation passed no test. */
export function ActionStatus({ of: action, size }: { of: Action; size?: MantineSize }) {
  const tried =
    action.purpose !== 'apply' &&
    action.status === 'rolled_back' &&
    action.steps.every(({ ok }) => ok !== false);
  return tried ? (
    <Status
      of="planned"
      label={action.purpose === 'simulate' ? 'Steps work' : 'Passed, then undone'}
      size={size}
    />
  ) : (
    <Status of={action.status} size={size} />
  );
}
