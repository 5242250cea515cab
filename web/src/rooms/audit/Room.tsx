import { useMay } from '../../api/session';
import { TabbedRoom } from '../../shell/TabbedRoom';

/** Access & Security > Audit Logging. */
export function Room() {
  const may = useMay();
  const all = may('audit.view.all');
  const reports = may('audit.reports');
  return (
    <TabbedRoom
      title="Audit Logging" description="Every user action, system event and resource change, written once and provable."
      tabs={[
        { label: 'Dashboard', to: '/audit' },
        { label: 'Search', to: '/audit/search' },
        { label: 'Live View', to: '/audit/live' },
        ...(all ? [{ label: 'Alerts', to: '/audit/alerts' } as const] : []),
        ...(may('audit.export') ? [{ label: 'Exports', to: '/audit/exports' } as const] : []),
        ...(reports ? [{ label: 'Compliance Reports', to: '/audit/compliance' } as const, { label: 'Reports', to: '/audit/reports' } as const] : []),
      ]}
    />
  );
}
