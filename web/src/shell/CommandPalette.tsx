import '@mantine/spotlight/styles.css';
import { Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { createSpotlight, Spotlight } from '@mantine/spotlight';
import { IconBulb, IconFileText, IconSearch, IconServer2 } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, type RefObject } from 'react';
import { words } from '../display/wording';
import { resourcesQuery } from '../rooms/estate/queries';
import { waitingQuery } from '../rooms/intelligence/queries';
import { matching, pagesOf } from './commands';

/** Rows of each group. */
const MOST = 6;
/** Letters before resources and recommendations are looked up. */
const LETTERS = 2;

const [store, palette] = createSpotlight();

interface Props {
  permissions: string[];
  opened: boolean;
  typed: string;
  /** Whether Enter waits for the first hit. */
  enteredRef: RefObject<boolean>;
  onTyped: (text: string) => void;
  /** Called once the field takes what is typed. */
  onReady: () => void;
  onClose: () => void;
}

const actionsIn = (list: HTMLElement | null) => [
  ...(list?.querySelectorAll<HTMLElement>('[data-action]') ?? []),
];

/** Marks the first hit as the one that Enter takes; answers whether there is one. */
function chooseFirst(list: HTMLElement | null): boolean {
  const [first, ...others] = actionsIn(list);
  others.forEach((other) => other.removeAttribute('data-selected'));
  first?.setAttribute('data-selected', 'true');
  return first !== undefined;
}

/** Finds pages, resources and recommendations by a part of their name. */
export function CommandPalette({
  permissions,
  opened,
  typed,
  enteredRef,
  onTyped,
  onReady,
  onClose,
}: Props) {
  const navigate = useNavigate();
  const list = useRef<HTMLDivElement>(null);
  // Whether the arrows chose a hit.
  const moved = useRef(false);
  const [query] = useDebouncedValue(typed.trim(), 200);
  useEffect(() => {
    if (opened) palette.open();
    else palette.close();
  }, [opened]);
  const pages = matching(pagesOf(permissions), typed);
  const searched = opened && query.length >= LETTERS;
  const resources = useQuery({
    ...resourcesQuery({ text: query, limit: MOST }),
    enabled: searched && permissions.includes('estate.view'),
  });
  const waiting = useQuery({
    ...waitingQuery,
    enabled: searched && permissions.includes('intelligence.view'),
    refetchInterval: false,
  });
  const recommendations = searched
    ? (waiting.data?.items ?? [])
        .filter(({ title, resource }) =>
          `${title} ${resource.name}`.toLowerCase().includes(query.toLowerCase()),
        )
        .slice(0, MOST)
    : [];
  const found = searched ? (resources.data?.items ?? []).slice(0, MOST) : [];
  const busy = typed.trim() !== query || resources.isFetching || waiting.isFetching;
  useEffect(() => {
    if (typed.trim() === '' || moved.current || !list.current) return;
    const some = chooseFirst(list.current);
    if (!enteredRef.current || (busy && !some)) return;
    enteredRef.current = false;
    if (some) actionsIn(list.current)[0]?.click();
  });
  const nothing = pages.length + found.length + recommendations.length === 0;
  return (
    <Spotlight.Root
      store={store}
      shortcut={null}
      query={typed}
      onQueryChange={(text) => {
        moved.current = false;
        enteredRef.current = false;
        onTyped(text);
      }}
      onSpotlightClose={onClose}
      scrollable
      maxHeight={440}
      title="Command palette"
      styles={{ header: { display: 'none' } }}
    >
      <Spotlight.Search
        placeholder="Page, resource or recommendation"
        aria-label="Page, resource or recommendation"
        leftSection={<IconSearch size={18} />}
        onFocus={onReady}
        onKeyDown={({ nativeEvent: { code } }) => {
          if (code === 'ArrowDown' || code === 'ArrowUp') moved.current = true;
          if ((code === 'Enter' || code === 'NumpadEnter') && typed.trim() !== '' && !moved.current)
            enteredRef.current = !chooseFirst(list.current) && busy;
        }}
      />
      <Spotlight.ActionsList ref={list}>
        {nothing && (
          <Spotlight.Empty>
            {busy ? 'Searching …' : 'Nothing found. Search by a part of a name or identifier.'}
          </Spotlight.Empty>
        )}
        {pages.length > 0 && (
          <Spotlight.ActionsGroup label="Pages">
            {pages.map(({ label, room, to, about }) => (
              <Spotlight.Action
                key={to}
                label={label}
                description={about}
                leftSection={<IconFileText size={18} />}
                rightSection={
                  room && (
                    <Text size="xs" className="muted">
                      {room}
                    </Text>
                  )
                }
                onClick={() => void navigate({ to })}
              />
            ))}
          </Spotlight.ActionsGroup>
        )}
        {found.length > 0 && (
          <Spotlight.ActionsGroup label="Resources">
            {found.map(({ id, connection_id, name, type, provider }) => (
              <Spotlight.Action
                key={`${connection_id} ${id}`}
                label={name || id}
                description={`${words(type)} · ${words(provider)} · ${id}`}
                leftSection={<IconServer2 size={18} />}
                onClick={() => void navigate({ to: '/estate/resources/$id', params: { id } })}
              />
            ))}
          </Spotlight.ActionsGroup>
        )}
        {recommendations.length > 0 && (
          <Spotlight.ActionsGroup label="Recommendations">
            {recommendations.map(({ id, title, kind, priority }) => (
              <Spotlight.Action
                key={id}
                label={title}
                description={`${words(kind)} · ${words(priority)} priority`}
                leftSection={<IconBulb size={18} />}
                onClick={() =>
                  void navigate({ to: '/intelligence/recommendations/$id', params: { id } })
                }
              />
            ))}
          </Spotlight.ActionsGroup>
        )}
      </Spotlight.ActionsList>
    </Spotlight.Root>
  );
}
