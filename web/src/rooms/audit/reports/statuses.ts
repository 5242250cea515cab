// The statuses of a control, in the order and the words of the report itself.
import type { Summary } from './queries';

interface ControlStatus {
  key: keyof Summary['statuses'];
  label: string;
  color: string;
}

export const STATUSES: ControlStatus[] = [
  { key: 'evidence', label: 'Evidence found', color: 'green' },
  { key: 'incomplete', label: 'Evidence incomplete', color: 'yellow' },
  { key: 'exceptions', label: 'Exceptions to review', color: 'orange' },
  { key: 'no_entries', label: 'No entries found', color: 'gray' },
  { key: 'no_source', label: 'No source connected', color: 'dark' },
  { key: 'outside_the_log', label: 'Evidence outside the log', color: 'blue' },
];
