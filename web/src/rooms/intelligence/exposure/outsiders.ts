// Outsiders and edges of paths in words.
import { words } from '../../../display/wording';
import type { Exposure } from './queries';

const OUTSIDERS: Record<string, string> = {
  internet: 'The internet',
  organization: 'The organization',
  unknown: 'Not known',
  none: 'Nothing outside',
};

/** Who reaches a resource: `account:123456789012` is `Account 123456789012`. */
export function outsider(reachableFrom: string): string {
  const account = reachableFrom.match(/^account:(.*)$/);
  if (account) return `Account ${account[1]}`;
  return OUTSIDERS[reachableFrom] ?? words(reachableFrom);
}

/** The colour of an audience: the internet is the gravest. */
export function gravity(of: Pick<Exposure, 'reachable_from' | 'grade'>): string {
  if (of.reachable_from === 'none') return 'success';
  if (of.reachable_from === 'unknown') return 'unknown';
  if (of.reachable_from === 'internet') return of.grade === 'indirect' ? 'high' : 'critical';
  return 'medium';
}

const GRADES: Record<string, string> = {
  direct: 'Directly',
  load_balancer: 'Through a load balancer',
  indirect: 'By way of another exposed resource',
};

export const grade = (of: string | null | undefined): string | undefined =>
  of ? (GRADES[of] ?? words(of)) : undefined;

const EDGES: Record<string, string> = {
  network_acl: 'Network ACL',
  iam: 'IAM',
  nat_gateway: 'NAT gateway',
};

export const edge = (of: string): string => EDGES[of] ?? words(of);

/** Number of resources by who reaches them, the most first. */
export function byOutsider(exposures: readonly Exposure[]): [string, number][] {
  const counted = new Map<string, number>();
  for (const { reachable_from: from } of exposures) {
    counted.set(from, (counted.get(from) ?? 0) + 1);
  }
  return [...counted].sort(([a, most], [b, least]) => least - most || a.localeCompare(b));
}
