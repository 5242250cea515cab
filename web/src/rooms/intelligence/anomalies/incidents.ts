// Anomalies as the lists show them: the anomalies of one incident are one row.
import type { Anomaly } from '../../../api/bodies';

export type AnomalyRow = Anomaly & {
  /** The anomalies of its incident, oldest first; empty where it is alone. */
  members: NonNullable<Anomaly['incident']>['members'];
};

/** One row for each incident, with the incident's title, severity, status and beginning. It opens the anomaly that came first in the list. */
export function byIncident(anomalies: Anomaly[]): AnomalyRow[] {
  const rows = new Map<string, AnomalyRow>();
  for (const anomaly of anomalies) {
    if (rows.has(anomaly.incident_id)) continue;
    const { incident } = anomaly;
    if (!incident || incident.members.length < 2) {
      rows.set(anomaly.incident_id, { ...anomaly, members: [] });
      continue;
    }
    const lead =
      anomalies.find(
        ({ id, severity }) =>
          severity === incident.severity && incident.members.some((member) => member.id === id),
      ) ?? anomaly;
    const { title, severity, status, started_at, last_at, members } = incident;
    rows.set(anomaly.incident_id, {
      ...lead,
      title,
      severity,
      status,
      started_at,
      last_at,
      members,
    });
  }
  return [...rows.values()];
}
