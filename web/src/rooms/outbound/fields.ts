// The forms' values, and how they go over the wire.
import type { Channel } from '../../api/bodies';
import type { ChannelField, ChannelType } from '../../api/channel-types';
import type { components } from '../../api/schema';

type Schemas = components['schemas'];

export const EVENTS = [
  { value: 'recommendation_ready', label: 'A recommendation is ready' },
  { value: 'anomaly_detected', label: 'An anomaly was detected' },
  { value: 'action_completed', label: 'An action was completed' },
  { value: 'alert_fired', label: 'An alert rule fired' },
  { value: 'budget_alert', label: 'A budget reached a threshold' },
  { value: 'incident_response', label: 'A playbook sent an incident' },
  { value: 'incident_changed', label: 'An incident was opened, changed or closed' },
];
export const FORMATS = [
  { value: 'json', label: 'JSON of Reeve' },
  { value: 'ocsf', label: 'OCSF findings' },
];
/** Events whose records may be security findings, which OCSF has classes for. */
export const WITH_FINDINGS = [
  'recommendation_ready',
  'anomaly_detected',
  'alert_fired',
  'incident_changed',
];
export const EVENT_NAMES: Record<string, string> = {
  ...Object.fromEntries(EVENTS.map(({ value, label }) => [value, label])),
  test: 'A test',
};

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
  incident_response: [
    { key: 'priority', label: 'Severity', values: ['critical', 'high', 'medium', 'low'] },
  ],
  incident_changed: [
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

export type SettingValue = string | number | string[];

export interface ChannelFields {
  name: string;
  type: string;
  secret: string;
  topics: string[];
  enabled: boolean;
  settings: Record<string, SettingValue>;
}

/** A channel's values, with an empty one for every setting that any type has. */
export function channelFields(types: ChannelType[], channel?: Channel): ChannelFields {
  const stored: Record<string, SettingValue | null | undefined> = channel?.settings ?? {};
  const settings = types
    .flatMap((type) => type.settings)
    .map((field) => [field.name, stored[field.name] ?? emptyValue(field)]);
  return {
    name: channel?.name ?? '',
    type: channel?.type ?? types[0]?.type ?? '',
    secret: '',
    topics: channel?.topics ?? [],
    enabled: channel?.enabled ?? true,
    settings: Object.fromEntries(settings) as Record<string, SettingValue>,
  };
}

function emptyValue({ form, defaults }: ChannelField): SettingValue {
  if (form === 'mailboxes') return [];
  return form === 'choice' ? (defaults[0]?.value ?? '') : '';
}

/** Only the settings that a channel of the type has; what is empty gets the service's own. */
export function settingsOf(
  type: ChannelType | undefined,
  { settings }: ChannelFields,
): Schemas['ChannelSettingsBody'] {
  const given = (type?.settings ?? []).flatMap(({ name, form }) => {
    const value = settings[name];
    const trimmed = typeof value === 'string' ? value.trim() : value;
    if (trimmed === undefined || trimmed === '') return [];
    return [[name, form === 'port' ? Number(trimmed) : trimmed]];
  });
  return Object.fromEntries(given) as Schemas['ChannelSettingsBody'];
}

/** The service's value for a setting that is left empty, as the other settings stand. */
export function defaultOf({ defaults }: ChannelField, { settings }: ChannelFields): string {
  const applies = defaults.find(({ when, when_value }) => !when || settings[when] === when_value);
  return applies?.value ?? '';
}

/** The problems of empty fields that must be given; a stored secret need not be given again. */
export function missingFields(
  type: ChannelType | undefined,
  values: ChannelFields,
  isNew: boolean,
): Record<string, string> {
  const isEmpty = (value: SettingValue | undefined) =>
    Array.isArray(value) ? value.length === 0 : String(value ?? '').trim() === '';
  const paths = (type?.settings ?? [])
    .filter(({ name, required }) => required && isEmpty(values.settings[name]))
    .map(({ name }) => `settings.${name}`);
  if (isNew && type?.credential.required && isEmpty(values.secret)) paths.push('secret');
  return Object.fromEntries(paths.map((path) => [path, 'Enter a value']));
}
