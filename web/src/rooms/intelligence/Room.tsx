import { useQuery } from '@tanstack/react-query';
import { Page } from '../../display/Page';
import { RoomTabs } from '../../shell/RoomTabs';
import { dashboardQuery } from './queries';

/** Automation > Intelligence Automation. */
export function Room() {
  const { data } = useQuery(dashboardQuery);
  return (
    <Page title="Intelligence Automation" description="What the agents see in the estate, what they recommend, and what was done about it.">
      <RoomTabs
        label="Intelligence Automation"
        tabs={[
          { label: 'Overview', to: '/intelligence' },
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
    </Page>
  );
}
