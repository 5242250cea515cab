import type { MantineSize } from '@mantine/core';
import type { Action } from '../../api/bodies';
import { Status } from '../../display/Status';

/** What was tried on a twin and undone as planned is no change that failed. */
export function ActionStatus({ of: action, size }: { of: Action; size?: MantineSize }) {
  const tried = action.purpose !== 'apply' && action.status === 'rolled_back' && action.steps.every(({ ok }) => ok !== false);
  return tried ? <Status of="planned" label="Passed, then undone" size={size} /> : <Status of={action.status} size={size} />;
}
