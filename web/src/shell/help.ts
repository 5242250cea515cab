// Pages of the documentation, which the program serves beside the dashboard, and what they are about.
import { within } from './navigation';

export const DOCUMENTATION = '/docs/index.html';

/** Addresses of the dashboard and the documentation about them; of several that fit, the longest address counts. */
const PAGES: [path: string, document: string, title: string][] = [
  ['/intelligence', 'howto/first-page', 'the first page'],
  ['/intelligence/recommendations', 'howto/feedback', 'recommendations and their ranking'],
  ['/intelligence/actions', 'howto/feedback', 'recommendations and their ranking'],
  ['/intelligence/approvals', 'howto/roles', 'roles and permissions'],
  ['/intelligence/rollouts', 'howto/rollouts', 'rollouts'],
  ['/intelligence/anomalies', 'howto/anomalies', 'anomalies'],
  ['/intelligence/incidents', 'howto/incidents', 'incidents and playbooks'],
  ['/intelligence/playbooks', 'howto/incidents', 'incidents and playbooks'],
  ['/intelligence/runbooks', 'howto/runbooks', 'runbooks'],
  ['/intelligence/anomalies/other-tools', 'howto/other-security-tools', 'other security tools'],
  ['/intelligence/predictions', 'howto/predictive-rules', 'predictive rules'],
  ['/intelligence/objectives', 'howto/objectives', 'objectives and error budgets'],
  ['/intelligence/compliance', 'howto/compliance', 'controls and checks'],
  ['/intelligence/exposure', 'howto/exposures', 'exposures'],
  ['/intelligence/dependencies', 'howto/dependencies', 'dependencies and probable causes'],
  ['/intelligence/drift', 'howto/drift', 'baselines and drift'],
  ['/intelligence/models', 'learning/models', 'models'],
  ['/intelligence/agents', 'learning/confidence', 'confidence of recommendations'],
  ['/intelligence/guardrails', 'howto/change-control', 'change control'],
  ['/intelligence/change-control', 'howto/change-control', 'change control'],
  ['/intelligence/exclusions', 'howto/change-control', 'change control'],
  ['/audit', 'howto/dashboard', 'dashboard and search'],
  ['/audit/search', 'query-language', 'the query language'],
  ['/audit/live', 'howto/watch-and-count', 'live view and saved searches'],
  ['/audit/lists', 'query-language', 'the query language'],
  ['/audit/alerts', 'howto/alerts', 'alerts'],
  ['/audit/compliance', 'howto/reports', 'reports'],
  ['/audit/reports', 'howto/reports', 'reports'],
  ['/audit/exports', 'howto/exports', 'exports'],
  ['/estate/connections', 'howto/connect-aws', 'connecting an AWS account'],
  ['/estate/resources', 'howto/estate', 'resources and their configuration'],
  ['/estate/costs', 'howto/costs', 'costs'],
  ['/estate/budgets', 'howto/budgets', 'budgets'],
  ['/settings/workspace', 'howto/settings', 'workspace settings'],
  ['/account', 'howto/settings', 'your password'],
  ['/settings/users', 'howto/roles', 'roles and permissions'],
  ['/settings/teams', 'howto/roles', 'roles and permissions'],
  ['/settings/tokens', 'howto/command-line', 'the command line'],
  ['/settings/notifications', 'howto/notifications', 'notifications'],
  ['/settings/sources', 'howto/sources', 'sources of entries'],
  ['/settings/integrations', 'howto/streams', 'streams to other platforms'],
  ['/settings/retention', 'howto/retention', 'retention and legal holds'],
  ['/settings/webhooks', 'howto/webhooks', 'webhooks'],
];

/** The documentation of a page. */
export function helpFor(path: string): { href: string; title: string } | undefined {
  const [found] = PAGES.filter(([page]) => within(path, page)).sort(
    ([a], [b]) => b.length - a.length,
  );
  return found && { href: `/docs/${found[1]}.html`, title: found[2] };
}

/** The documents that pages link to. */
export const LINKED = [...new Set(PAGES.map(([, document]) => document))];
