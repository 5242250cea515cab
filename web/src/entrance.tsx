// The routes that every address goes through: the sign-in, the frame of the pages, and where a person lands.
import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  lazyRouteComponent as lazy,
  redirect,
} from '@tanstack/react-router';
import { signInSearch } from './addresses';
import { metricsQuery } from './api/metrics';
import { meQuery } from './api/session';
import { workspaceQuery } from './api/workspace';
import { Lost } from './shell/Lost';
import { Shell } from './shell/Shell';
import { landing } from './shell/navigation';

export const root = createRootRouteWithContext<{ queries: QueryClient }>()({
  notFoundComponent: Lost,
});

export const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: signInSearch,
  component: lazy(() => import('./rooms/sign-in/SignIn'), 'SignIn'),
});

export const app = createRoute({
  getParentRoute: () => root,
  id: 'app',
  component: Shell,
  beforeLoad: async ({ context, location }) => {
    const me = await context.queries.ensureQueryData(meQuery);
    if (!me)
      throw redirect({
        to: '/sign-in',
        search: location.href === '/' ? {} : { next: location.href },
      });
    // Names, times, amounts and metrics are shown by them: they come before the first page. Without them they are shown as they come.
    await Promise.allSettled([
      context.queries.ensureQueryData(workspaceQuery),
      context.queries.ensureQueryData(metricsQuery),
    ]);
    return { me };
  },
});

export const start = createRoute({
  getParentRoute: () => app,
  path: '/',
  beforeLoad: ({ context }) => {
    throw redirect({ to: landing(context.me.permissions) });
  },
});
