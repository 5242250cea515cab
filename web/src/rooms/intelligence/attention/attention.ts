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
import { requesterOf, type Requester } from '../requesters';

/** Kinds in the order of the list. */
export const KINDS = ['incident', 'approval', 'change', 'connection'] as const;
export type Kind = (typeof KINDS)[number];

export interface Need {
  key: string;
  kind: Kind;
  title: string;
  detail: string;
  at: string;
  /** The page that deals with it. */
  to: string;
}

/** Time for which a failed change stays in the list, milliseconds. */
const FAILED_MS = 7 * 86_400_000;

/** Incidents of the estate that nobody has taken on; one attack is one of them. */
export function incidents(anomalies: Anomaly[]): Need[] {
  return byIncident(anomalies)
    .filter(({ status, severity }) => status === 'open' && severity === 'critical')
    .map((anomaly) => ({
      key: `anomaly ${anomaly.id}`,
      kind: 'incident',
      title: anomaly.title,
      detail: sentence(anomaly.likely_cause),
      at: anomaly.started_at,
      to: `/intelligence/anomalies/${encodeURIComponent(anomaly.id)}`,
    }));
}

/** Critical alerts that nobody has acknowledged. A silenced rule notifies nobody, and so it does not ask for anybody here. */
export function alarms(firings: Firing[]): Need[] {
  return firings
    .filter(
      ({ status, severity, silenced }) => status === 'open' && severity === 'critical' && !silenced,
    )
    .map((firing) => ({
      key: `firing ${firing.id}`,
      kind: 'incident',
      title: firing.rule_name,
      detail: `Alert on ${plural(firing.count, 'entry', 'entries')} of the audit log`,
      at: firing.last_at,
      to: '/audit/alerts',
    }));
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

/** One list by kind; within a kind the newest first. Each recommendation is named once. */
export function ordered(needs: Need[]): Need[] {
  const pages = new Set<string>();
  const once = ({ kind, to }: Need) => kind !== 'change' || (!pages.has(to) && pages.add(to));
  return needs
    .filter(once)
    .sort((a, b) => KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind) || b.at.localeCompare(a.at));
}
