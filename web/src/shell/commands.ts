// Pages by name, and the keys that lead to them.
import { openTo } from './navigation';

export interface PageCommand {
  label: string;
  to: string;
  about?: string;
  /** The room that the page belongs to, where it has one. */
  room?: string;
}

/** The pages that these permissions open. */
export function pagesOf(permissions: string[]): PageCommand[] {
  const account: PageCommand = {
    label: 'Account',
    to: '/account',
    about: 'Your profile and password.',
  };
  return openTo(permissions)
    .flatMap(({ label: section, places }) =>
      places.flatMap(({ label, to, groups }): PageCommand[] =>
        groups
          ? groups.flatMap(({ pages }) =>
              pages.map((page) => ({
                label: page.label,
                to: page.to,
                about: page.about,
                room: label,
              })),
            )
          : [{ label, to, room: section }],
      ),
    )
    .concat(account);
}

/** Pages in which each word of the query begins a word; those whose name begins with it first. */
export function matching(pages: PageCommand[], query: string): PageCommand[] {
  const parts = query.toLowerCase().split(/\s+/).filter(Boolean);
  const text = ({ label, room, about }: PageCommand) =>
    ` ${label} ${room ?? ''} ${about ?? ''}`.toLowerCase();
  const rank = ({ label }: PageCommand) => {
    const at = label.toLowerCase().indexOf(parts[0] ?? '');
    return at < 0 ? 2 : Math.min(at, 1);
  };
  return pages
    .filter((page) => parts.every((part) => text(page).includes(` ${part}`)))
    .sort((a, b) => rank(a) - rank(b));
}

/** Keys after `g`, and the pages that they open. */
export const GO_TO: Record<string, { label: string; to: string }> = {
  h: { label: 'Dashboard', to: '/intelligence' },
  r: { label: 'Recommendations', to: '/intelligence/recommendations' },
  a: { label: 'Approvals', to: '/intelligence/approvals' },
  n: { label: 'Anomalies', to: '/intelligence/anomalies' },
  g: { label: 'Agents', to: '/intelligence/agents' },
  l: { label: 'Search of the audit log', to: '/audit/search' },
  e: { label: 'Resources', to: '/estate/resources' },
  c: { label: 'Connections', to: '/estate/connections' },
};
