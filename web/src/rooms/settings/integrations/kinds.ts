// Types of receivers: their words, their fields and their secrets.
import type { components } from '../../../api/schema';

type Schemas = components['schemas'];
export type ReceiverType = Schemas['StreamReceiverType'];
export type EntryFormat = Schemas['StreamEntryFormat'];
export type Settings = Schemas['StreamSettingsBody'];

export interface Field {
  name: keyof Settings;
  label: string;
  description?: string;
  placeholder?: string;
  required?: boolean;
  /** What can be chosen; the first is the usual value. A field without choices is a text. */
  choices?: { value: string; label: string }[];
}

interface Kind {
  label: string;
  fields: Field[];
  /** The words of the secret, if the type has one. */
  secret?: { label: string; required: boolean; description?: string };
  formats: EntryFormat[];
}

export const KINDS: Record<ReceiverType, Kind> = {
  splunk_hec: {
    label: 'Log platform over an HTTP collector (Splunk HEC)',
    fields: [
      {
        name: 'url',
        label: 'Collector URL',
        placeholder: 'https://splunk.example.com:8088',
        required: true,
      },
      { name: 'source_type', label: 'Source type', placeholder: 'reeve:audit' },
      { name: 'index', label: 'Index', description: "The token's default unless given" },
    ],
    secret: { label: 'Collector token', required: true },
    formats: ['json', 'ocsf', 'cef', 'syslog'],
  },
  event_hub: {
    label: 'Event hub stream (Azure Event Hubs)',
    fields: [
      { name: 'namespace', label: 'Namespace', placeholder: 'acme-security', required: true },
      { name: 'hub', label: 'Hub name', placeholder: 'audit', required: true },
      {
        name: 'key_name',
        label: 'Shared access policy',
        placeholder: 'RootManageSharedAccessKey',
        description: 'A policy that may send is enough',
      },
    ],
    secret: { label: 'Shared access key', required: true },
    formats: ['json', 'ocsf', 'cef', 'syslog'],
  },
  security_lake: {
    label: 'Security data lake (Amazon Security Lake)',
    fields: [
      { name: 'account_id', label: 'Account ID', placeholder: '123456789012', required: true },
      { name: 'region', label: 'Region', placeholder: 'eu-central-1', required: true },
      {
        name: 'bucket',
        label: 'Bucket',
        placeholder: 'aws-security-data-lake-eu-central-1-…',
        required: true,
      },
      { name: 'source_name', label: 'Source name', placeholder: 'reeve' },
      { name: 'access_key_id', label: 'Access key ID' },
    ],
    secret: { label: 'Secret access key', required: false },
    formats: ['ocsf'],
  },
  https: {
    label: 'HTTPS endpoint',
    fields: [
      {
        name: 'url',
        label: 'Address',
        placeholder: 'https://collector.example.com/ingest',
        required: true,
      },
    ],
    secret: {
      label: 'Authorization header',
      required: false,
      description: 'The whole value, such as Bearer … Leave empty to send none',
    },
    formats: ['json', 'ocsf', 'cef', 'syslog'],
  },
  syslog: {
    label: 'Syslog over TLS',
    fields: [
      { name: 'host', label: 'Host', placeholder: 'syslog.example.com', required: true },
      { name: 'port', label: 'Port', placeholder: '6514' },
      { name: 'hostname', label: 'Host name in messages', placeholder: '-' },
    ],
    formats: ['syslog', 'cef'],
  },
  kafka: {
    label: 'Topic of Apache Kafka, or of Event Hubs by its protocol',
    fields: [
      {
        name: 'brokers',
        label: 'Brokers',
        placeholder: 'kafka-1.example.com:9093, kafka-2.example.com:9093',
        required: true,
      },
      { name: 'topic', label: 'Topic', placeholder: 'audit', required: true },
      {
        name: 'tls',
        label: 'Encryption',
        choices: [
          { value: 'true', label: 'TLS' },
          { value: 'false', label: 'None, to allowed networks' },
        ],
      },
      {
        name: 'sasl',
        label: 'Authentication',
        choices: [
          { value: 'none', label: 'None' },
          { value: 'plain', label: 'SASL PLAIN' },
          { value: 'scram_sha_256', label: 'SASL SCRAM-SHA-256' },
          { value: 'scram_sha_512', label: 'SASL SCRAM-SHA-512' },
        ],
      },
      {
        name: 'username',
        label: 'User',
        placeholder: 'reeve',
        description: '$ConnectionString for Event Hubs',
      },
      {
        name: 'key',
        label: 'Key of a record',
        choices: [
          { value: 'event_id', label: 'Event ID' },
          { value: 'resource_id', label: 'Resource ID' },
        ],
      },
      {
        name: 'compression',
        label: 'Compression',
        choices: [
          { value: 'none', label: 'None' },
          { value: 'gzip', label: 'gzip' },
          { value: 'zstd', label: 'zstd' },
        ],
      },
    ],
    secret: {
      label: 'Password',
      required: false,
      description: 'The connection string for Event Hubs',
    },
    formats: ['json', 'ocsf', 'cef', 'syslog'],
  },
  otlp: {
    label: 'OpenTelemetry logs (OTLP over HTTP)',
    fields: [
      {
        name: 'url',
        label: 'Address',
        placeholder: 'https://collector.example.com:4318',
        required: true,
      },
      {
        name: 'encoding',
        label: 'Encoding',
        choices: [
          { value: 'protobuf', label: 'Protobuf' },
          { value: 'json', label: 'JSON' },
        ],
      },
      { name: 'header', label: 'Header of the key', placeholder: 'Authorization' },
    ],
    secret: {
      label: 'Key',
      required: false,
      description: 'The whole value of the header, such as Bearer … Leave empty to send none',
    },
    formats: ['otlp'],
  },
};

export const FORMATS: Record<EntryFormat, string> = {
  json: 'JSON, as the interface shows an entry',
  cef: 'CEF',
  syslog: 'Syslog (RFC 5424)',
  ocsf: 'OCSF 1.3',
  otlp: 'Log record of OpenTelemetry',
};

export const TYPES = (Object.keys(KINDS) as ReceiverType[]).map((value) => ({
  value,
  label: KINDS[value].label,
}));

/** The settings of a type, from the texts of a form; empty ones are left out. */
export function settingsOf(kind: ReceiverType, texts: Record<string, string>): Settings {
  const given = KINDS[kind].fields
    .map(({ name }) => [name, texts[name]?.trim() ?? ''] as const)
    .filter(([, value]) => value !== '');
  const { port, tls, ...rest } = Object.fromEntries(given);
  return {
    ...rest,
    ...(port !== undefined && { port: Number(port) }),
    ...(tls !== undefined && { tls: tls === 'true' }),
  };
}

/** The texts of a form, from settings. */
export const textsOf = (settings: Settings): Record<string, string> =>
  Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, String(value)]));
