import { useQuery } from '@tanstack/react-query';
import { TabbedRoom } from '../../shell/TabbedRoom';
import { dashboardQuery } from './queries';

/** Automation > Intelligence Automation. */
export function Room() {
  const { data } = useQuery(dashboardQuery);
  return (
    <TabbedRoom
      title="Intelligence Automation" description="What the agents see in the estate, what they recommend, and what was done about it."
      tabs={[
        { label: 'Dashboard', to: '/intelligence' },
        { label: 'Recommendations', to: '/intelligence/recommendations' },
        { label: 'Rollouts', to: '/intelligence/rollouts' },
        { label: 'Anomalies', to: '/intelligence/anomalies' },
        { label: 'Predictions', to: '/intelligence/predictions' },
        { label: 'Agents', to: '/intelligence/agents' },
        { label: 'Actions', to: '/intelligence/actions' },
        { label: 'Approvals', to: '/intelligence/approvals', badge: data?.approvals_pending },
        { label: 'Models', to: '/intelligence/models' },
        { label: 'Guardrails', to: '/intelligence/guardrails' },
        { label: 'Change control', to: '/intelligence/change-control' },
        { label: 'Exclusions', to: '/intelligence/exclusions' },
      ]}
    />
  );
}
