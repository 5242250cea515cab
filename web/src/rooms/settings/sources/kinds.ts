// Kinds of sources: their names, a sample of each, and mappings as people type them.
import type { LogSourceKind, Mapping } from './queries';

export const KINDS: Record<LogSourceKind, string> = {
  json: 'JSON with a mapping',
  cloudtrail: 'AWS CloudTrail',
  kubernetes: 'Kubernetes audit',
  syslog: 'Syslog (RFC 5424, RFC 3164)',
  otlp: 'OpenTelemetry logs',
  ocsf: 'OCSF',
  okta: 'Okta System Log',
  github: 'GitHub audit log',
  azure_activity: 'Azure Activity Log',
  google_audit: 'Google Cloud Audit Logs',
};

export const SAMPLES: Record<LogSourceKind, string> = {
  json: '{"id":"7","area":"door","what":"open","who":"ann","floor":3}',
  cloudtrail:
    '{"Records":[{"eventID":"e-1","eventTime":"2026-11-28T10:00:00Z","eventName":"RunInstances","awsRegion":"eu-west-1"}]}',
  kubernetes:
    '{"kind":"EventList","items":[{"auditID":"a-1","stage":"ResponseComplete","verb":"get","user":{"username":"ann"}}]}',
  syslog: '<38>1 2026-11-28T10:00:00Z gate sshd 412 LOGIN - Accepted publickey for ann',
  otlp: '{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"timeUnixNano":"1795860000000000000","body":{"stringValue":"hello"}}]}]}]}',
  ocsf: '{"class_uid":3002,"activity_id":1,"time":1795860000000,"metadata":{"uid":"1"},"user":{"name":"ann"}}',
  okta: '{"uuid":"1","published":"2026-11-28T10:00:00.000Z","eventType":"user.session.start","outcome":{"result":"SUCCESS"}}',
  github: '{"@timestamp":1795860000000,"_document_id":"1","action":"repo.create","actor":"ann"}',
  azure_activity:
    '{"records":[{"time":"2026-11-28T10:00:00Z","operationName":"MICROSOFT.COMPUTE/VIRTUALMACHINES/WRITE","resultType":"Success"}]}',
  google_audit:
    '{"insertId":"1","timestamp":"2026-11-28T10:00:00Z","protoPayload":{"methodName":"v1.compute.instances.insert"}}',
};

/** Rules that a new mapping begins with; they fit the sample. */
export const FIRST_RULES = 'event_id = id\nevent_type = {area}.{what}\nactor.id = who';

/** The command that pushes a sample with a token. */
export function sampleCurl(kind: LogSourceKind, url: string, token: string): string {
  return [
    `curl ${url} \\`,
    `  -H 'Authorization: Bearer ${token}' \\`,
    `  -H 'Content-Type: ${kind === 'syslog' ? 'text/plain' : 'application/json'}' \\`,
    `  -d '${SAMPLES[kind]}'`,
  ].join('\n');
}

/**
 * Rules, one a line: `actor.id = user.id | user.name` reads paths, `event_type = {area}.{what}` fills
 * a template, `severity = "high"` is a constant. Lines without `=` are left out.
 */
export function mappingOf(text: string, items: string, before?: Mapping): Mapping {
  const fields: Mapping['fields'] = {};
  for (const line of text.split('\n')) {
    const at = line.indexOf('=');
    const field = line.slice(0, Math.max(at, 0)).trim();
    const value = line.slice(at + 1).trim();
    if (at < 0 || field === '' || value === '') continue;
    // Tables are typed in files of the command line; a rule that has one keeps it.
    const table = before?.fields[field]?.table;
    const kept = table && Object.keys(table).length > 0 ? { table } : {};
    if (/^".*"$/.test(value)) fields[field] = { value: value.slice(1, -1), ...kept };
    else if (value.includes('{')) fields[field] = { template: value, ...kept };
    else fields[field] = { paths: value.split('|').map((path) => path.trim()), ...kept };
  }
  return { fields, ...(items.trim() && { items: items.trim() }) };
}

/** A mapping as text, one rule a line. */
export const mappingText = (mapping?: Mapping) =>
  Object.entries(mapping?.fields ?? {})
    .map(([field, { paths, template, value }]) => {
      const read = paths?.length ? paths.join(' | ') : (template ?? `"${value ?? ''}"`);
      return `${field} = ${read}`;
    })
    .join('\n');
