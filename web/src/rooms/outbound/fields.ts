// The forms' values, and how they go over the wire.
import type { Channel } from '../../api/bodies';
import type { components } from '../../api/schema';

type Schemas = components['schemas'];

export const EVENTS = [
  { value: 'recommendation_ready', label: 'A recommendation is ready' },
  { value: 'anomaly_detected', label: 'An anomaly was detected' },
  { value: 'action_completed', label: 'An action was completed' },
  { value: 'alert_fired', label: 'An alert rule fired' },
  { value: 'budget_alert', label: 'A budget reached a threshold' },
];
export const EVENT_NAMES: Record<string, string> = {
  ...Object.fromEntries(EVENTS.map(({ value, label }) => [value, label])),
  test: 'A test',
};

export const KINDS = [
  { value: 'email', label: 'E-mail' },
  { value: 'slack', label: 'Slack' },
  { value: 'teams', label: 'Microsoft Teams' },
  { value: 'pagerduty', label: 'PagerDuty' },
];
export const KIND_NAMES: Record<string, string> = Object.fromEntries(
  KINDS.map(({ value, label }) => [value, label]),
);

export const TOPICS = [
  { value: 'recommendations', label: 'Recommendations' },
  { value: 'actions_taken', label: 'Actions taken' },
  { value: 'anomalies', label: 'Anomalies' },
  { value: 'approvals', label: 'Requests for signatures' },
  { value: 'alerts', label: 'Alerts' },
  { value: 'reports', label: 'Reports' },
];

/** What a filter may narrow, by event; the service checks the values. */
export const FILTERS: Record<string, { key: string; label: string; values: string[] }[]> = {
  recommendation_ready: [
    { key: 'priority', label: 'Priority', values: ['critical', 'high', 'medium', 'low'] },
    { key: 'type', label: 'Category', values: ['cost', 'performance', 'security'] },
    { key: 'impact', label: 'Impact', values: ['low', 'medium', 'high'] },
  ],
  anomaly_detected: [
    { key: 'type', label: 'Class', values: ['cost', 'performance', 'security', 'operational'] },
    { key: 'priority', label: 'Severity', values: ['critical', 'high', 'medium', 'low'] },
  ],
  alert_fired: [
    { key: 'priority', label: 'Severity', values: ['critical', 'high', 'medium', 'low'] },
  ],
  budget_alert: [
    { key: 'priority', label: 'Priority', values: ['high', 'medium'] },
    { key: 'type', label: 'Reached by', values: ['actual', 'forecast'] },
  ],
};
FILTERS.action_completed = FILTERS.recommendation_ready ?? [];

/** `priority=high,type=security` as its parts; what is no part is left out. */
export function filterParts(filter: string): Record<string, string> {
  return Object.fromEntries(
    filter
      .split(',')
      .map((part) => part.split('=').map((text) => text.trim()))
      .filter(([key, value]) => key && value),
  );
}

/** The parts as a filter, with those keys alone that the event knows. */
export function filterOf(parts: Record<string, string>, event: string): string {
  const known = FILTERS[event] ?? [];
  return known.flatMap(({ key }) => (parts[key] ? [`${key}=${parts[key]}`] : [])).join(',');
}

export interface ChannelFields {
  name: string;
  type: string;
  secret: string;
  topics: string[];
  enabled: boolean;
  settings: {
    host: string;
    port: number | string;
    encryption: string;
    username: string;
    from: string;
    to: string[];
    url: string;
  };
}

export function channelFields(channel: Channel | undefined): ChannelFields {
  const { host, port, encryption, username, from, to, url } = channel?.settings ?? {};
  return {
    name: channel?.name ?? '',
    type: channel?.type ?? 'email',
    secret: '',
    topics: channel?.topics ?? [],
    enabled: channel?.enabled ?? true,
    settings: {
      host: host ?? '',
      port: port ?? '',
      encryption: encryption ?? 'starttls',
      username: username ?? '',
      from: from ?? '',
      to: to ?? [],
      url: url ?? '',
    },
  };
}

/** Only the settings that a channel of this type has; what is empty gets the service's own. */
export function settingsOf({ type, settings }: ChannelFields): Schemas['ChannelSettingsBody'] {
  if (type === 'pagerduty') return settings.url.trim() ? { url: settings.url.trim() } : {};
  if (type !== 'email') return {};
  const { host, port, encryption, username, from, to } = settings;
  return {
    host: host.trim(),
    port: port === '' ? undefined : Number(port),
    encryption: encryption as Schemas['MailEncryption'],
    username: username.trim() || undefined,
    from: from.trim(),
    to,
  };
}

/** The secret as each type calls it. */
export const SECRETS: Record<string, { label: string; placeholder: string; description?: string }> =
  {
    email: {
      label: 'Password',
      placeholder: '',
      description: 'Leave empty if the server needs no sign-in',
    },
    slack: { label: 'Webhook address', placeholder: 'https://hooks.slack.com/services/…' },
    teams: {
      label: 'Workflow address',
      placeholder: 'https://…logic.azure.com/workflows/…',
      description: 'Of a workflow that begins with “When a Teams webhook request is received”',
    },
    pagerduty: {
      label: 'Integration key',
      placeholder: '32 letters and digits',
      description: 'Of an Events API v2 integration',
    },
  };
