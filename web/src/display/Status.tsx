import { Badge, type BadgeProps } from '@mantine/core';
import { words } from './wording';

const COLOURS: Record<string, string> = {
  // severities and priorities
  critical: 'red',
  high: 'orange',
  medium: 'yellow',
  low: 'gray',
  info: 'gray',
  // outcomes
  success: 'green',
  succeeded: 'green',
  failed: 'red',
  denied: 'red',
  pending: 'yellow',
  approved: 'green',
  rejected: 'red',
  rolled_back: 'orange',
  rolling_back: 'orange',
  aborted: 'orange',
  yes: 'green',
  no: 'red',
  unknown: 'yellow',
  // recommendations
  open: 'petrol',
  pending_approval: 'yellow',
  scheduled: 'indigo',
  testing: 'indigo',
  snoozed: 'gray',
  dismissed: 'gray',
  executing: 'blue',
  verifying: 'blue',
  superseded: 'gray',
  expired: 'gray',
  // agents, connections, resources
  learning: 'indigo',
  safe_mode: 'petrol',
  active: 'green',
  idle: 'gray',
  running: 'green',
  stopped: 'gray',
  ready: 'green',
  syncing: 'blue',
  new: 'gray',
  disabled: 'gray',
  available: 'green',
  unattached: 'yellow',
  deleted: 'gray',
  changing: 'blue',
  complete: 'green',
  throttled: 'orange',
  // sources of entries
  waiting: 'gray',
  healthy: 'green',
  silent: 'orange',
  paused: 'gray',
  // anomalies
  acknowledged: 'indigo',
  resolved: 'green',
  real: 'red',
  false: 'gray',
  planned: 'indigo',
  // the effect of a change
  watching: 'blue',
  holds: 'green',
  degraded: 'red',
  not_enough_data: 'gray',
  overruled: 'gray',
  // applicability
  blocked: 'orange',
  advice_only: 'gray',
  // deliveries
  delivered: 'green',
  dead_letter: 'red',
  // models
  serving: 'green',
  candidate: 'blue',
  retired: 'gray',
};

interface Props extends BadgeProps {
  of: string;
  label?: string;
}

/** A state, severity or priority as a small coloured label. */
export function Status({ of, label, ...badge }: Props) {
  return (
    <Badge color={COLOURS[of] ?? 'gray'} {...badge}>
      {label ?? words(of)}
    </Badge>
  );
}
