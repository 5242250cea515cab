// The pages under Settings, and the account page.
import { createRoute, lazyRouteComponent as lazy } from '@tanstack/react-router';
import { app } from './entrance';

const users = createRoute({
  getParentRoute: () => app,
  path: '/settings/users',
  component: lazy(() => import('./rooms/settings/Users'), 'Users'),
});
const teams = createRoute({
  getParentRoute: () => app,
  path: '/settings/teams',
  component: lazy(() => import('./rooms/settings/Teams'), 'Teams'),
});
const workspace = createRoute({
  getParentRoute: () => app,
  path: '/settings/workspace',
  component: lazy(() => import('./rooms/settings/WorkspacePage'), 'WorkspacePage'),
});
const integrations = createRoute({
  getParentRoute: () => app,
  path: '/settings/integrations',
  component: lazy(() => import('./rooms/settings/integrations/Integrations'), 'Integrations'),
});
const account = createRoute({
  getParentRoute: () => app,
  path: '/account',
  component: lazy(() => import('./rooms/settings/Account'), 'Account'),
});
const tokens = createRoute({
  getParentRoute: () => app,
  path: '/settings/tokens',
  component: lazy(() => import('./rooms/settings/Tokens'), 'Tokens'),
});
const retention = createRoute({
  getParentRoute: () => app,
  path: '/settings/retention',
  component: lazy(() => import('./rooms/settings/retention/Retention'), 'Retention'),
});
const sources = createRoute({
  getParentRoute: () => app,
  path: '/settings/sources',
  component: lazy(() => import('./rooms/settings/sources/Sources'), 'Sources'),
});
const webhooks = createRoute({
  getParentRoute: () => app,
  path: '/settings/webhooks',
  component: lazy(() => import('./rooms/outbound/Webhooks'), 'Webhooks'),
});
const webhook = createRoute({
  getParentRoute: () => app,
  path: '/settings/webhooks/$id',
  component: lazy(() => import('./rooms/outbound/WebhookDetail'), 'WebhookDetail'),
});
const channels = createRoute({
  getParentRoute: () => app,
  path: '/settings/notifications',
  component: lazy(() => import('./rooms/outbound/Channels'), 'Channels'),
});
const channel = createRoute({
  getParentRoute: () => app,
  path: '/settings/notifications/$id',
  component: lazy(() => import('./rooms/outbound/ChannelDetail'), 'ChannelDetail'),
});

export const settings = [
  workspace,
  account,
  users,
  teams,
  tokens,
  webhooks,
  webhook,
  channels,
  channel,
  integrations,
  sources,
  retention,
] as const;
