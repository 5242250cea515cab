// Formats of alerts: their names, a sample of each, and the call that closes an alert at the tool.
import type { AlertSource } from './queries';

type Format = AlertSource['format'];

export const FORMATS: Record<Format, string> = {
  ocsf: 'OCSF findings',
  cef: 'CEF (ArcSight)',
  elastic: 'Elastic Security',
  splunk: 'Splunk notable events',
  json: 'Other JSON',
};

const SAMPLES: Record<Format, string> = {
  ocsf: '{"class_uid":2004,"severity_id":4,"time":1795863600000,"finding_info":{"uid":"42","title":"Odd login"}}',
  cef: 'CEF:0|Acme|Sensor|1.0|100|Odd login|8|externalId=42 src=203.0.113.7 suser=ann',
  elastic:
    '{"kibana.alert.uuid":"42","kibana.alert.rule.name":"Odd login","kibana.alert.severity":"high"}',
  splunk: '{"result":{"event_id":"42","rule_title":"Odd login","urgency":"high"}}',
  json: '{"id":"42","title":"Odd login","severity":"high"}',
};

/** Calls that close an alert, as the tools document them. The host is the reader's own. */
export const CALLBACKS: Partial<Record<Format, { url: string; body: string }>> = {
  elastic: {
    url: 'https://kibana.example.com/api/detection_engine/signals/status',
    body: '{"signal_ids":["{id}"],"status":"closed"}',
  },
  splunk: {
    url: 'https://splunk.example.com:8089/services/notable_update',
    body: 'ruleUIDs={id}&status=5&comment={comment}',
  },
};

/** The command that pushes a sample with a token. */
export function sampleCurl(format: Format, url: string, token: string): string {
  return [
    `curl ${url} \\`,
    `  -H 'Authorization: Bearer ${token}' \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d '${SAMPLES[format]}'`,
  ].join('\n');
}

/** `id = alert.key`, one a line, as a mapping. Lines without `=` are kept out. */
export function mappingOf(text: string): Record<string, string> {
  const pairs = text
    .split('\n')
    .map((line) => line.split('=').map((part) => part.trim()))
    .filter(([field, path]) => field && path);
  return Object.fromEntries(pairs) as Record<string, string>;
}

/** A mapping as text, one field a line. */
export const mappingText = (mapping: Record<string, string>) =>
  Object.entries(mapping)
    .map(([field, path]) => `${field} = ${path}`)
    .join('\n');
