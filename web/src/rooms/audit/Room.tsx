import { useMay } from '../../api/session';
import { Page } from '../../display/Page';
import { RoomTabs } from '../../shell/RoomTabs';

/** Access & Security > Audit Logging. */
export function Room() {
  const may = useMay();
  const all = may('audit.view.all');
  const reports = may('audit.reports');
  return (
    <Page title="Audit Logging" description="Every user action, system event and resource change, written once and provable.">
      <RoomTabs
        label="Audit Logging"
        tabs={[
          { label: 'Dashboard', to: '/audit' },
          { label: 'Search', to: '/audit/search' },
          { label: 'Live', to: '/audit/live' },
          ...(all ? [{ label: 'Alerts', to: '/audit/alerts' } as const] : []),
          ...(may('audit.export') ? [{ label: 'Exports', to: '/audit/exports' } as const] : []),
          ...(reports ? [{ label: 'Compliance Reports', to: '/audit/compliance' } as const, { label: 'Reports', to: '/audit/reports' } as const] : []),
        ]}
      />
    </Page>
  );
}
