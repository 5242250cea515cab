import { Badge, Tabs } from '@mantine/core';
import { Outlet, useNavigate, useRouterState } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { Page } from '../display/Page';
import classes from './TabbedRoom.module.css';

export interface RoomTab {
  label: string;
  to: string;
  badge?: number;
}

/** A room: its head, and its tabs with one address each. */
export function TabbedRoom({ title, description, tabs }: { title: string; description: string; tabs: RoomTab[] }) {
  const path = useRouterState({ select: (state) => state.location.pathname.replace(/\/$/, '') });
  const current = [...tabs].sort((a, b) => b.to.length - a.to.length).find(({ to }) => path === to || path.startsWith(`${to}/`));
  return (
    <Page title={title} tab={current?.label} description={description}>
      <RoomTabs label={title} tabs={tabs} path={path} current={current} />
    </Page>
  );
}

function RoomTabs({ label, tabs, path, current }: { label: string; tabs: RoomTab[]; path: string; current: RoomTab | undefined }) {
  const navigate = useNavigate();
  const scroller = useRef<HTMLDivElement>(null);
  // On a phone the tabs do not all fit: the one that is open is brought to where it can be seen.
  useEffect(() => {
    void scroller.current?.querySelector('[data-active]')?.scrollIntoView({ inline: 'center', block: 'nearest' });
  }, [path]);
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
