// Which address shows which room. Rooms load when they are first opened.
import type { QueryClient } from '@tanstack/react-query';
import { createRoute, createRouter, lazyRouteComponent as lazy } from '@tanstack/react-router';
import {
  anomalyFilters,
  approvalSearch,
  chainSearch,
  costsSearch,
  firingSearch,
  liveFilters,
  mapSearch,
  recommendationFilters,
  resourceFilters,
  rolloutFilters,
  runSearch,
  searchFilters,
} from './addresses';
import { app, root, signIn, start } from './entrance';
import { settings } from './settings-routes';
import { Failed } from './shell/Lost';

const intelligence = createRoute({
  getParentRoute: () => app,
  path: '/intelligence',
  component: lazy(() => import('./rooms/intelligence/Room'), 'Room'),
});
const overview = createRoute({
  getParentRoute: () => intelligence,
  path: '/',
  component: lazy(() => import('./rooms/intelligence/DashboardPage'), 'DashboardPage'),
});
const recommendations = createRoute({
  getParentRoute: () => intelligence,
  path: '/recommendations',
  validateSearch: recommendationFilters,
  component: lazy(() => import('./rooms/intelligence/Recommendations'), 'Recommendations'),
});
const rollouts = createRoute({
  getParentRoute: () => intelligence,
  path: '/rollouts',
  validateSearch: rolloutFilters,
  component: lazy(() => import('./rooms/intelligence/rollouts/Rollouts'), 'Rollouts'),
});
const anomalies = createRoute({
  getParentRoute: () => intelligence,
  path: '/anomalies',
  component: lazy(() => import('./rooms/intelligence/anomalies/AnomaliesRoom'), 'AnomaliesRoom'),
});
const foundAnomalies = createRoute({
  getParentRoute: () => anomalies,
  path: '/',
  validateSearch: anomalyFilters,
  component: lazy(() => import('./rooms/intelligence/anomalies/Anomalies'), 'Anomalies'),
});
const threatLists = createRoute({
  getParentRoute: () => anomalies,
  path: '/threat-lists',
  component: lazy(() => import('./rooms/intelligence/threats/ThreatLists'), 'ThreatLists'),
});
const otherTools = createRoute({
  getParentRoute: () => anomalies,
  path: '/other-tools',
  component: lazy(() => import('./rooms/intelligence/other-tools/OtherTools'), 'OtherTools'),
});
const agents = createRoute({
  getParentRoute: () => intelligence,
  path: '/agents',
  component: lazy(() => import('./rooms/intelligence/Agents'), 'Agents'),
});
const actions = createRoute({
  getParentRoute: () => intelligence,
  path: '/actions',
  component: lazy(() => import('./rooms/intelligence/Actions'), 'Actions'),
});
const approvals = createRoute({
  getParentRoute: () => intelligence,
  path: '/approvals',
  validateSearch: approvalSearch,
  component: lazy(() => import('./rooms/intelligence/Approvals'), 'Approvals'),
});
const models = createRoute({
  getParentRoute: () => intelligence,
  path: '/models',
  component: lazy(() => import('./rooms/intelligence/Models'), 'Models'),
});
const guardrails = createRoute({
  getParentRoute: () => intelligence,
  path: '/guardrails',
  component: lazy(() => import('./rooms/intelligence/GuardrailsPage'), 'GuardrailsPage'),
});
const changeControl = createRoute({
  getParentRoute: () => intelligence,
  path: '/change-control',
  component: lazy(
    () => import('./rooms/intelligence/change/ChangeControlPage'),
    'ChangeControlPage',
  ),
});
const exclusions = createRoute({
  getParentRoute: () => intelligence,
  path: '/exclusions',
  component: lazy(() => import('./rooms/intelligence/change/Exclusions'), 'Exclusions'),
});
const compliance = createRoute({
  getParentRoute: () => intelligence,
  path: '/compliance',
  component: lazy(() => import('./rooms/intelligence/compliance/Compliance'), 'Compliance'),
});
const exposure = createRoute({
  getParentRoute: () => intelligence,
  path: '/exposure',
  validateSearch: chainSearch,
  component: lazy(() => import('./rooms/intelligence/exposure/ExposurePage'), 'ExposurePage'),
});
const dependencies = createRoute({
  getParentRoute: () => intelligence,
  path: '/dependencies',
  validateSearch: mapSearch,
  component: lazy(
    () => import('./rooms/intelligence/dependencies/DependenciesPage'),
    'DependenciesPage',
  ),
});
const objectives = createRoute({
  getParentRoute: () => intelligence,
  path: '/objectives',
  component: lazy(() => import('./rooms/intelligence/objectives/ObjectivesPage'), 'ObjectivesPage'),
});
const objective = createRoute({
  getParentRoute: () => app,
  path: '/intelligence/objectives/$id',
  component: lazy(
    () => import('./rooms/intelligence/objectives/ObjectiveDetail'),
    'ObjectiveDetail',
  ),
});
const incidents = createRoute({
  getParentRoute: () => intelligence,
  path: '/incidents',
  component: lazy(() => import('./rooms/intelligence/incidents/IncidentsPage'), 'IncidentsPage'),
});
const incident = createRoute({
  getParentRoute: () => app,
  path: '/intelligence/incidents/$id',
  component: lazy(() => import('./rooms/intelligence/incidents/IncidentDetail'), 'IncidentDetail'),
});
const playbooks = createRoute({
  getParentRoute: () => intelligence,
  path: '/playbooks',
  component: lazy(() => import('./rooms/intelligence/incidents/PlaybooksPage'), 'PlaybooksPage'),
});
const runbooks = createRoute({
  getParentRoute: () => intelligence,
  path: '/runbooks',
  component: lazy(() => import('./rooms/intelligence/runbooks/RunbooksPage'), 'RunbooksPage'),
});
const drift = createRoute({
  getParentRoute: () => intelligence,
  path: '/drift',
  component: lazy(() => import('./rooms/intelligence/drift/DriftPage'), 'DriftPage'),
});
const driftDetail = createRoute({
  getParentRoute: () => app,
  path: '/intelligence/drift/$id',
  component: lazy(() => import('./rooms/intelligence/drift/DriftDetail'), 'DriftDetail'),
});
const framework = createRoute({
  getParentRoute: () => app,
  path: '/intelligence/compliance/$framework',
  component: lazy(
    () => import('./rooms/intelligence/compliance/FrameworkDetail'),
    'FrameworkDetail',
  ),
});
const control = createRoute({
  getParentRoute: () => app,
  path: '/intelligence/compliance/controls/$id',
  component: lazy(() => import('./rooms/intelligence/compliance/ControlDetail'), 'ControlDetail'),
});
const predictions = createRoute({
  getParentRoute: () => intelligence,
  path: '/predictions',
  component: lazy(
    () => import('./rooms/intelligence/predictive/PredictionsRoom'),
    'PredictionsRoom',
  ),
});
const rules = createRoute({
  getParentRoute: () => predictions,
  path: '/',
  component: lazy(() => import('./rooms/intelligence/predictive/Rules'), 'Rules'),
});
const calendars = createRoute({
  getParentRoute: () => predictions,
  path: '/calendars',
  component: lazy(() => import('./rooms/intelligence/predictive/Calendars'), 'Calendars'),
});
const rule = createRoute({
  getParentRoute: () => app,
  path: '/intelligence/predictions/rules/$id',
  component: lazy(() => import('./rooms/intelligence/predictive/RuleDetail'), 'RuleDetail'),
});
const calendar = createRoute({
  getParentRoute: () => app,
  path: '/intelligence/predictions/calendars/$id',
  component: lazy(() => import('./rooms/intelligence/predictive/CalendarDetail'), 'CalendarDetail'),
});
const anomaly = createRoute({
  getParentRoute: () => app,
  path: '/intelligence/anomalies/$id',
  component: lazy(() => import('./rooms/intelligence/anomalies/AnomalyDetail'), 'AnomalyDetail'),
});
const rollout = createRoute({
  getParentRoute: () => app,
  path: '/intelligence/rollouts/$id',
  component: lazy(() => import('./rooms/intelligence/rollouts/RolloutDetail'), 'RolloutDetail'),
});
const recommendation = createRoute({
  getParentRoute: () => app,
  path: '/intelligence/recommendations/$id',
  component: lazy(
    () => import('./rooms/intelligence/RecommendationDetail'),
    'RecommendationDetail',
  ),
});

