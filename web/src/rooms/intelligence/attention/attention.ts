// What needs the person who is signed in: one list from several answers of the service, most urgent first.
import type {
  Action,
  Anomaly,
  Approval,
  Connection,
  Recommendation,
  Rollout,
} from '../../../api/bodies';
import type { Firing } from '../../audit/alerts/queries';
import { plural } from '../../../display/amounts';
import { sentence, words } from '../../../display/wording';
import { byIncident } from '../anomalies/incidents';
import { blockInWords } from '../change/policy';
import { PRIORITY_ORDER } from '../priorities';
import { STATUSES } from '../incidents/labels';
import type { IncidentSummary } from '../incidents/queries';
import { requesterOf, type Requester } from '../requesters';

export type Kind = 'incident' | 'alert' | 'anomaly' | 'approval' | 'change' | 'connection';

export interface Need {
  key: string;
  kind: Kind;
  /** Severity of an incident, an alert or an anomaly. */
  severity?: string;
  title: string;
  detail: string;
  at: string;
  /** The page that deals with it. */
  to: string;
}

/** Signs that something is wrong now: they stand before everything that only waits. */
export const isAlarm = ({ kind }: Pick<Need, 'kind'>) =>
  kind === 'incident' || kind === 'alert' || kind === 'anomaly';

/** Time for which a failed change stays in the list, milliseconds. */
const FAILED_MS = 7 * 86_400_000;

/** Incidents that no one has taken up, and those that this person is responsible for. */
export function incidents(active: IncidentSummary[], me: string | undefined): Need[] {
  return active
    .filter(({ status, owner }) => status === 'open' || (me !== undefined && owner === me))
    .map(({ id, severity, title, findings, owner, status, last_at }) => {
      const whose = owner === me ? 'you are the owner' : `owner ${owner}`;
      return {
        key: `incident ${id}`,
        kind: 'incident',
        severity,
        title,
        detail: `${plural(findings, 'finding')}, ${owner ? whose : 'no owner yet'} · ${STATUSES[status]}`,
        at: last_at,
        to: `/intelligence/incidents/${encodeURIComponent(id)}`,
      };
    });
}

/** Open anomalies of high or critical severity. The members of an active incident are listed as that incident. */
export function anomalies(open: Anomaly[], active: Pick<IncidentSummary, 'id'>[]): Need[] {
  const listed = new Set(active.map(({ id }) => id));
  return byIncident(open)
    .filter(
      ({ status, severity, incident_id }) =>
        status === 'open' &&
        (severity === 'critical' || severity === 'high') &&
        !listed.has(incident_id),
    )
    .map((anomaly) => ({
      key: `anomaly ${anomaly.id}`,
      kind: 'anomaly',
      severity: anomaly.severity,
      title: anomaly.title,
      detail: sentence(anomaly.likely_cause),
      at: anomaly.started_at,
      to: `/intelligence/anomalies/${encodeURIComponent(anomaly.id)}`,
    }));
}

/** Open alerts, one row for each rule. A muted rule notifies no one, and so it does not ask for anyone here. */
export function alarms(firings: Firing[]): Need[] {
  const rules = new Map<string, Firing[]>();
  for (const firing of firings) {
    if (firing.status !== 'open' || firing.silenced) continue;
    rules.set(firing.rule_id, [...(rules.get(firing.rule_id) ?? []), firing]);
  }
  return [...rules].map(([rule, open]) => {
    const entries = plural(
      open.reduce((sum, { count }) => sum + count, 0),
      'entry',
      'entries',
    );
    const newest = open.reduce((a, b) => (a.last_at > b.last_at ? a : b));
    return {
      key: `alerts of ${rule}`,
      kind: 'alert',
      severity: newest.severity,
      title: newest.rule_name,
      detail: `${open.length > 1 ? `${plural(open.length, 'open alert')} on` : 'Alert on'} ${entries} of the audit log`,
      at: newest.last_at,
      to: '/audit/alerts',
    };
  });
}

/** Approvals that this person can sign. */
export function toSign(approvals: Approval[], who: (requester: Requester) => string): Need[] {
  return approvals
    .filter(({ status, can_sign }) => status === 'pending' && can_sign.length > 0)
    .map((approval) => ({
      key: `approval ${approval.id}`,
      kind: 'approval',
      title: approval.title,
      detail: `${words(approval.impact)} impact, requested by ${who(requesterOf(approval.requested_by))}`,
      at: approval.requested_at,
      to: '/intelligence/approvals',
    }));
}

