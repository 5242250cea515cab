import { Badge, Tabs } from '@mantine/core';
import { Outlet, useNavigate, useRouterState } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import classes from './RoomTabs.module.css';

export interface RoomTab {
  label: string;
  to: string;
  badge?: number;
}

/** The tabs of a room, one address each. */
export function RoomTabs({ label, tabs }: { label: string; tabs: RoomTab[] }) {
  const path = useRouterState({ select: (state) => state.location.pathname.replace(/\/$/, '') });
  const navigate = useNavigate();
  const scroller = useRef<HTMLDivElement>(null);
  // On a phone the tabs do not all fit: the one that is open is brought to where it can be seen.
  useEffect(() => {
    void scroller.current?.querySelector('[data-active]')?.scrollIntoView({ inline: 'center', block: 'nearest' });
  }, [path]);
  const current = [...tabs].sort((a, b) => b.to.length - a.to.length).find(({ to }) => path === to || path.startsWith(`${to}/`));
  return (
    <Tabs value={current?.to ?? null} onChange={(to) => to && void navigate({ to })} keepMounted={false}>
      <div className={classes.scroller} ref={scroller}>
        <Tabs.List aria-label={label} className={classes.list}>
          {tabs.map(({ label: name, to, badge }) => (
            <Tabs.Tab key={to} value={to} rightSection={badge ? <Badge size="sm" circle={badge < 10} color="yellow">{badge}</Badge> : undefined}>
              {name}
            </Tabs.Tab>
          ))}
        </Tabs.List>
      </div>
      {tabs.map(({ to }) => (
        <Tabs.Panel key={to} value={to} pt="lg">
          <Outlet />
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
