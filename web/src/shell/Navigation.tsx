import { Badge, NavLink, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { dashboardQuery } from '../rooms/intelligence/queries';
import classes from './Navigation.module.css';
import { expanded, openTo, pageAt, within, type PageGroup, type Place } from './navigation';
import { RouteLink } from './RouteLink';

/** The places that are open to a person; the room that is open lists its pages in groups. */
export function Navigation({ path, permissions }: { path: string; permissions: string[] }) {
  const sections = openTo(permissions);
  const room = expanded(path, sections);
  const list = useRef<HTMLDivElement>(null);
  // On a low screen the page that is open may be below the edge.
  useEffect(() => {
    list.current?.querySelector('[aria-current="page"]')?.scrollIntoView({ block: 'nearest' });
  }, [path]);
  return (
    <div ref={list}>
      {sections.map((section) => (
        <div key={section.label} role="group" aria-label={section.label}>
          <Text size="xs" fw={600} className="muted" px={10} pt="sm" pb={4}>
            {section.label}
          </Text>
          {section.places.map((place) => (
            <div key={place.to}>
              <PlaceLink of={place} path={path} />
              {place.to === room?.to && place.groups && <Pages groups={place.groups} path={path} />}
            </div>
          ))}
        </div>
      ))}
    </div>
  );
}

function PlaceLink({ of: { label, to, icon: Icon, groups }, path }: { of: Place; path: string }) {
  const here = within(path, to);
  return (
    <NavLink
      label={label}
      active={here && !groups}
      aria-current={here && !groups ? 'page' : undefined}
      leftSection={<Icon size={18} stroke={1.6} />}
      renderRoot={(props) => <RouteLink to={to} {...props} />}
      className={classes.place}
    />
  );
}

function Pages({ groups, path }: { groups: PageGroup[]; path: string }) {
  const current = pageAt(path, groups);
  return groups.map(({ label, pages }) => (
    <div
      key={label ?? ''}
      className={classes.pages}
      role={label ? 'group' : undefined}
      aria-label={label}
    >
      {label && <Text className={`muted ${classes.group}`}>{label}</Text>}
      {pages.map((page) => (
        <NavLink
          key={page.to}
          label={page.label}
          active={page === current}
          aria-current={page === current ? 'page' : undefined}
          rightSection={page.to === '/intelligence/approvals' ? <Waiting /> : undefined}
          renderRoot={(props) => <RouteLink to={page.to} {...props} />}
          className={classes.page}
        />
      ))}
    </div>
  ));
}

/** The number of approvals that wait. */
function Waiting() {
  const { data } = useQuery(dashboardQuery);
  const waiting = data?.approvals_pending ?? 0;
  return waiting > 0 ? (
    <Badge size="sm" circle={waiting < 10} color="yellow" aria-label={`${waiting} waiting`}>
      {waiting}
    </Badge>
  ) : null;
}
