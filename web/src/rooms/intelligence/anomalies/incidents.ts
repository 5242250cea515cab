// Anomalies as the lists show them: the anomalies of one incident are one row.
import type { Anomaly } from '../../../api/bodies';
import { plural } from '../../../display/amounts';

export type AnomalyRow = Anomaly & {
  /** The anomalies of its incident that the answer lists, oldest first; empty where it is alone. */
  members: NonNullable<Anomaly['incident']>['members'];
  /** Number of all anomalies of its incident. */
  members_total: number;
};

/** One row for each incident, with the incident's title, severity, status and beginning. It opens the anomaly that came first in the list. */
export function byIncident(anomalies: Anomaly[]): AnomalyRow[] {
  const rows = new Map<string, AnomalyRow>();
  for (const anomaly of anomalies) {
    if (rows.has(anomaly.incident_id)) continue;
    const { incident } = anomaly;
    if (!incident || incident.members.length < 2) {
      rows.set(anomaly.incident_id, { ...anomaly, members: [], members_total: 1 });
      continue;
    }
    const lead =
      anomalies.find(
        ({ incident_id: of, severity }) => severity === incident.severity && of === incident.id,
      ) ?? anomaly;
    const { title, severity, status, started_at, last_at, members, members_total } = incident;
    rows.set(anomaly.incident_id, {
      ...lead,
      title,
      severity,
      status,
      started_at,
      last_at,
      members,
      members_total,
    });
  }
  return [...rows.values()];
}

/** Sentence about the members of an incident that the answer does not list. */
export function furtherMembers(incident: Pick<AnomalyRow, 'members' | 'members_total'>) {
  const further = incident.members_total - incident.members.length;
  return further > 0
    ? `and ${plural(further, 'less severe anomaly', 'less severe anomalies')}`
    : undefined;
}
