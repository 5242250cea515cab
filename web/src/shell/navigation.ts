import {
  IconBell, IconCloud, IconCoin, IconKey, IconSettings, IconServer2, IconShieldCheck, IconUsers, IconUsersGroup, IconWand, IconWebhook,
} from '@tabler/icons-react';
import type { ComponentType } from 'react';

export interface Place {
  label: string;
  to: string;
  icon: ComponentType<{ size?: number; stroke?: number }>;
  /** Any of these permissions lets a person in; none means everybody. */
  any: string[];
}

export interface Section {
  label: string;
  places: Place[];
}

export const VIEW_LOG = ['audit.view.all', 'audit.view.team', 'audit.view.own'];

export const SECTIONS: Section[] = [
  {
    label: 'Automation',
    places: [{ label: 'Intelligence Automation', to: '/intelligence', icon: IconWand, any: ['intelligence.view'] }],
  },
  {
    label: 'Access & Security',
    places: [{ label: 'Audit Logging', to: '/audit', icon: IconShieldCheck, any: VIEW_LOG }],
  },
  {
    label: 'Estate',
    places: [
      { label: 'Connections', to: '/estate/connections', icon: IconCloud, any: ['estate.view'] },
      { label: 'Resources', to: '/estate/resources', icon: IconServer2, any: ['estate.view'] },
      { label: 'Budgets', to: '/estate/budgets', icon: IconCoin, any: ['estate.view'] },
    ],
  },
  {
    label: 'Settings',
    places: [
      { label: 'Workspace', to: '/settings/workspace', icon: IconSettings, any: ['administer'] },
      { label: 'Users', to: '/settings/users', icon: IconUsers, any: ['administer'] },
      { label: 'Teams', to: '/settings/teams', icon: IconUsersGroup, any: ['administer'] },
      { label: 'Notifications', to: '/settings/notifications', icon: IconBell, any: ['intelligence.view'] },
      { label: 'Webhooks', to: '/settings/webhooks', icon: IconWebhook, any: ['intelligence.view'] },
      { label: 'API tokens', to: '/settings/tokens', icon: IconKey, any: [] },
    ],
  },
];

/** The sections with the places that these permissions open. */
export function openTo(permissions: string[]): Section[] {
  return SECTIONS.map((section) => ({
    ...section,
    places: section.places.filter(({ any }) => any.length === 0 || any.some((name) => permissions.includes(name))),
  })).filter((section) => section.places.length > 0);
}

/** Where a person lands: the first place that is open to them. */
export function landing(permissions: string[]): string {
  return openTo(permissions)[0]?.places[0]?.to ?? '/settings/tokens';
}

/** The place that an address belongs to, where these permissions do not open it. */
export function closedTo(path: string, permissions: string[]): Place | undefined {
  const place = SECTIONS.flatMap(({ places }) => places).find(({ to }) => path === to || path.startsWith(`${to}/`));
  return place && place.any.length > 0 && !place.any.some((name) => permissions.includes(name)) ? place : undefined;
}