const audit = createRoute({
  getParentRoute: () => app,
  path: '/audit',
  component: lazy(() => import('./rooms/audit/Room'), 'Room'),
});
const auditDashboard = createRoute({
  getParentRoute: () => audit,
  path: '/',
  component: lazy(() => import('./rooms/audit/Dashboard'), 'Dashboard'),
});
const auditSearch = createRoute({
  getParentRoute: () => audit,
  path: '/search',
  validateSearch: searchFilters,
  component: lazy(() => import('./rooms/audit/SearchPage'), 'SearchPage'),
});
const auditLive = createRoute({
  getParentRoute: () => audit,
  path: '/live',
  validateSearch: liveFilters,
  component: lazy(() => import('./rooms/audit/LivePage'), 'LivePage'),
});
const auditAlerts = createRoute({
  getParentRoute: () => audit,
  path: '/alerts',
  validateSearch: firingSearch,
  component: lazy(() => import('./rooms/audit/alerts/Alerts'), 'Alerts'),
});
const auditLists = createRoute({
  getParentRoute: () => audit,
  path: '/lists',
  component: lazy(() => import('./rooms/audit/lists/Lists'), 'Lists'),
});
const auditExports = createRoute({
  getParentRoute: () => audit,
  path: '/exports',
  component: lazy(() => import('./rooms/audit/exports/Exports'), 'Exports'),
});
const auditCompliance = createRoute({
  getParentRoute: () => audit,
  path: '/compliance',
  validateSearch: runSearch,
  component: lazy(() => import('./rooms/audit/reports/Compliance'), 'Compliance'),
});
const auditReports = createRoute({
  getParentRoute: () => audit,
  path: '/reports',
  validateSearch: runSearch,
  component: lazy(() => import('./rooms/audit/reports/Reports'), 'Reports'),
});
const entry = createRoute({
  getParentRoute: () => app,
  path: '/audit/$eventId',
  component: lazy(() => import('./rooms/audit/EntryDetail'), 'EntryDetail'),
});

