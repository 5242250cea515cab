// Incidents and playbooks in words.
import type { IncidentStatus, Moment, PlaybookAction, StepState } from './queries';

export const STATUSES: Record<IncidentStatus, string> = {
  open: 'Open',
  investigating: 'Investigating',
  contained: 'Contained',
  resolved: 'Resolved',
  closed: 'Closed',
};

/** Colours by the names of `Status`. */
export const STATUS_COLOURS: Record<IncidentStatus, string> = {
  open: 'critical',
  investigating: 'high',
  contained: 'medium',
  resolved: 'success',
  closed: 'idle',
};

/** Buttons that move an incident on. */
export const MOVES: Record<IncidentStatus, string> = {
  open: 'Reopen',
  investigating: 'Investigate',
  contained: 'Mark as contained',
  resolved: 'Resolve',
  closed: 'Close',
};

export const ACTIONS: Record<PlaybookAction, string> = {
  quarantine_machine: 'Quarantine machine',
  deactivate_key: 'Deactivate access key',
  revoke_sessions: 'Revoke sessions',
  block_principal: 'Block user or role',
  snapshot: 'Snapshot disks',
  notify: 'Notify people',
  webhook: 'Send to webhooks',
};

/** Actions that change something in a cloud, each with an approval. */
export const CHANGING: PlaybookAction[] = [
  'quarantine_machine',
  'deactivate_key',
  'revoke_sessions',
  'block_principal',
  'snapshot',
];

export const STATES: Record<StepState, string> = {
  pending: 'Pending',
  waiting: 'Waiting',
  running: 'Running',
  done: 'Done',
  skipped: 'Nothing to do',
  failed: 'Failed',
  rolling_back: 'Rolling back',
  rolled_back: 'Rolled back',
};

export const STATE_COLOURS: Record<StepState, string> = {
  pending: 'idle',
  waiting: 'medium',
  running: 'executing',
  done: 'success',
  skipped: 'idle',
  failed: 'critical',
  rolling_back: 'executing',
  rolled_back: 'idle',
};

export const MOMENTS: Record<Moment['kind'], string> = {
  entry: 'Log entry',
  finding: 'Finding',
  status: 'Status',
  note: 'Note',
  task: 'Task',
  playbook: 'Playbook',
  step: 'Step',
};

/** Statuses that a filter of the list stands for. */
export const FILTERS: Record<string, string | undefined> = {
  active: 'open,investigating,contained',
  over: 'resolved,closed',
  all: undefined,
};