/** Changes that failed or that Reeve undid in the last seven days: of each recommendation the newest attempt. */
export function failures(actions: Action[], now: number): Need[] {
  const newest = new Map<string, Action>();
  for (const action of actions) {
    if (action.purpose !== 'apply') continue;
    const known = newest.get(action.recommendation_id);
    if (!known || action.started_at > known.started_at)
      newest.set(action.recommendation_id, action);
  }
  const recent = ({ started_at, finished_at }: Action) =>
    now - Date.parse(finished_at ?? started_at) < FAILED_MS;
  return [...newest.values()]
    .filter(
      (action) =>
        (action.status === 'failed' || (action.status === 'rolled_back' && !action.undone_by)) &&
        recent(action),
    )
    .map((action) => ({
      key: `action ${action.id}`,
      kind: 'change',
      title: action.title,
      detail: `${action.status === 'failed' ? 'Failed' : 'Rolled back'}${action.reason ? `: ${action.reason}` : ''}`,
      at: action.finished_at ?? action.started_at,
      to: `/intelligence/recommendations/${encodeURIComponent(action.recommendation_id)}`,
    }));
}

/** Changes that a guardrail blocked, and rollouts that wait at a gate. */
export function blocked(recommendations: Recommendation[], rollouts: Rollout[]): Need[] {
  return [
    ...rollouts
      .filter(({ status }) => status === 'held')
      .map((rollout): Need => ({
        key: `rollout ${rollout.id}`,
        kind: 'change',
        title: rollout.name,
        detail: `Rollout on hold${rollout.reason ? `: ${rollout.reason}` : ''}`,
        at: rollout.updated_at,
        to: `/intelligence/rollouts/${encodeURIComponent(rollout.id)}`,
      })),
    ...recommendations
      .filter(({ status, blocked: by }) => by && (status === 'open' || status === 'scheduled'))
      .map((one): Need => ({
        key: `recommendation ${one.id}`,
        kind: 'change',
        title: one.title,
        detail: `Blocked by a guardrail. ${blockInWords(one.blocked ?? '')}`,
        at: one.updated_at,
        to: `/intelligence/recommendations/${encodeURIComponent(one.id)}`,
      })),
  ];
}

/** Connections that do not work, or not fully. */
export function broken(connections: Connection[]): Need[] {
  return connections.flatMap((connection): Need[] => {
    const denied = connection.last_sync?.denied.length ?? 0;
    if (connection.status !== 'failed' && denied === 0) return [];
    const failed = connection.status === 'failed';
    return [
      {
        key: `connection ${connection.id}`,
        kind: 'connection',
        title: connection.name,
        at: connection.last_sync?.finished_at ?? connection.created_at,
        to: '/estate/connections',
        detail: failed
          ? `The last sync failed${connection.last_error ? `: ${connection.last_error}` : ''}`
          : `${plural(denied, 'call was', 'calls were')} denied: a permission is missing`,
      },
    ];
  });
}

/** Places of the kinds in the list: alerts and anomalies share one, and stand by severity. */
const PLACES: Record<Kind, number> = {
  incident: 0,
  alert: 1,
  anomaly: 1,
  approval: 2,
  change: 3,
  connection: 4,
};

/** One list: incidents, then alerts and anomalies by severity, then the other kinds; the newest first. Each recommendation is named once. */
export function ordered(needs: Need[]): Need[] {
  const pages = new Set<string>();
  const once = ({ kind, to }: Need) => kind !== 'change' || (!pages.has(to) && pages.add(to));
  const urgency = ({ severity }: Need) => PRIORITY_ORDER.indexOf(severity ?? '');
  return needs
    .filter(once)
    .sort(
      (a, b) =>
        PLACES[a.kind] - PLACES[b.kind] || urgency(a) - urgency(b) || b.at.localeCompare(a.at),
    );
}

/** Sentences for an empty list. They claim only what the role of the reader shows. */
export function nothingInWords(shows: { alerts: boolean; connections: boolean }): string {
  const none = [
    'open incident',
    shows.alerts && 'open alert',
    'anomaly of high or critical severity',
    'approval for you',
    'failed or blocked change',
    shows.connections && 'connection with an error',
  ].filter(Boolean);
  const hidden = [!shows.alerts && 'alerts', !shows.connections && 'connections'].filter(Boolean);
  const said = `There is no ${none.slice(0, -1).join(', no ')} and no ${none.at(-1)}.`;
  return hidden.length === 0 ? said : `${said} Your role does not show ${hidden.join(' and ')}.`;
}
