import {
  IconArchive,
  IconBell,
  IconCloud,
  IconCoin,
  IconFileImport,
  IconKey,
  IconPlugConnected,
  IconReceipt,
  IconSettings,
  IconServer2,
  IconShieldCheck,
  IconUsers,
  IconUsersGroup,
  IconWand,
  IconWebhook,
} from '@tabler/icons-react';
import type { ComponentType } from 'react';

export interface Place {
  label: string;
  to: string;
  icon: ComponentType<{ size?: number; stroke?: number }>;
  /** Any of these permissions lets a person in; none means everybody. */
  any: string[];
  /** Pages below it, by what a person does there. */
  groups?: PageGroup[];
  /** Open to a user with a scope: what it shows is narrowed. */
  inScope?: boolean;
}

export interface PageGroup {
  /** The first group needs no name: it holds the overview. */
  label?: string;
  pages: RoomPage[];
}

export interface RoomPage {
  label: string;
  to: string;
  /** One sentence below the page's heading. */
  about: string;
  /** The permission it needs beyond its room's. */
  needs?: string;
  /** Open to a user with a scope: what it shows is narrowed. */
  inScope?: boolean;
  /** Things whose addresses stand directly below the room belong to this page. */
  holdsOthers?: boolean;
}

export interface Section {
  label: string;
  places: Place[];
}

export const VIEW_LOG = ['audit.view.all', 'audit.view.team', 'audit.view.own'];

const INTELLIGENCE: PageGroup[] = [
  {
    pages: [
      {
        label: 'Dashboard',
        to: '/intelligence',
        about: 'Open items, running changes and savings.',
      },
    ],
  },
  {
    label: 'Act',
    pages: [
      {
        label: 'Recommendations',
        to: '/intelligence/recommendations',
        inScope: true,
        about: 'Changes that agents propose, with their savings, risk and evidence.',
      },
      {
        label: 'Approvals',
        to: '/intelligence/approvals',
        about: 'Changes that wait for a signature before they run.',
      },
      {
        label: 'Rollouts',
        to: '/intelligence/rollouts',
        about: 'One change for many resources, in stages that stop when something goes wrong.',
      },
      {
        label: 'Actions',
        to: '/intelligence/actions',
        about: 'Changes that are running or have ended, with their results.',
      },
    ],
  },
  {
    label: 'Watch',
    pages: [
      {
        label: 'Incidents',
        to: '/intelligence/incidents',
        about: 'Attacks, each with its findings, timeline and response.',
      },
      {
        label: 'Anomalies',
        to: '/intelligence/anomalies',
        about: 'Unusual cost, load and access.',
      },
      {
        label: 'Predictions',
        to: '/intelligence/predictions',
        about: 'Forecasts, and actions taken before a limit is reached.',
      },
      {
        label: 'Objectives',
        to: '/intelligence/objectives',
        about: 'What users are promised, and how much of each error budget is left.',
      },
      {
        label: 'Compliance',
        to: '/intelligence/compliance',
        inScope: true,
        about: 'Controls of frameworks, and the resources that do not meet them.',
      },
      {
        label: 'Exposure',
        to: '/intelligence/exposure',
        about: 'Resources that the internet and other accounts reach, each with its path.',
      },
      {
        label: 'Dependencies',
        to: '/intelligence/dependencies',
        inScope: true,
        about: 'What depends on a resource, and what it needs.',
      },
      {
        label: 'Drift',
        to: '/intelligence/drift',
        inScope: true,
        about: 'Configurations that differ from what was pinned, and who changed them.',
      },
      {
        label: 'Models',
        to: '/intelligence/models',
        about: 'Models that agents use, with their training and measured accuracy.',
      },
    ],
  },
  {
    label: 'Configure',
    pages: [
      {
        label: 'Agents',
        to: '/intelligence/agents',
        about:
          'Choose which agents run, on which resources, and what they may change automatically.',
      },
      {
        label: 'Playbooks',
        to: '/intelligence/playbooks',
        about: 'Responses to incidents, step by step.',
      },
      {
        label: 'Runbooks',
        to: '/intelligence/runbooks',
        about: 'Known issues, the change that mends each, and whether it helped.',
      },
      {
        label: 'Guardrails',
        to: '/intelligence/guardrails',
        about: 'Limits for every change, and the kill switch.',
      },
      {
        label: 'Change control',
        to: '/intelligence/change-control',
        about: 'Maintenance windows and change freezes.',
      },
      {
        label: 'Exclusions',
        to: '/intelligence/exclusions',
        about: 'Resources, accounts and types without recommendations.',
      },
    ],
  },
];

const AUDIT: PageGroup[] = [
  {
    pages: [
      {
        label: 'Dashboard',
        to: '/audit',
        about:
          'Activity, security events and compliance at a glance. Every entry is hashed, linked and signed.',
      },
    ],
  },
  {
    label: 'Watch',
    pages: [
      {
        label: 'Search',
        to: '/audit/search',
        holdsOthers: true,
        about: 'Find entries by word, field and time.',
        inScope: true,
      },
      { label: 'Live View', to: '/audit/live', about: 'Entries as they arrive.', inScope: true },
      {
        label: 'Lists',
        to: '/audit/lists',
        about: 'Addresses, networks and names that searches and alerts compare with.',
        needs: 'audit.search',
      },
      {
        label: 'Alerts',
        to: '/audit/alerts',
        about: 'Rules that notify you when matching entries arrive.',
        needs: 'audit.view.all',
      },
    ],
  },
  {
    label: 'Report',
    pages: [
      {
        label: 'Compliance Reports',
        to: '/audit/compliance',
        about: 'Evidence for SOC 2, ISO 27001, HIPAA, PCI DSS, GDPR and FedRAMP.',
        needs: 'audit.reports',
        inScope: true,
      },
      {
        label: 'Reports',
        to: '/audit/reports',
        about: 'Scheduled and one-off reports as PDF, CSV or JSON.',
        needs: 'audit.reports',
        inScope: true,
      },
      {
        label: 'Exports',
        to: '/audit/exports',
        about: 'Entries as files, once or on a schedule.',
        needs: 'audit.export',
      },
    ],
  },
];