const connections = createRoute({
  getParentRoute: () => app,
  path: '/estate/connections',
  component: lazy(() => import('./rooms/estate/Connections'), 'Connections'),
});
const connectAws = createRoute({
  getParentRoute: () => app,
  path: '/estate/connections/aws',
  component: lazy(() => import('./rooms/estate/ConnectAws'), 'ConnectAws'),
});
const resources = createRoute({
  getParentRoute: () => app,
  path: '/estate/resources',
  validateSearch: resourceFilters,
  component: lazy(() => import('./rooms/estate/Resources'), 'Resources'),
});
const resource = createRoute({
  getParentRoute: () => app,
  path: '/estate/resources/$id',
  component: lazy(() => import('./rooms/estate/ResourceDetail'), 'ResourceDetail'),
});
const database = createRoute({
  getParentRoute: () => app,
  path: '/estate/databases/$id',
  component: lazy(() => import('./rooms/estate/databases/DatabasePage'), 'DatabasePage'),
});

const budgets = createRoute({
  getParentRoute: () => app,
  path: '/estate/budgets',
  component: lazy(() => import('./rooms/budgets/Budgets'), 'Budgets'),
});
const costs = createRoute({
  getParentRoute: () => app,
  path: '/estate/costs',
  validateSearch: costsSearch,
  component: lazy(() => import('./rooms/costs/CostsPage'), 'CostsPage'),
});
const budget = createRoute({
  getParentRoute: () => app,
  path: '/estate/budgets/$id',
  component: lazy(() => import('./rooms/budgets/BudgetDetail'), 'BudgetDetail'),
});

const tree = root.addChildren([
  signIn,
  app.addChildren([
    start,
    intelligence.addChildren([
      overview,
      recommendations,
      rollouts,
      anomalies.addChildren([foundAnomalies, threatLists, otherTools]),
      predictions.addChildren([rules, calendars]),
      compliance,
      objectives,
      incidents,
      playbooks,
      runbooks,
      exposure,
      dependencies,
      drift,
      agents,
      actions,
      approvals,
      models,
      guardrails,
      changeControl,
      exclusions,
    ]),
    recommendation,
    driftDetail,
    objective,
    incident,
    framework,
    control,
    rollout,
    rule,
    calendar,
    anomaly,
    audit.addChildren([
      auditDashboard,
      auditSearch,
      auditLive,
      auditAlerts,
      auditLists,
      auditExports,
      auditCompliance,
      auditReports,
    ]),
    entry,
    connections,
    connectAws,
    resources,
    resource,
    costs,
    database,
    budgets,
    budget,
    ...settings,
  ]),
]);

export function newRouter(queries: QueryClient) {
  return createRouter({
    routeTree: tree,
    context: { queries },
    defaultPreload: 'intent',
    defaultErrorComponent: Failed,
    scrollRestoration: true,
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof newRouter>;
  }
}
