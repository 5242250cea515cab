/** Fields that a custom report groups by. */
export const GROUPS = [
  { value: 'user', label: 'User' },
  { value: 'resource', label: 'Resource' },
  { value: 'event_type', label: 'Event type' },
];