export const SECTIONS: Section[] = [
  {
    label: 'Automation',
    places: [
      {
        label: 'Intelligence Automation',
        to: '/intelligence',
        icon: IconWand,
        any: ['intelligence.view'],
        groups: INTELLIGENCE,
      },
    ],
  },
  {
    label: 'Access & Security',
    places: [
      { label: 'Audit Logging', to: '/audit', icon: IconShieldCheck, any: VIEW_LOG, groups: AUDIT },
    ],
  },
  {
    label: 'Estate',
    places: [
      { label: 'Connections', to: '/estate/connections', icon: IconCloud, any: ['estate.view'] },
      {
        label: 'Resources',
        to: '/estate/resources',
        icon: IconServer2,
        any: ['estate.view'],
        inScope: true,
      },
      { label: 'Costs', to: '/estate/costs', icon: IconReceipt, any: ['estate.view'] },
      { label: 'Budgets', to: '/estate/budgets', icon: IconCoin, any: ['estate.view'] },
    ],
  },
  {
    label: 'Settings',
    places: [
      { label: 'Workspace', to: '/settings/workspace', icon: IconSettings, any: ['administer'] },
      { label: 'Users', to: '/settings/users', icon: IconUsers, any: ['administer'] },
      { label: 'Teams', to: '/settings/teams', icon: IconUsersGroup, any: ['administer'] },
      {
        label: 'Sources',
        to: '/settings/sources',
        icon: IconFileImport,
        any: ['audit.integrations'],
      },
      {
        label: 'Notifications',
        to: '/settings/notifications',
        icon: IconBell,
        any: ['intelligence.view'],
      },
      {
        label: 'Webhooks',
        to: '/settings/webhooks',
        icon: IconWebhook,
        any: ['intelligence.view'],
      },
      {
        label: 'Integrations',
        to: '/settings/integrations',
        icon: IconPlugConnected,
        any: ['audit.integrations'],
      },
      {
        label: 'Retention',
        to: '/settings/retention',
        icon: IconArchive,
        any: ['audit.retention'],
      },
      { label: 'API tokens', to: '/settings/tokens', icon: IconKey, any: [], inScope: true },
    ],
  },
];

/** Stands beside the permissions of a user with a scope: pages that are not narrowed are closed. */
export const SCOPED = 'scoped';

/** The sections with the places that these permissions open. */
export function openTo(permissions: string[]): Section[] {
  const isScoped = permissions.includes(SCOPED);
  return SECTIONS.map((section) => ({
    ...section,
    places: section.places
      .filter(({ any }) => any.length === 0 || any.some((name) => permissions.includes(name)))
      .map((place) => ({ ...place, groups: place.groups && pagesFor(place.groups, permissions) }))
      .filter(({ groups, inScope }) => !isScoped || inScope || (groups && groups.length > 0)),
  })).filter((section) => section.places.length > 0);
}

/** Where a person lands: the first place that is open to them, or its first page in a scope. */
export function landing(permissions: string[]): string {
  const place = openTo(permissions)[0]?.places[0];
  const page = permissions.includes(SCOPED) ? place?.groups?.[0]?.pages[0] : undefined;
  return page?.to ?? place?.to ?? '/settings/tokens';
}

/** The place or page that an address belongs to, where these permissions do not open it, with those that would. */
export function closedTo(
  path: string,
  permissions: string[],
): Pick<Place, 'label' | 'any'> | undefined {
  const place = SECTIONS.flatMap(({ places }) => places).find(({ to }) => within(path, to));
  if (place && place.any.length > 0 && !place.any.some((name) => permissions.includes(name)))
    return place;
  const page = place?.groups && pageAt(path, place.groups);
  return page?.needs && !permissions.includes(page.needs)
    ? { label: page.label, any: [page.needs] }
    : undefined;
}

/** The groups with the pages that these permissions open. */
function pagesFor(groups: PageGroup[], permissions: string[]): PageGroup[] {
  return groups
    .map((group) => ({
      ...group,
      pages: group.pages.filter(
        ({ needs, inScope }) =>
          (!needs || permissions.includes(needs)) && (inScope || !permissions.includes(SCOPED)),
      ),
    }))
    .filter(({ pages }) => pages.length > 0);
}

/** `true` if an address is a page or lies below it. */
export function within(path: string, to: string): boolean {
  return path === to || path.startsWith(`${to}/`);
}

/** The page of a room that an address belongs to: the longest address that covers it. */
export function pageAt(path: string, groups: PageGroup[]): RoomPage | undefined {
  const pages = groups.flatMap(({ pages: each }) => each);
  const [nearest] = pages
    .filter(({ to }) => within(path, to))
    .sort((a, b) => b.to.length - a.to.length);
  const below = nearest && nearest === pages[0] && path !== nearest.to;
  return (below && pages.find(({ holdsOthers }) => holdsOthers)) || nearest;
}

/** The room whose pages the navigation lists: the one that is open, or else the first that a person may see. */
export function expanded(path: string, sections: Section[]): Place | undefined {
  const rooms = sections
    .flatMap(({ places }) => places)
    .filter(({ groups }) => groups !== undefined);
  return rooms.find(({ to }) => within(path, to)) ?? rooms[0];
}
